import { F4 } from './f4-webhooks-dropped.ts';
import { testHarness } from './test-harness.ts';

testHarness(F4);
