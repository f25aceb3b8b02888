import { expect } from '@open-wc/testing';
import { CARD_BRANDS } from '@service-pay/contract/checkout-api';
import fc from 'fast-check';

import { findBrand, loadBrands } from './brand.ts';
import { findTypes } from './brand-table.ts';
import { digitsOf, formatCardNumber, isCardNumber } from './number.ts';

function edit(marked: string, before = '', deletion?: 'backward' | 'forward'): string {
  const { text, caret } = formatCardNumber(
    { text: marked.replace('|', ''), caret: marked.indexOf('|') },
    before,
    deletion,
  );
  return `${text.slice(0, caret)}|${text.slice(caret)}`;
}

describe('card number', () => {
  before(loadBrands);

  for (const brand of CARD_BRANDS)
    it(`a card number is recognised as one of ${brand}, which merchants may accept`, () => {
      expect(findTypes.getTypeInfo(brand)?.type).to.equal(brand);
    });

  for (const [typed, shown] of [
    ['4|', '4|'],
    ['4242|', '4242|'],
    ['42424|', '4242 4|'],
    ['4242424242424242|', '4242 4242 4242 4242|'],
    ['  4242-4242-4242-4242 |', '4242 4242 4242 4242|'],
    ['378282246310005|', '3782 822463 10005|'],
    ['42x42|', '4242|'],
    ['4242 4|42 4242', '4242 4|424 242'],
    ['|4242', '|4242'],
  ] as const) {
    it(`the number field groups "${typed}" as "${shown}", the caret after the same digit`, () => {
      expect(edit(typed)).to.equal(shown);
    });
  }

  it('the number field takes the digit before a gap with it when the gap is deleted backwards', () => {
    expect(edit('4242|4242', '4242 4242', 'backward')).to.equal('424|4 242');
  });

  it('the number field takes the digit after a gap with it when the gap is deleted forwards', () => {
    expect(edit('4242|4242', '4242 4242', 'forward')).to.equal('4242| 242');
  });

  for (const [typed, shown] of [
    ['４２４２４|２４２４２４２４２４２', '4242 4|242 4242 4242'],
    ['٤٢٤٢٤٢٤٢|٤٢٤٢٤٢٤٢', '4242 4242| 4242 4242'],
    ['\u202a4242\u200b4242|\u202c', '4242 4242|'],
    ['\ufeff42\u00a042\u00ad4|2', '4242 4|2'],
  ] as const) {
    it(`the number field shows "${typed}" as "${shown}", the caret after the same digit (T128)`, () => {
      expect(edit(typed)).to.equal(shown);
    });
  }

  it('the number field leaves other numerals as they are, and rejects them (T44)', () => {
    expect(edit('4242²|')).to.equal('4242²|');
    expect(isCardNumber('4242 4242 4242 424²')).to.equal(false);
  });

  it('the number field keeps a number that is too long for the check to reject, instead of cutting it (T44)', () => {
    expect(
      digitsOf(formatCardNumber({ text: '42424242424242424242', caret: 20 }).text),
    ).to.have.length(20);
    expect(isCardNumber('42424242424242424242')).to.equal(false);
  });

  it('the check of a card number takes the test numbers with blanks or dashes, and no other check digit (T44)', () => {
    expect(
      ['4242 4242 4242 4242', '5555-5555-5555-4444', '4000000000003220'].map(isCardNumber),
    ).to.deep.equal([true, true, true]);
    expect(['4242 4242 4242 4243', '424242424242', ''].map(isCardNumber)).to.deep.equal([
      false,
      false,
      false,
    ]);
  });

  it('the number field knows the brand, its code length, and when it does not know', () => {
    expect(findBrand('4242')?.type).to.equal('visa');
    expect(findBrand('37')).to.include({ type: 'american-express', codeLength: 4 });
    expect(findBrand('')).to.equal(undefined);
    expect(findBrand('99999')).to.equal(undefined);
  });

  it('the number field changes no digit and their order, whatever is typed, and formats its own result to itself', () => {
    const typed = fc
      .string({ unit: fc.constantFrom(...'0123456789 -') })
      .chain((text) => fc.record({ text: fc.constant(text), caret: fc.nat(text.length) }));
    fc.assert(
      fc.property(typed, ({ text, caret }) => {
        const once = formatCardNumber({ text, caret });
        expect(digitsOf(once.text)).to.equal(digitsOf(text).slice(0, 32));
        expect(formatCardNumber(once)).to.deep.equal(once);
        const before = Math.min(digitsOf(text.slice(0, caret)).length, 32);
        expect(digitsOf(once.text.slice(0, once.caret))).to.have.length(before);
      }),
    );
  });

  it('the check of a card number finds every wrong single digit by the check digit', () => {
    fc.assert(
      fc.property(fc.nat(15), fc.integer({ min: 1, max: 9 }), (place, by) => {
        const digits = Array.from('4242424242424242', Number);
        digits[place] = (digits[place]! + by) % 10;
        expect(isCardNumber(digits.join(''))).to.equal(false);
      }),
    );
  });
});
