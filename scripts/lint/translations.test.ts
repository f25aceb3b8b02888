import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LANGUAGES } from '@service-pay/contract/languages';
import { en, enScreens, messages } from '@service-pay/widget/documented';
import { expect, test } from 'vitest';

const FRAME = { ...en, ...enScreens, problems: { ...en.problems, ...enScreens.problems } };

/** The arguments that reach every branch of a sentence. */
const ARGUMENTS = [['ONE', 'TWO'], [1], [4], ['260'], ['Airtel']] as const;

/** Lists every English sentence by its path, with those that a function returns joined. */
function sentencesOf(words: object, path = ''): [string, string][] {
  return Object.entries(words).flatMap(([name, value]) => {
    const at = `${path}${name}`;
    if (typeof value === 'object') return sentencesOf(value, `${at}.`);
    const text = typeof value === 'string' ? [value] : ARGUMENTS.map((given) => value(...given));
    return [[at, text.join('\n')]];
  });
}

function hashOf(sentence: string): string {
  return createHash('sha256').update(sentence).digest('hex').slice(0, 8);
}

/**
 * Beside each translation lies the hash of the English that it was made from. Translate a sentence
 * that this test names again, and then write down the hash that it expects.
 */
for (const language of LANGUAGES.filter((each) => each !== 'en')) {
  const file = `widget/src/checkout/language/messages/${language}.english.json`;
  const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  const translated = JSON.parse(readFileSync(path, 'utf8'));
  for (const [part, words] of Object.entries({ frame: FRAME, page: messages }))
    test(`every sentence of the ${part} in ${language} was translated from today's English`, () => {
      const hashes: Record<string, string> = translated[part];
      const sentences = sentencesOf(words);
      const stale = sentences
        .filter(([at, sentence]) => hashes[at] !== hashOf(sentence))
        .map(([at, sentence]) => `"${at}": "${hashOf(sentence)}" for: ${sentence}`);
      expect(stale, `translate these again, and then write their lines into ${file}`).toEqual([]);
      expect(Object.keys(hashes)).toHaveLength(sentences.length);
    });
}
