import { expect, test } from 'vitest';
import { MarkedPage } from './marked-page.ts';

/**
 * Adds the last test of a file: it fails for a block of code on these pages that no test above has
 * copied. `snippets.test.ts` finds the pages by this call. `runElsewhere` names blocks that another
 * file runs, or that cannot run here; a name that ends in `/` is a folder.
 */
export function expectEveryBlockRun(
  pages: readonly string[],
  runElsewhere: readonly string[] = [],
): void {
  test.each(pages)('%s shows no code that the tests above do not run', (page) => {
    const uncopied = new MarkedPage(page).findUncopied();

    const isElsewhere = (name: string) =>
      runElsewhere.some((other) => (other.endsWith('/') ? name.startsWith(other) : name === other));
    expect(uncopied.filter((name) => !isElsewhere(name))).toEqual([]);
  });
}
