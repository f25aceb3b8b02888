import { testBrokenBuilds, testHarness } from '../test-harness.ts';
import { F14 } from './f14-under-attack.ts';

testHarness(F14);
testBrokenBuilds(F14);
