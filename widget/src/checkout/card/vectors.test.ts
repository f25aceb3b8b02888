import { expect } from '@open-wc/testing';

import { findPhone } from '@service-pay/contract/phone';

import { NETWORKS } from '../test/stand-in-checkout.ts';
import { findExpiryProblem } from './expiry.ts';
import { isCardNumber } from './number.ts';

interface Vectors {
  cardNumbers: { text: string; digits: string | null }[];
  expiries: { text: string; now: string; problem: string | null }[];
  phones: { text: string; national: string | null }[];
}

describe('the forms', () => {
  let vectors: Vectors;

  before(async () => {
    vectors = await (await fetch('/contract/src/test-data/instrument-vectors.json')).json();
  });

  it('the forms accept and reject card numbers, expiry dates and phones as the service does (T44, T46)', () => {
    for (const { text, digits } of vectors.cardNumbers)
      expect(isCardNumber(text), text).to.equal(digits !== null);
    for (const { text, now, problem } of vectors.expiries)
      expect(findExpiryProblem(text, now) ?? null, `${text} at ${now}`).to.equal(
        text ? problem : 'expiry-missing',
      );
    for (const { text, national } of vectors.phones)
      expect(findPhone(text, NETWORKS)?.national ?? null, text).to.equal(national);
  });
});
