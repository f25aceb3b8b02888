import { expect, test } from 'vitest';

import { readSection, SECTIONS } from './write-docs.ts';

test.each(SECTIONS)('$page has its $name as the source says', (section) => {
  expect(readSection(section), 'Run: node scripts/write-docs.ts').toBe(section.write());
});
