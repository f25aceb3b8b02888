import { expect } from '@open-wc/testing';

import { findCountry } from './country.ts';

describe('country', () => {
  it('a country is found by its two letters or its name', () => {
    expect(
      [
        'ZM',
        'zm',
        ' Zambia ',
        'zambia',
        'United States',
        'malawi',
        'Zambie',
        'Moçambique',
        'زامبيا',
      ].map((text) => findCountry(text)),
    ).to.deep.equal(['ZM', 'ZM', 'ZM', 'ZM', 'US', 'MW', 'ZM', 'MZ', 'ZM']);
  });

  it('a country is not guessed', () => {
    expect(['', 'Z', 'QQ', 'Atlantis', '12'].map((text) => findCountry(text))).to.deep.equal(
      Array(5).fill(undefined),
    );
  });
});
