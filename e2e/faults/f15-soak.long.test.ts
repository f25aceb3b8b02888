import { F15 } from './f15-soak.ts';
import { testBrokenBuilds, testHarness } from './test-harness.ts';

testHarness(F15);
testBrokenBuilds(F15);
