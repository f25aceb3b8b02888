import { F7 } from './f7-garbage.ts';
import { testBrokenBuilds, testHarness } from './test-harness.ts';

testHarness(F7, 'postgres');
testBrokenBuilds(F7);
