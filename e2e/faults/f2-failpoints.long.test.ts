import { F2 } from './f2-failpoints.ts';
import { testBrokenBuilds, testHarness } from './test-harness.ts';

testHarness(F2, 'postgres');
testBrokenBuilds(F2);
