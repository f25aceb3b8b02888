import { F3 } from './f3-instances.ts';
import { testHarness } from './test-harness.ts';

testHarness(F3);
