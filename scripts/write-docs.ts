import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { writeCalls } from './docs/api-docs.ts';
import { describeElement, toTables } from './docs/element-docs.ts';
import { writeCodes } from './docs/error-docs.ts';
import { writeScenarios } from './docs/scenario-docs.ts';
import { ROOT } from './programs/run-tool.ts';

/**
 * A part of a page that is made from the source, between `<!-- name: … -->` and `<!-- /name -->`.
 */
export interface Section {
  readonly page: string;
  readonly name: string;
  readonly write: () => string;
}

export const SECTIONS: readonly Section[] = [
  { page: 'docs/element.md', name: 'element', write: () => toTables(describeElement()) },
  { page: 'docs/api.md', name: 'calls', write: writeCalls },
  { page: 'docs/errors.md', name: 'codes', write: writeCodes },
  { page: 'docs/scenarios.md', name: 'scenarios', write: writeScenarios },
];

if (import.meta.main) {
  for (const { page, name, write } of SECTIONS) {
    const file = join(ROOT, page);
    writeFileSync(file, readFileSync(file, 'utf8').replace(patternOf(name), write));
  }
}

/** Reads a part from its page. */
export function readSection({ page, name }: Section): string | undefined {
  return patternOf(name).exec(readFileSync(join(ROOT, page), 'utf8'))?.[0];
}

function patternOf(name: string): RegExp {
  return new RegExp(`(?<=<!-- ${name}: .+ -->\\n)[\\s\\S]*?(?=<!-- /${name} -->)`);
}
