import { testHarness } from '../test-harness.ts';
import { F13 } from './f13-contradictions.ts';

testHarness(F13, 'sqlite');
