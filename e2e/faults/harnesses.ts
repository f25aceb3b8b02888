import type { Harness } from './harness.ts';
import { F1 } from './scenes/f1-killed.ts';
import { F2 } from './scenes/f2-failpoints.ts';
import { F3 } from './scenes/f3-instances.ts';
import { F4 } from './scenes/f4-webhooks-dropped.ts';
import { F5 } from './scenes/f5-shop-away.ts';
import { F6 } from './scenes/f6-service-in-trouble.ts';
import { F8 } from './scenes/f8-database-away.ts';
import { F9 } from './scenes/f9-popup-over-and-over.ts';
import { F11 } from './scenes/f11-power-lost.ts';
import { F12 } from './scenes/f12-meeting.ts';
import { F14 } from './scenes/f14-under-attack.ts';
import { F15 } from './scenes/f15-soak.ts';

export const HARNESSES: readonly Harness[] = [F1, F2, F3, F4, F5, F6, F8, F9, F11, F12, F14, F15];
