import fc from 'fast-check';
import * as v from 'valibot';
import { afterEach, describe, expect, test } from 'vitest';

import { readPaymentOptions } from './payment-request.ts';
import { paymentRequestSchema, referenceSchema } from './payment-request-schema.ts';

const GOOD = {
  key: 'pub_sandbox_demo',
  email: 'ada@example.com',
  reference: 'ref-1',
  amount: 10.75,
};

const pathsOf = (options: unknown) => readPaymentOptions(options).problems.map(({ path }) => path);

describe('valid options', () => {
  test('valid options become a request with the amount as a decimal', () => {
    const { request, problems, unknown } = readPaymentOptions(GOOD);

    expect(problems).toEqual([]);
    expect(unknown).toEqual([]);
    expect(request).toEqual({ ...GOOD, amount: '10.75' });
  });

  test('valid options keep all 21 members (specification 2.1)', () => {
    const onSuccess = () => undefined;
    const onClose = () => undefined;
    const onConfirmationPending = () => undefined;
    const details = {
      currency: 'ZMW',
      label: 'Spring sale',
      bearer: 'customer',
      channels: ['mobile-money', 'card'],
      customer: { firstName: 'Ada', lastName: 'Banda', phone: '0961111111' },
      billing: {
        streetAddress: '1 Cairo Road',
        city: 'Lusaka',
        state: 'Lusaka',
        postalCode: '10101',
        country: 'ZM',
      },
    };

    const read = readPaymentOptions({
      ...GOOD,
      ...details,
      onSuccess,
      onClose,
      onConfirmationPending,
    });

    expect(read.problems).toEqual([]);
    expect(read.unknown).toEqual([]);
    expect(read.request).toEqual({ ...GOOD, amount: '10.75', ...details });
    expect(read.callbacks).toEqual({ onSuccess, onClose, onConfirmationPending });
  });

  test('valid options become a request that the wire schema accepts', () => {
    const { request } = readPaymentOptions({
      ...GOOD,
      channels: ['card', 'card'],
      customer: { phone: 961111111 },
      billing: { country: 'zm' },
    });

    expect(v.parse(paymentRequestSchema, request)).toEqual(request);
    expect(request.channels).toEqual(['card']);
  });

  test.each([
    ['an object that cannot be changed', Object.freeze({ ...GOOD })],
    ['a reactive proxy', new Proxy({ ...GOOD }, {})],
    ['an object without a prototype', Object.assign(Object.create(null), GOOD)],
    [
      'a class instance with getters',
      new (class Order {
        key = GOOD.key;
        email = GOOD.email;
        reference = GOOD.reference;
        get amount() {
          return 10.75;
        }
      })(),
    ],
    [
      'an instance of a class that extends another',
      new (class extends class {
        key = GOOD.key;
        get email() {
          return GOOD.email;
        }
      } {
        reference = GOOD.reference;
        amount = '10.75';
      })(),
    ],
  ])('valid options may be %s (T4, U17)', (_what, options) => {
    expect(readPaymentOptions(options)).toMatchObject({
      problems: [],
      request: { ...GOOD, amount: '10.75' },
    });
  });

  test('valid options are read once, so that later changes have no effect (T4)', () => {
    let reads = 0;
    const options = {
      ...GOOD,
      get label() {
        reads += 1;
        return `label ${reads}`;
      },
    };

    expect(readPaymentOptions(options).request.label).toBe('label 1');
    expect(reads).toBe(1);
  });

  test.each([null, undefined, ''])(
    'valid options may hold %j in every optional member (D7, D27)',
    (nothing) => {
      const optional = [
        'currency',
        'label',
        'bearer',
        'channels',
        'customer',
        'billing',
        'locale',
        'onSuccess',
        'onClose',
        'onConfirmationPending',
      ];
      const options = { ...GOOD, ...Object.fromEntries(optional.map((name) => [name, nothing])) };

      expect(readPaymentOptions(options)).toMatchObject({ problems: [], unknown: [] });
      expect(readPaymentOptions(options).request).toEqual({ ...GOOD, amount: '10.75' });
    },
  );

  test('valid options may have an empty list instead of an object, and an empty list of channels (D7, U12, U14)', () => {
    const { request, problems } = readPaymentOptions({
      ...GOOD,
      customer: [],
      billing: [],
      channels: [],
    });

    expect(problems).toEqual([]);
    expect(request).toEqual({ ...GOOD, amount: '10.75' });
  });

  test('valid options may have empty and null details, which count as absent (U12)', () => {
    const { request } = readPaymentOptions({
      ...GOOD,
      customer: { firstName: '', lastName: null, phone: undefined },
      billing: { city: '' },
    });

    expect(request).toEqual({ ...GOOD, amount: '10.75' });
  });

  test.each(['123', 'call me', '+260 96 111-1111', {}, [], true])(
    'valid options may have the phone %j, because it only fills in the form (D27, U13)',
    (phone) => {
      expect(pathsOf({ ...GOOD, customer: { phone } })).toEqual([]);
    },
  );

  test('valid options have long texts cut at 120 characters, whole characters only (D27)', () => {
    const { request } = readPaymentOptions({
      ...GOOD,
      label: '🎁'.repeat(200),
      customer: { phone: '9'.repeat(10_000_000) },
    });

    expect(Array.from(request.label ?? '')).toHaveLength(120);
    expect(request.customer?.phone).toHaveLength(120);
  });

  test('valid options list unknown members (D5, U8, U12)', () => {
    const { problems, unknown } = readPaymentOptions({
      ...GOOD,
      metadata: {},
      onError: 'x',
      customer: { name: 'Ada' },
      billing: { zip: '1' },
    });

    expect(problems).toEqual([]);
    expect(unknown).toEqual(['metadata', 'onError', 'customer.name', 'billing.zip']);
  });
});

