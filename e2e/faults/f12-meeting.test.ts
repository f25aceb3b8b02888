import { F12 } from './f12-meeting.ts';
import { testHarness } from './test-harness.ts';

testHarness(F12, 'postgres');
