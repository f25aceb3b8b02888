import { F14 } from './f14-under-attack.ts';
import { testHarness } from './test-harness.ts';

testHarness(F14);
