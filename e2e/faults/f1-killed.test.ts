import { F1 } from './f1-killed.ts';
import { testHarness } from './test-harness.ts';

testHarness(F1, 'sqlite');
