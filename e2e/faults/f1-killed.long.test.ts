import { F1 } from './f1-killed.ts';
import { testBrokenBuilds, testHarness } from './test-harness.ts';

testHarness(F1, 'postgres');
testBrokenBuilds(F1);
