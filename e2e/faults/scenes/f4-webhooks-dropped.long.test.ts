import { testBrokenBuilds, testHarness } from '../test-harness.ts';
import { F4 } from './f4-webhooks-dropped.ts';

testHarness(F4);
testBrokenBuilds(F4);
