import * as v from 'valibot';
import { describe, expect, test } from 'vitest';

import {
  ERROR_CODES,
  envelopeSchema,
  errorEnvelopeSchema,
  listEnvelopeSchema,
  metaSchema,
} from './envelope.ts';

const thing = v.object({ id: v.string() });

describe('the error codes', () => {
  test.each([
    ['01', 400],
    ['02', 400],
    ['03', 400],
    ['04', 400],
    ['05', 400],
    ['06', 400],
    ['07', 400],
    ['08', 400],
    ['12', 400],
    ['09', 401],
    ['13', 401],
    ['11', 404],
    ['10', 500],
  ] as const)('%s travels with %i (D38)', (code, httpStatus) => {
    expect(ERROR_CODES[code].httpStatus).toBe(httpStatus);
  });

  test('are the thirteen of the specification (section 7)', () => {
    expect(Object.keys(ERROR_CODES).sort()).toEqual(
      Array.from({ length: 13 }, (_, at) => String(at + 1).padStart(2, '0')),
    );
    expect(ERROR_CODES['04'].meaning).toBe('Invalid or duplicate reference.');
    expect(ERROR_CODES['12'].meaning).toBe('Invalid mobile number.');
  });
});

describe('the envelope', () => {
  test('the envelope drops members it does not know (D46)', () => {
    const response = { status: true, message: '', data: { id: 'a', colour: 'red' }, traceId: 'x' };

    expect(v.parse(envelopeSchema(thing), response)).toEqual({
      status: true,
      message: '',
      data: { id: 'a' },
    });
  });

  test.each([
    { status: false, message: '', data: { id: 'a' } },
    { status: 'true', message: '', data: { id: 'a' } },
    { status: true, message: '' },
    { status: true, data: { id: 'a' } },
    { status: true, message: '', data: null },
    { status: true, message: '', data: [] },
    null,
    [],
    'OK',
  ])('the envelope is no success in %j (T97)', (response) => {
    expect(v.is(envelopeSchema(thing), response)).toBe(false);
  });

  test('the envelope of a list contains its pages (specification 2.2)', () => {
    const meta = { total: 101, perPage: 100, currentPage: 2, pageCount: 2 };
    const response = { status: true, message: '', data: [{ id: 'a' }], meta };

    expect(v.parse(listEnvelopeSchema(thing), response)).toEqual(response);
    expect(v.is(listEnvelopeSchema(thing), { ...response, meta: undefined })).toBe(false);
    expect(v.is(metaSchema, { ...meta, total: '101' })).toBe(false);
  });

  test.each([
    { status: false, message: 'No.' },
    { status: false, message: 'No.', errorCode: '01' },
    { status: false, message: 'No.', errorCode: '77' },
    { status: false, message: 'No.', errorCode: '01', data: null },
    {
      status: false,
      message: 'No.',
      errorCode: '01',
      data: { problems: [{ path: 'card.number', code: 'card-number-invalid', message: 'No.' }] },
    },
  ])('the envelope of an error is read from %j (specification 2.2)', (response) => {
    expect(v.parse(errorEnvelopeSchema, response)).toEqual(response);
  });
});
