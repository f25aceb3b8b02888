import { DATABASES } from '@service-pay/server/testing';
import { expect, test } from 'vitest';
import { checkTemplate } from './check-template.ts';

const PATIENT_MS = 10 * 60_000;

test.each(DATABASES)(
  'a whole check-shop finds no fault in the template, on %s',
  { timeout: PATIENT_MS },
  async (kind) => {
    expect(await checkTemplate([], kind)).toEqual([]);
  },
);
