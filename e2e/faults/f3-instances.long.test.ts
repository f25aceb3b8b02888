import { F3 } from './f3-instances.ts';
import { testBrokenBuilds } from './test-harness.ts';

testBrokenBuilds(F3);
