import { F14 } from './f14-under-attack.ts';
import { testBrokenBuilds, testHarness } from './test-harness.ts';

testHarness(F14);
testBrokenBuilds(F14);
