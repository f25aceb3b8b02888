import { en, type FirstWords } from './en.ts';
import { enScreens } from './en-screens.ts';

/** The frame's words in a loaded language. A missing word does not compile. */
export type Messages = FirstWords & typeof enScreens;

/** English with the words of the later screens, which this file adds to those of the first form. */
export const ENGLISH_WORDS: Messages = Object.assign(en, enScreens, {
  problems: Object.assign(en.problems, enScreens.problems),
});

/** Returns the words of any catalogue with all that are there since this file is loaded. */
export function allWords(words: FirstWords): Messages {
  return words as Messages;
}
