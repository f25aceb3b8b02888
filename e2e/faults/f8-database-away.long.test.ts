import { F8 } from './f8-database-away.ts';
import { testBrokenBuilds, testHarness } from './test-harness.ts';

testHarness(F8);
testBrokenBuilds(F8);
