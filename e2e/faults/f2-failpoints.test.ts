import { F2 } from './f2-failpoints.ts';
import { testHarness } from './test-harness.ts';

testHarness(F2, 'sqlite');
