import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { writeCalls } from './docs/api-docs.ts';
import { writeControl } from './docs/control-docs.ts';
import { describeElement, toTables } from './docs/element-docs.ts';
import { writeCodes } from './docs/error-docs.ts';
import { includeFile } from './docs/included-file.ts';
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

const SERVER = 'docs/quick-start/server.md';

export const SECTIONS: readonly Section[] = [
  { page: 'docs/element.md', name: 'element', write: () => toTables(describeElement()) },
  { page: 'docs/api.md', name: 'calls', write: writeCalls },
  { page: 'docs/errors.md', name: 'codes', write: writeCodes },
  { page: 'sandbox/README.md', name: 'control', write: writeControl },
  { page: 'docs/scenarios.md', name: 'scenarios', write: writeScenarios },
  {
    page: 'README.md',
    name: 'server',
    write: () => `<!-- file: server.mjs -->\n${includeFile(SERVER, 'server.mjs')}`,
  },
  { page: 'server/README.md', name: 'server', write: () => includeFile(SERVER, 'server.mjs') },
  { page: 'docs/home.md', name: 'server', write: () => includeFile(SERVER, 'server.mjs') },
  ...['docs/home.md', 'docs/embedding.md'].map((page) => ({
    page,
    name: 'page',
    write: () => includeFile('README.md', 'public/index.html'),
  })),
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
