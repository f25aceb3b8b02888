import { testBrokenBuilds, testHarness } from '../test-harness.ts';
import { F7 } from './f7-garbage.ts';

testHarness(F7, 'postgres');
testBrokenBuilds(F7);