describe('a broken option', () => {
  test.each([
    ['key', { key: undefined }],
    ['key', { key: '' }],
    ['key', { key: 5 }],
    ['key', { key: 'pub demo' }],
    ['key', { key: 'p'.repeat(129) }],
    ['email', { email: undefined }],
    ['email', { email: null }],
    ['reference', { reference: undefined }],
    ['reference', { reference: 5 }],
    ['amount', { amount: undefined }],
    ['amount', { amount: null }],
    ['amount', { amount: '' }],
    ['currency', { currency: 'zmw' }],
    ['currency', { currency: 'K' }],
    ['currency', { currency: 967 }],
    ['label', { label: 5 }],
    ['label', { label: 10n }],
    ['label', { label: 'x'.repeat(10_000_000) }],
    ['bearer', { bearer: 'shop' }],
    ['bearer', { bearer: 'Merchant' }],
    ['channels', { channels: 'card' }],
    ['channels', { channels: ['mobile_money'] }],
    ['channels', { channels: ['card', 'bank'] }],
    ['channels', { channels: {} }],
    ['channels', { channels: [null] }],
    ['customer', { customer: 'Ada' }],
    ['customer', { customer: ['Ada'] }],
    ['customer.firstName', { customer: { firstName: {} } }],
    ['billing', { billing: 5 }],
    ['billing.city', { billing: { city: 5 } }],
    ['billing.country', { billing: { country: 'ZMB' } }],
    ['billing.country', { billing: { country: 'Z1' } }],
    ['billing.state', { billing: { country: 'US', state: 'California' } }],
    ['billing.state', { billing: { country: 'ca', state: 'Ontario' } }],
    ['onSuccess', { onSuccess: 'paid()' }],
    ['onClose', { onClose: {} }],
    ['onConfirmationPending', { onConfirmationPending: 1 }],
  ])('a broken option has its problem at %s: %o (D4, D7, D27)', (path, broken) => {
    expect(pathsOf({ ...GOOD, ...broken })).toEqual([path]);
  });

  test.each([
    Number.NaN,
    Number.POSITIVE_INFINITY,
    0,
    -1,
    10.001,
    1.005,
    1e21,
    '1e3',
    '10,50',
    ' 10 ',
    '',
    null,
    [5],
    true,
    '1,234.50',
    'K10',
    {},
    1e15,
  ])('a broken option has its problem at amount: %s (T5, U10)', (amount) => {
    expect(pathsOf({ ...GOOD, amount })).toEqual(['amount']);
  });

  test.each([
    '',
    '.',
    '..',
    'a'.repeat(129),
    'a'.repeat(5000),
    'a/b',
    'a b',
    'é',
    'ｒｅｆ１',
    '\u212A',
    'ref\n',
    'a@b',
    '%2e',
    'a\0b',
  ])('a broken option has its problem at reference: %j (T6, D9)', (reference) => {
    expect(pathsOf({ ...GOOD, reference })).toEqual(['reference']);
    expect(v.is(referenceSchema, reference)).toBe(false);
  });

  test.each(['...', 'a.b', '__proto__', 'constructor', '-', '_', 'REF', 'a'.repeat(128)])(
    'a broken option is not the reference %j (T6)',
    (reference) => {
      expect(readPaymentOptions({ ...GOOD, reference })).toMatchObject({
        problems: [],
        request: { reference },
      });
      expect(v.is(referenceSchema, reference)).toBe(true);
    },
  );

  test.each(['sec_sandbox_demo', 'sk_live_1', 'SEC_sandbox_demo', 'Sk_test_1'])(
    'a broken option is a secret as key, which is never printed: %s (D10, T7, U18)',
    (key) => {
      const { problems } = readPaymentOptions({ ...GOOD, key });

      expect(problems.map(({ path }) => path)).toEqual(['key']);
      expect(JSON.stringify(problems)).not.toContain(key);
    },
  );

  test.each([
    'ada',
    '@example.com',
    'ada@',
    'a@b@c',
    'a b@c',
    'ada@ex\nample.com',
    'ada@example.com\r\nBcc: x',
    'a\0@b',
    `${'a'.repeat(250)}@b.co`,
  ])('a broken option has its problem at email: %j (D27)', (email) => {
    expect(pathsOf({ ...GOOD, email })).toEqual(['email']);
  });

  test.each(['a@b', 'ada+shop@example.com', 'ada@bücher.example', '"ada"@example.com'])(
    'a broken option is not the e-mail %j (D27)',
    (email) => {
      expect(pathsOf({ ...GOOD, email })).toEqual([]);
    },
  );

  test('a broken option has no mark in its e-mail that nobody sees, in a page and on a wire (T128)', () => {
    for (const mark of ['\u200b', '\u200e', '\u202a', '\u2068', '\ufeff', '\u00ad', '\ufe0f']) {
      const email = `${mark}ada${mark}@example.com${mark}`;

      const { request, problems } = readPaymentOptions({ ...GOOD, email });
      expect([request.email, problems]).toEqual([GOOD.email, []]);
      expect(v.parse(paymentRequestSchema, { ...GOOD, amount: '10.75', email }).email).toBe(
        GOOD.email,
      );
    }
    expect(pathsOf({ ...GOOD, email: '\u200b@\u200b' })).toEqual(['email']);
  });

  test('a broken option names the character that a reference must not contain (U19)', () => {
    const [problem] = readPaymentOptions({ ...GOOD, reference: 'ada@example.com' }).problems;

    expect(problem?.message).toContain('"@"');
  });

  test('a broken option names the known channels (U14) and the three capital letters of a currency (U15)', () => {
    const [channels] = readPaymentOptions({ ...GOOD, channels: ['bank'] }).problems;
    const [currency] = readPaymentOptions({ ...GOOD, currency: 'zmw' }).problems;

    expect(channels?.message).toMatch(/"card" and "mobile-money"/);
    expect(currency?.message).toMatch(/three capital letters/);
  });

  test('a broken option is reported together with all others (D4)', () => {
    expect(pathsOf({ currency: 'K', billing: { country: 'Zambia' }, onSuccess: 1 }).sort()).toEqual(
      ['amount', 'billing.country', 'currency', 'email', 'key', 'onSuccess', 'reference'].sort(),
    );
  });

  test.each([undefined, null, 5, 'pub_sandbox_demo', [], true])(
    'a broken option may be the options themselves: %j (D4)',
    (options) => {
      expect(pathsOf(options)).toEqual(['options']);
    },
  );
});

