import { expect, test } from 'vitest';

import { readSection, SECTIONS } from './write-docs.ts';

test.each(SECTIONS)('$page has its $name as the source says', (section) => {
  const texts = readSection(section);

  expect(texts.length).toBeGreaterThan(0);
  for (const text of texts)
    expect(text, 'Write it anew: node scripts/write-docs.ts').toBe(section.write());
});
