import { F12 } from './f12-meeting.ts';
import { testBrokenBuilds, testHarness } from './test-harness.ts';

testHarness(F12, 'sqlite');
testBrokenBuilds(F12);
