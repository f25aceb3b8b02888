import { testHarness } from '../test-harness.ts';
import { F3 } from './f3-instances.ts';

testHarness(F3);
