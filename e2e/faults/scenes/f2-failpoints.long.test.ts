import { testBrokenBuilds, testHarness } from '../test-harness.ts';
import { F2 } from './f2-failpoints.ts';

testHarness(F2, 'postgres');
testBrokenBuilds(F2);
