import { F7 } from './f7-garbage.ts';
import { testHarness } from './test-harness.ts';

testHarness(F7, 'sqlite');
