import { F4 } from './f4-webhooks-dropped.ts';
import { testBrokenBuilds, testHarness } from './test-harness.ts';

testHarness(F4);
testBrokenBuilds(F4);
