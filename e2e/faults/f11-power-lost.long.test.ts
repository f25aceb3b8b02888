import { F11 } from './f11-power-lost.ts';
import { testBrokenBuilds, testHarness } from './test-harness.ts';

testHarness(F11);
testBrokenBuilds(F11);