describe('hostile options', () => {
  afterEach(() => {
    for (const name of ['key', 'onSuccess', 'origin', 'label'])
      Reflect.deleteProperty(Object.prototype, name);
  });

  test('hostile options with a key on a parsed __proto__ have no key (T3)', () => {
    const options = JSON.parse(
      `{"__proto__":{"key":"evil"},"email":"ada@example.com","reference":"r","amount":1}`,
    );

    expect(pathsOf(options)).toEqual(['key']);
  });

  test('hostile options ignore members that another script added to Object.prototype (T3)', () => {
    const foreign = () => undefined;
    Object.assign(Object.prototype, { key: 'evil', onSuccess: foreign, label: 'evil' });

    const { problems, callbacks, request } = readPaymentOptions({
      email: 'ada@example.com',
      reference: 'r',
      amount: 1,
    });

    expect(problems.map(({ path }) => path)).toEqual(['key']);
    expect(Object.hasOwn(callbacks, 'onSuccess')).toBe(false);
    expect(Object.hasOwn(request, 'label')).toBe(false);
  });

  test('hostile options with a getter that throws have one problem at its path (T4)', () => {
    const options = {
      ...GOOD,
      get key() {
        throw new Error('mine');
      },
      get label() {
        throw new Error('mine');
      },
    };

    expect(pathsOf(options)).toEqual(['key', 'label']);
  });

  test('hostile options may contain themselves (T4)', () => {
    const options: Record<string, unknown> = { ...GOOD };
    options['customer'] = options;
    options['label'] = options;

    expect(pathsOf(options)).toEqual(['label']);
  });

  const gone = Proxy.revocable({}, {});
  gone.revoke();
  test.each([
    ['options', () => gone.proxy],
    ['customer', () => ({ ...GOOD, customer: gone.proxy })],
    ['billing', () => ({ ...GOOD, billing: gone.proxy })],
    ['channels', () => ({ ...GOOD, channels: gone.proxy })],
    ['channels', () => ({ ...GOOD, channels: new Proxy(['card'], { get: thrower }) })],
  ])('hostile options that cannot be read have their problem at %s (T4)', (path, options) => {
    expect(pathsOf(options())).toEqual([path]);
  });

  test('hostile options are read even if their members cannot be listed (T4)', () => {
    expect(pathsOf(new Proxy({ ...GOOD }, { ownKeys: thrower }))).toEqual([]);
  });

  test('hostile options never throw and never appear in a message, whatever their shape (D4)', () => {
    fc.assert(
      fc.property(
        fc.object({
          key: fc.constantFrom(
            ...Object.keys(GOOD),
            'customer',
            'billing',
            'channels',
            '__proto__',
            'x',
          ),
        }),
        (options) => {
          const { problems } = readPaymentOptions(options);
          return problems.every(({ path, message }) => path.length > 0 && message.startsWith(path));
        },
      ),
    );
  });
});

function thrower(): never {
  throw new Error('mine');
}
