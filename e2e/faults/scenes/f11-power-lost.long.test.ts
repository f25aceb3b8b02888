import { testBrokenBuilds, testHarness } from '../test-harness.ts';
import { F11 } from './f11-power-lost.ts';

testHarness(F11);
testBrokenBuilds(F11);
