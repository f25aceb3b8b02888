import { F1 } from './f1-killed.ts';
import { F2 } from './f2-failpoints.ts';
import { F3 } from './f3-instances.ts';
import { F4 } from './f4-webhooks-dropped.ts';
import { F5 } from './f5-shop-away.ts';
import { F6 } from './f6-service-in-trouble.ts';
import { F7 } from './f7-garbage.ts';
import { F8 } from './f8-database-away.ts';
import { F9 } from './f9-popup-over-and-over.ts';
import { F11 } from './f11-power-lost.ts';
import { F12 } from './f12-meeting.ts';
import { F13 } from './f13-contradictions.ts';
import { F14 } from './f14-under-attack.ts';
import { F15 } from './f15-soak.ts';
import type { Harness } from './harness.ts';

export const HARNESSES: readonly Harness[] = [
  F1,
  F2,
  F3,
  F4,
  F5,
  F6,
  F7,
  F8,
  F9,
  F11,
  F12,
  F13,
  F14,
  F15,
];
