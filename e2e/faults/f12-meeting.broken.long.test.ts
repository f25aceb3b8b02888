import { F12 } from './f12-meeting.ts';
import { testBrokenBuilds } from './test-harness.ts';

testBrokenBuilds(F12);
