import { describe, expect, test } from 'vitest';

import { describeElement } from './element-docs.ts';

/** What pages rely on. */
const SURFACE = {
  attributes: [
    'public-key',
    'email',
    'reference',
    'amount',
    'currency',
    'label',
    'bearer',
    'channels',
    'locale',
    'service-url',
  ],
  members: [
    ...[
      'publicKey',
      'email',
      'reference',
      'amount',
      'currency',
      'label',
      'bearer',
      'channels',
      'locale',
      'serviceUrl',
    ],
    ...['customer', 'billing', 'prepare', 'pay', 'preload'],
  ],
  events: [
    'service-pay-success',
    'service-pay-close',
    'service-pay-confirmation-pending',
    'service-pay-error',
  ],
  cssParts: ['button', 'dialog', 'backdrop', 'close'],
  cssProperties: ['--service-pay-accent', '--service-pay-radius', '--service-pay-font'],
  slots: [''],
};

const element = describeElement();

describe("the element's documents", () => {
  test.each(Object.keys(SURFACE) as (keyof typeof SURFACE)[])(
    'name all its %s, and no other',
    (kind) => {
      const entries = element[kind] ?? [];

      expect(entries.map(({ name }) => name).sort()).toEqual([...SURFACE[kind]].sort());
      expect(entries.filter(({ description }) => !description)).toEqual([]);
    },
  );
});
