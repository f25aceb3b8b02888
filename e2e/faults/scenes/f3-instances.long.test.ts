import { testBrokenBuilds } from '../test-harness.ts';
import { F3 } from './f3-instances.ts';

testBrokenBuilds(F3);
