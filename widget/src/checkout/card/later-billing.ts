import type { renderList } from '../parts/problem-list.ts';
import type { renderBilling } from './billing.ts';

/** Filled in by `screens/lazy.ts`: few cards need a billing address. */
export const laterBilling = {} as { render: typeof renderBilling; renderList: typeof renderList };
