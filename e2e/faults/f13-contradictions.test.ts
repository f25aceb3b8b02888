import { F13 } from './f13-contradictions.ts';
import { testHarness } from './test-harness.ts';

testHarness(F13, 'sqlite');
