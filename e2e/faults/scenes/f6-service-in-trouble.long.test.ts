import { testBrokenBuilds, testHarness } from '../test-harness.ts';
import { F6 } from './f6-service-in-trouble.ts';

testHarness(F6);
testBrokenBuilds(F6);
