import { F1 } from './f1-killed.ts';
import { testBrokenBuilds } from './test-harness.ts';

testBrokenBuilds(F1);
