import { F5 } from './f5-shop-away.ts';
import { testBrokenBuilds, testHarness } from './test-harness.ts';

testHarness(F5);
testBrokenBuilds(F5);
