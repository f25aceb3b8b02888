import { testHarness } from '../test-harness.ts';
import { F1 } from './f1-killed.ts';

testHarness(F1, 'sqlite');
