import { CHECKOUT_OPERATIONS } from './checkout.ts';
import { MERCHANT_OPERATIONS } from './merchant.ts';
import type { Operation } from './operation.ts';

/** The calls of the payment service. Light to import, unlike their OpenAPI description. */
export const OPERATIONS: readonly Operation[] = [...MERCHANT_OPERATIONS, ...CHECKOUT_OPERATIONS];
