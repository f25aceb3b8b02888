import { expect } from '@open-wc/testing';
import { LANGUAGES } from '@service-pay/contract/languages';

import { allWords } from './all-words.ts';
import { ENGLISH, loadCatalogue } from './messages.ts';

const SAME_IN_ENGLISH = ['E-mail', 'Mobile money', 'MM / YY', 'Total'];

const ARGUMENTS = ['ARGUMENT-ONE', 'ARGUMENT-TWO', 'ARGUMENT-THREE'] as const;

/** Lists every text of a catalogue by its path. Functions are called with `ARGUMENTS`. */
function textsOf(messages: object, path = ''): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [name, value] of Object.entries(messages)) {
    const at = `${path}${name}`;
    if (typeof value === 'string') texts.set(at, value);
    else if (typeof value === 'function') texts.set(at, value(...ARGUMENTS));
    else for (const [inner, text] of textsOf(value, `${at}.`)) texts.set(inner, text);
  }
  return texts;
}

describe('the words of the frame', () => {
  const english = textsOf(ENGLISH.words);

  for (const language of LANGUAGES.filter((each) => each !== 'en')) {
    it(`the words of the frame are all there in ${language}, in its own words, with all they are made from`, async () => {
      const { words } = await loadCatalogue(language);
      const texts = textsOf(words);

      expect([...texts.keys()]).to.have.members([...english.keys()]);
      for (const [path, text] of texts) {
        const original = english.get(path)!;
        expect(text.trim(), path).not.to.equal('');
        expect(text, `${path}: no exclamation`).not.to.match(/[!¡]/);
        if (!SAME_IN_ENGLISH.includes(original)) expect(text, path).not.to.equal(original);
        for (const given of ARGUMENTS)
          expect(text.includes(given), `${path} names ${given}`).to.equal(original.includes(given));
        // Error codes, counts of digits and test cards are the same everywhere.
        const numbers = (of: string) => of.match(/\d{2,}/g) ?? [];
        expect(numbers(text), path).to.deep.equal(numbers(original));
      }
    });

    it(`the words of the frame count in ${language} as in English`, async () => {
      const words = allWords((await loadCatalogue(language)).words);

      expect(words.codeWrong(1)).not.to.equal(words.codeWrong(2));
      for (const left of [2, 3, 11]) {
        expect(words.codeWrong(left)).to.include(`${left}`);
      }
      expect(words.securityCodeHint(3)).not.to.equal(words.securityCodeHint(4));
    });

    it(`the words of the frame name no control in ${language} after a field`, async () => {
      const words = allWords((await loadCatalogue(language)).words);
      const fields = [
        words.cardNumber,
        words.expiryDate,
        words.securityCode,
        words.nameOnCard,
        words.phoneNumber,
        words.code,
      ];
      const controls = [
        words.language,
        words.confirm,
        words.tryAgain,
        ...Object.values({ ...words.leaving, typed: words.leavingTyped }).flatMap(
          ({ stay, leave }) => [stay, leave],
        ),
        words.sendAgain,
        words.useAnotherOrCard,
        words.sendNewCode,
        words.receipt.copy,
        words.done,
        words.pay('1'),
      ];

      for (const control of controls)
        for (const field of fields) expect(control).not.to.include(field);
    });
  }

  it('the words of the frame are requested by any spelling of a language, and amounts follow its region (D23)', async () => {
    expect(await loadCatalogue('en-ZM')).to.deep.equal({
      language: 'en',
      locale: 'en-ZM',
      words: ENGLISH.words,
    });
    const { language, locale } = await loadCatalogue('fr_CA');
    expect([language, locale]).to.deep.equal(['fr', 'fr-CA']);
  });

  it('the words of the frame are English for what names no language, and no name breaks `Intl` (T22)', async () => {
    for (const name of ['../../x', '__proto__', 'constructor', 'e', 'x'.repeat(10_000)]) {
      const { language } = await loadCatalogue(name);
      expect(language).to.equal('en');
    }
    const { language, locale } = await loadCatalogue('fr-!!');
    expect([language, locale]).to.deep.equal(['fr', 'fr']);
  });
});
