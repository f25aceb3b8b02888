import { F7 } from './f7-garbage.ts';
import { testBrokenBuilds } from './test-harness.ts';

testBrokenBuilds(F7);
