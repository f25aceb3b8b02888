import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { toMarkdown } from './files.ts';
import { listGuides } from './guides.ts';

/**
 * Writes what language models read (https://llmstxt.org): the rules with a list of pages, and the
 * rules with every guide.
 */
export function writeForModels(folder: string): void {
  const { short, full } = describeForModels();
  writeFileSync(join(folder, 'llms.txt'), short);
  writeFileSync(join(folder, 'llms-full.txt'), full);
}

export function describeForModels(): { short: string; full: string } {
  const rules = toMarkdown('docs/.vitepress/llms.md');
  const lists = toMarkdown('docs/README.md').replace(/^[\s\S]*?(?=^## )/m, '');
  const pages = listGuides().flatMap(({ guides }) =>
    guides.flatMap((guide) => [guide, ...guide.parts]),
  );
  return {
    short: `${rules}\n${lists}`,
    full: [rules, ...pages.map(({ file }) => toMarkdown(file))].join('\n\n'),
  };
}
