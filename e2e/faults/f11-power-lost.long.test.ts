import { F11 } from './f11-power-lost.ts';
import { testHarness } from './test-harness.ts';

testHarness(F11);
