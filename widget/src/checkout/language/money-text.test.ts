import { expect } from '@open-wc/testing';
import fc from 'fast-check';

import { formatMoney } from './money-text.ts';

describe('money as text', () => {
  it('an amount as text names the currency by its code and never loses a place', () => {
    expect(formatMoney('10', 'ZMW', 'en')).to.equal('ZMW 10.00');
    expect(formatMoney('1510.5', 'MWK', 'en')).to.equal('MWK 1,510.50');
    expect(formatMoney('10.75', 'RWF', 'en')).to.equal('RWF 10.75');
    expect(formatMoney('1000.00', 'JPY', 'en')).to.equal('JPY 1,000');
    expect(formatMoney('9007199254740993.01', 'ZMW', 'en')).to.equal(
      'ZMW 9,007,199,254,740,993.01',
    );
  });

  it('an amount as text is written as the language does, in the digits of cards and phones, and keeps its direction among Arabic words', () => {
    expect(formatMoney('1510.5', 'MWK', 'fr').replace(/\s/g, ' ')).to.equal('1 510,50 MWK');
    expect(formatMoney('10', 'ZMW', 'pt-MZ')).to.contain('10,00');
    for (const locale of ['ar', 'ar-EG', 'ar-u-nu-arab'])
      expect(formatMoney('10.75', 'ZMW', locale)).to.match(/^\u2066[ -~]+\u2069$/);
  });

  it('an amount as text shows every decimal digit for digit', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 15n }),
        fc.integer({ min: 0, max: 99 }),
        (whole, places) => {
          const decimal = `${whole}.${String(places).padStart(2, '0')}`;
          expect(formatMoney(decimal, 'ZMW', 'en').replace(/[^0-9.]/g, '')).to.equal(decimal);
        },
      ),
    );
  });
});
