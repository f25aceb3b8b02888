import { testHarness } from '../test-harness.ts';
import { F12 } from './f12-meeting.ts';

testHarness(F12, 'postgres');
