import '../app/require-node.ts';

export type { Session } from '../payments/session.ts';
export type { Life } from '../payments/session-life.ts';
export { type Call, CheckoutService } from './checkout-service.ts';
export type { SteeredClock, Time } from './steered-clock.ts';
