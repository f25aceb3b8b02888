import { testBrokenBuilds, testHarness } from '../test-harness.ts';
import { F15 } from './f15-soak.ts';

testHarness(F15);
testBrokenBuilds(F15);
