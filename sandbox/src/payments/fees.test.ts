import fc from 'fast-check';
import { expect, test } from 'vitest';

import { chargeFor } from './fees.ts';

test.each([
  ['10.00', '0.25'],
  ['8.20', '0.21'],
  ['0.01', '0.00'],
  ['0.20', '0.01'],
  ['0.19', '0.00'],
  ['1234.50', '30.86'],
])('the fee of %s is %s (D36)', (amount, fee) => {
  expect(chargeFor({ amount, currency: 'ZMW' }, 'merchant').fee).toBe(fee);
});

test('the fee is whole in a currency without decimals (D48)', () => {
  expect(chargeFor({ amount: '1030.00', currency: 'JPY' }, 'customer')).toEqual({
    fee: '26.00',
    total: '1056.00',
    settled: '1030.00',
  });
});

test('the parts of a payment add up to the cent, whoever bears the fee (D36)', () => {
  const cents = (decimal: string) => BigInt(decimal.replace('.', ''));
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 15n - 1n }),
      fc.constantFrom('merchant' as const, 'customer' as const),
      (amount, bearer) => {
        const text = `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`;
        const { fee, total, settled } = chargeFor({ amount: text, currency: 'ZMW' }, bearer);

        expect(cents(fee)).toBe((amount * 25n + 500n) / 1000n);
        expect(cents(total) - cents(settled)).toBe(cents(fee));
        expect(bearer === 'customer' ? settled : total).toBe(text);
      },
    ),
  );
});
