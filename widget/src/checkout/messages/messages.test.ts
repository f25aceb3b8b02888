import { expect } from '@open-wc/testing';

import { en } from './en.ts';
import { findLanguage } from './messages.ts';

describe('language', () => {
  it('is the first wanted one that the frame speaks, English otherwise (D23)', () => {
    expect(findLanguage(['en-ZM', 'fr'])).to.deep.equal({ words: en, locale: 'en-ZM' });
    expect(findLanguage([undefined, 'xx', 'en-GB']).locale).to.equal('en-GB');
    expect(findLanguage([])).to.deep.equal({ words: en, locale: 'en' });
  });

  it('passes over what names no language (T22)', () => {
    for (const locale of ['../../x', '__proto__', 'constructor', 'e', 'x'.repeat(10_000)])
      expect(findLanguage([locale]).locale).to.equal('en');
  });
});
