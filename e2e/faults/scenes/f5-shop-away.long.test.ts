import { testBrokenBuilds, testHarness } from '../test-harness.ts';
import { F5 } from './f5-shop-away.ts';

testHarness(F5);
testBrokenBuilds(F5);
