import { F13 } from './f13-contradictions.ts';
import { testBrokenBuilds, testHarness } from './test-harness.ts';

testHarness(F13, 'postgres');
testBrokenBuilds(F13);
