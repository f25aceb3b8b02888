import { testBrokenBuilds, testHarness } from '../test-harness.ts';
import { F9 } from './f9-popup-over-and-over.ts';

testHarness(F9);
testBrokenBuilds(F9);
