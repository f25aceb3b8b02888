import { testBrokenBuilds, testHarness } from '../test-harness.ts';
import { F8 } from './f8-database-away.ts';

testHarness(F8);
testBrokenBuilds(F8);
