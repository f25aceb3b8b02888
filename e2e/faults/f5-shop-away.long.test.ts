import { F5 } from './f5-shop-away.ts';
import { testHarness } from './test-harness.ts';

testHarness(F5);
