import { F6 } from './f6-service-in-trouble.ts';
import { testHarness } from './test-harness.ts';

testHarness(F6);
