import type { LoadFailure } from './load-failure.ts';

const NOT_PAID = 'Nothing has been paid in this window.';

/** The words of the page's side. What the customer reads most, the frame says, in the customer's language. */
export const messages = {
  lang: 'en',
  dir: 'ltr',
  dialog: 'Payment',
  frame: 'Secure payment',
  close: 'Close payment',
  pay: 'Pay',
  retry: 'Try again',
  unconfirmed:
    'The connection was lost while your payment is still being confirmed. Do not pay again yet. Try again to see the result, or close this: the shop will confirm it.',
  prepareFailed: `The shop could not prepare this payment. ${NOT_PAID} Try again, or ask the shop.`,
  failures: {
    offline: `You seem to be offline. ${NOT_PAID} Check your connection, then try again.`,
    unreachable: `The payment service cannot be reached. ${NOT_PAID} Try again in a moment.`,
    slow: `The payment form takes too long to load. ${NOT_PAID} Check your connection, then try again.`,
    policy: `This page blocks the payment form. ${NOT_PAID} Please tell the shop.`,
    refused: `The payment service did not open for this page. ${NOT_PAID} Try again, or tell the shop.`,
    outdated: `This page's payment script is too old. ${NOT_PAID} Please tell the shop.`,
    stopped: `The payment form stopped answering. ${NOT_PAID} Try again.`,
  } satisfies Record<LoadFailure, string>,
} as const;
