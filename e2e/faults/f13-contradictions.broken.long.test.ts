import { F13 } from './f13-contradictions.ts';
import { testBrokenBuilds } from './test-harness.ts';

testBrokenBuilds(F13);
