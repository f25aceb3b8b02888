import { F9 } from './f9-popup-over-and-over.ts';
import { testHarness } from './test-harness.ts';

testHarness(F9);
