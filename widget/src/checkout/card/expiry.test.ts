import { expect } from '@open-wc/testing';
import { toWireExpiry } from '@service-pay/contract/typed-attempt';
import fc from 'fast-check';

import { findExpiryProblem, formatExpiry } from './expiry.ts';

const NOW = '2026-11-20T10:00:00.000Z';

function type(text: string): string {
  let shown = '';
  for (const key of text) shown = formatExpiry({ text: shown + key, caret: shown.length + 1 }).text;
  return shown;
}

describe('expiry date', () => {
  for (const [keys, shown] of [
    ['1', '1'],
    ['12', '12/'],
    ['1234', '12/34'],
    ['12/34', '12/34'],
    ['5', '5'],
    ['5/', '05/'],
    ['534', '05/34'],
    ['134', '01/34'],
    ['13', '01/3'],
    ['52034', '05/2034'],
    ['227', '02/27'],
    ['1/34', '01/34'],
    ['12 / 34', '12/34'],
    ['122034', '12/2034'],
    ['ab12x34', '12/34'],
    ['2034-1', '2034/1'],
    ['2034-12', '12/34'],
    ['203412', '12/34'],
    ['34/12', '12/34'],
    ['34.1', '34/1'],
    ['１２３４', '12/34'],
    ['۱۲/۳۴', '12/34'],
    ['2034-12-01', '12/34/01'],
    ['12/20345', '12/20345'],
    ['1²', '1²'],
  ] as const) {
    it(`the expiry field shows "${shown}" while "${keys}" is typed`, () => {
      expect(type(keys)).to.equal(shown);
    });
  }

  it('the expiry field puts nothing back while the customer deletes', () => {
    expect(formatExpiry({ text: '12', caret: 2 }, true).text).to.equal('12');
  });

  it('an expiry date is good to the end of its month, by the clock of the service (T44)', () => {
    expect(findExpiryProblem('11/26', NOW)).to.equal(undefined);
    expect(findExpiryProblem('10/26', NOW)).to.equal('expiry-past');
    expect(findExpiryProblem('10/26', '2026-11-01T11:59:59.000Z')).to.equal(undefined);
    expect(findExpiryProblem('12/25', NOW)).to.equal('expiry-past');
  });

  it('the expiry field names what is wrong (T44)', () => {
    expect(
      ['', '13/30', '00/30', '1', '12/3', '1²/34', '12/1999', '12/34/01'].map((text) =>
        findExpiryProblem(text, NOW),
      ),
    ).to.deep.equal(['expiry-missing', ...Array(7).fill('expiry-invalid')]);
  });

  it('an expiry date is sent as two digits each, however it was written', () => {
    expect(['12/34', '1234', '12 / 2034', '5/30', '05-30'].map(toWireExpiry)).to.deep.equal([
      '12/34',
      '12/34',
      '12/34',
      '05/30',
      '05/30',
    ]);
  });

  for (const [pasted, shown] of [
    ['2034-12', '12/34'],
    ['12-2034', '12/2034'],
    ['3412', '12/34'],
    ['2034年12月', '12/34'],
    ['Exp. 12/34', '12/34'],
    ['\u200e12\u00a0/ 34\ufeff', '12/34'],
    ['2034-12-01', '2034/12/01'],
  ] as const) {
    it(`the expiry field shows "${shown}" for "${pasted}", pasted or filled in (T128)`, () => {
      expect(formatExpiry({ text: pasted, caret: pasted.length }).text).to.equal(shown);
    });
  }

  it('the expiry field reads every notation of a date that leaves one reading, typed or pasted (T128)', () => {
    const date = fc.record({
      month: fc.integer({ min: 1, max: 12 }),
      year: fc.integer({ min: 21, max: 99 }),
      gap: fc.stringMatching(/^[ \-/.,_:|\\–—−／]{1,3}$/),
    });
    fc.assert(
      fc.property(date, ({ month, year, gap }) => {
        const mm = String(month).padStart(2, '0');
        const anyWay = [
          ...[mm + gap + year, `${month}${gap}${year}`, mm + year, year + gap + mm],
          ...[`${mm}${gap}20${year}`, `${month}${gap}20${year}`, `${mm}20${year}`],
          ...[`20${year}${gap}${mm}`, `20${year}${gap}${month}`, `20${year}${mm}`],
        ];
        const pastedOnly = `${year}${mm}`;
        for (const text of [...anyWay, pastedOnly]) {
          const pasted = formatExpiry({ text, caret: text.length }).text;
          expect(toWireExpiry(pasted), `${text} pasted`).to.equal(`${mm}/${year}`);
        }
        for (const text of anyWay)
          expect(toWireExpiry(type(text)), `${text} typed`).to.equal(`${mm}/${year}`);
      }),
    );
  });

  it('the expiry field accepts every month from now on, and rejects every month before', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 99 }),
        (month, year) => {
          const text = `${String(month).padStart(2, '0')}/${String(year).padStart(2, '0')}`;
          expect(findExpiryProblem(type(text), NOW)).to.equal(
            year * 12 + month >= 26 * 12 + 11 ? undefined : 'expiry-past',
          );
        },
      ),
    );
  });
});
