import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { writeCalls } from './api-docs.ts';
import { describeElement, toTables } from './element-docs.ts';
import { writeCodes } from './error-docs.ts';
import { ROOT } from './run-tool.ts';
import { writeScenarios } from './scenario-docs.ts';

/**
 * A part of a page that is made from the source. It stands there between `<!-- name: … -->` and
 * `<!-- /name -->`.
 */
export interface Section {
  readonly page: string;
  readonly name: string;
  readonly write: () => string;
}

const writeElement = () => toTables(describeElement());

/** Every part of a page that is made from the source. */
export const SECTIONS: readonly Section[] = [
  { page: 'docs/element.md', name: 'element', write: writeElement },
  { page: 'widget/README.md', name: 'element', write: writeElement },
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

/** A part as it stands on its page. */
export function readSection({ page, name }: Section): string | undefined {
  return patternOf(name).exec(readFileSync(join(ROOT, page), 'utf8'))?.[0];
}

function patternOf(name: string): RegExp {
  return new RegExp(`(?<=<!-- ${name}: .+ -->\\n)[\\s\\S]*(?=<!-- /${name} -->)`);
}
