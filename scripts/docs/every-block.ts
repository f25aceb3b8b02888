import { expect, test } from 'vitest';
import { MarkedPage } from './marked-page.ts';

/**
 * Adds the last test of a file: it fails for a block of code on these pages that no test above has
 * copied. `snippets.test.ts` finds the pages by this call.
 */
export function expectEveryBlockRun(
  pages: readonly string[],
  cannotRunHere: readonly string[] = [],
): void {
  test.each(pages)('%s shows no code that the tests above do not run', (page) => {
    const uncopied = new MarkedPage(page).findUncopied();

    expect(uncopied.filter((name) => !cannotRunHere.includes(name))).toEqual([]);
  });
}
