import { F15 } from './f15-soak.ts';
import { testHarness } from './test-harness.ts';

testHarness(F15);
