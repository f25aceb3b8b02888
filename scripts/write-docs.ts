import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { writeCalls } from './docs/api-docs.ts';
import { describeElement, toTables } from './docs/element-docs.ts';
import { writeCodes } from './docs/error-docs.ts';
import { writeScenarios } from './docs/scenario-docs.ts';
import { ROOT } from './programs/run-tool.ts';

/**
 * A part of a page that is made from the source. It stands between `<!-- name: … -->` and `<!--
 * /name -->`.
 */
export interface Section {
  readonly page: string;
  readonly name: string;
  readonly write: () => string;
}

const writeElement = () => toTables(describeElement());

export const SECTIONS: readonly Section[] = [
  { page: 'docs/element.md', name: 'element', write: writeElement },
  { page: 'widget/README.md', name: 'element', write: writeElement },
  { page: 'docs/api.md', name: 'calls', write: writeCalls },
  { page: 'docs/errors.md', name: 'codes', write: writeCodes },
  { page: 'docs/scenarios.md', name: 'scenarios', write: writeScenarios },
  ...findIncludes(),
];

if (import.meta.main) {
  for (const { page, name, write } of SECTIONS) {
    const file = join(ROOT, page);
    writeFileSync(file, readFileSync(file, 'utf8').replace(patternOf(name), write));
  }
}

/** Reads a part from its page, once for each place where it occurs. */
export function readSection({ page, name }: Section): string[] {
  return readFileSync(join(ROOT, page), 'utf8').match(patternOf(name)) ?? [];
}

/**
 * Finds the files of `docs/_include/` that pages repeat: `<!-- install-today: … -->` on any page of
 * `docs/` or README takes `docs/_include/install-today.md`.
 */
function findIncludes(): Section[] {
  const includes = globSync('docs/_include/*.md', { cwd: ROOT }).sort();
  const pages = globSync(['docs/**/*.md', '{.,*}/README.md'], { cwd: ROOT })
    .filter((page) => !includes.includes(page))
    .sort();
  return pages.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    return includes
      .map((file) => ({ file, name: file.replace(/^.*\/|\.md$/g, '') }))
      .filter(({ name }) => text.includes(`<!-- ${name}: `))
      .map(({ file, name }) => ({
        page,
        name,
        write: () => readFileSync(join(ROOT, file), 'utf8'),
      }));
  });
}

function patternOf(name: string): RegExp {
  return new RegExp(`(?<=<!-- ${name}: .+ -->\\n)[\\s\\S]*?(?=<!-- /${name} -->)`, 'g');
}
