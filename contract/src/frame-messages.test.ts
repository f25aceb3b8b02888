import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  FRAME_MESSAGES,
  GREETING,
  LEAVE_WAYS,
  MONEY_STATES,
  OPENING,
  PAGE_MESSAGES,
  readMessage,
  readWindowMessage,
} from './frame-messages.ts';
import { LANGUAGES } from './languages.ts';

const ORIGIN = 'https://pay.example';
const frame = {} as MessageEventSource;
const ready = { type: 'service-pay:ready', versions: [1] };
const from = (origin: string, source: MessageEventSource | null, data: unknown = ready) => ({
  origin,
  source,
  data,
});

describe('a message between windows', () => {
  test('a message between windows is read from the expected origin and window', () => {
    expect(
      readWindowMessage(from(ORIGIN, frame), { origin: ORIGIN, source: frame }, GREETING),
    ).toEqual(ready);
  });

  test.each([
    'https://pay.example.evil.example',
    'http://pay.example',
    'https://pay.example:8443',
    'null',
    '',
    'https://PAY.example',
    '*',
  ])('a message between windows is dropped from %j (T23)', (origin) => {
    expect(
      readWindowMessage(from(origin, frame), { origin: ORIGIN, source: frame }, GREETING),
    ).toBeUndefined();
  });

  test('a message between windows is dropped if it comes from another window of the right origin, or if no window is expected (T24)', () => {
    const sibling = {} as MessageEventSource;

    expect(
      readWindowMessage(from(ORIGIN, sibling), { origin: ORIGIN, source: frame }, GREETING),
    ).toBeUndefined();
    expect(
      readWindowMessage(from(ORIGIN, null), { origin: ORIGIN, source: null }, GREETING),
    ).toBeUndefined();
  });

  test('a message between windows is not read before its sender is checked (T25)', () => {
    const hostile = {
      origin: 'https://evil.example',
      source: frame,
      get data(): unknown {
        throw new Error('looked at');
      },
    };

    expect(readWindowMessage(hostile, { origin: ORIGIN, source: frame }, GREETING)).toBeUndefined();
  });

  test('a message between windows opens the frame with a request and a theme', () => {
    const open = {
      type: 'service-pay:open',
      request: { key: 'pub_sandbox_demo' },
      theme: { accent: '#0b6b4f' },
    };

    expect(
      readWindowMessage(from(ORIGIN, frame, open), { origin: ORIGIN, source: frame }, OPENING),
    ).toEqual(open);
    expect(readMessage({ ...open, theme: 'dark' }, OPENING)).toBeUndefined();
    expect(readMessage({ ...open, request: null }, OPENING)).toBeUndefined();
  });
});

describe('a message over the port', () => {
  test.each(MONEY_STATES)('a message over the port reports that the money is %s', (state) => {
    expect(readMessage({ type: 'money', state }, FRAME_MESSAGES)).toEqual({ type: 'money', state });
  });

  test.each(LANGUAGES)('a message over the port reports that the customer reads %s', (language) => {
    expect(readMessage({ type: 'language', language }, FRAME_MESSAGES)).toEqual({
      type: 'language',
      language,
    });
    expect(
      readMessage({ type: 'language', language: `${language}/..` }, FRAME_MESSAGES),
    ).toBeUndefined();
  });

  test.each([
    ...Object.keys(FRAME_MESSAGES).filter(
      (type) => !['money', 'language', 'height'].includes(type),
    ),
  ])('a message over the port of the frame may be %s', (type) => {
    expect(readMessage({ type }, FRAME_MESSAGES)).toEqual({ type });
  });

  test.each(Object.keys(PAGE_MESSAGES).filter((type) => type !== 'noted'))(
    'a message over the port of the page may be %s',
    (type) => {
      expect(readMessage({ type }, PAGE_MESSAGES)).toEqual({ type });
    },
  );

  test.each([0, 412.5])('a message over the port reads a content height of %s pixels', (px) => {
    expect(readMessage({ type: 'height', px }, FRAME_MESSAGES)).toEqual({ type: 'height', px });
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1e9, '412', undefined])(
    'a message over the port is dropped if its height is %s',
    (px) => {
      expect(readMessage({ type: 'height', px }, FRAME_MESSAGES)).toBeUndefined();
    },
  );

  test.each(LEAVE_WAYS)('a message over the port requests to leave by %s', (by) => {
    expect(readMessage({ type: 'leave', by }, PAGE_MESSAGES)).toEqual({ type: 'leave', by });
    expect(readMessage({ type: 'leave', by: `${by}!` }, PAGE_MESSAGES)).toBeUndefined();
  });

  test('a message over the port may have a number that the page repeats when it has noted the message', () => {
    expect(readMessage({ type: 'money', state: 'paid', turn: 3 }, FRAME_MESSAGES)).toEqual({
      type: 'money',
      state: 'paid',
      turn: 3,
    });
    expect(
      readMessage({ type: 'money', state: 'paid', turn: '3' }, FRAME_MESSAGES),
    ).toBeUndefined();
    expect(readMessage({ type: 'noted', turn: 3 }, PAGE_MESSAGES)).toEqual({
      type: 'noted',
      turn: 3,
    });
    expect(readMessage({ type: 'noted' }, PAGE_MESSAGES)).toBeUndefined();
  });

  test('a message over the port drops members that its type does not have', () => {
    expect(
      readMessage({ type: 'close', reference: 'other', state: 'paid' }, FRAME_MESSAGES),
    ).toEqual({ type: 'close' });
  });

  test.each([
    ['a text', 'close'],
    ['nothing', null],
    ['a list', ['close']],
    ['5 MB', 'x'.repeat(5_000_000)],
    ['an unknown kind', { type: 'succeeded' }],
    ['a kind of every object', { type: 'constructor' }],
    ['a kind of the prototype', { type: '__proto__' }],
    ['a kind that is a list', { type: ['close'] }],
    ['no kind', { state: 'paid' }],
    ['a state that does not exist', { type: 'money', state: 'succeeded' }],
    ['a state only the prototype has', Object.create({ type: 'money', state: 'paid' })],
    ['versions that are no numbers', { type: 'service-pay:ready', versions: ['1'] }],
    ['a hundred versions', { type: 'service-pay:ready', versions: new Array(100).fill(1) }],
    ['a depth of 10 000', JSON.parse('['.repeat(10_000) + ']'.repeat(10_000))],
  ])('a message over the port is dropped where it is %s (T30)', (_what, data) => {
    expect(readMessage(data, { ...FRAME_MESSAGES, ...GREETING })).toBeUndefined();
  });

  test('a message over the port never throws, and is read as paid only if it says so, whatever its shape (T30)', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (data) => {
        const message = readMessage(data, FRAME_MESSAGES);
        return message === undefined || Object.hasOwn(FRAME_MESSAGES, message.type);
      }),
    );
  });
});
