import { F2 } from './f2-failpoints.ts';
import { testBrokenBuilds } from './test-harness.ts';

testBrokenBuilds(F2);
