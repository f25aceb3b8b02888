import { F8 } from './f8-database-away.ts';
import { testHarness } from './test-harness.ts';

testHarness(F8);
