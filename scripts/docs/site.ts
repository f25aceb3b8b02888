import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { SHORT_RETRIES } from '../packages/installed-project.ts';
import { withoutNumbers } from '../packages/private-numbers.ts';
import { type ProgramResult, ROOT, runNode, runProgram } from '../programs/run-tool.ts';
import {
  findFreePort,
  type ServerProgram,
  startServerProgram,
} from '../programs/server-program.ts';
import { drawDiagrams } from './diagrams.ts';

const FOLDER = join(ROOT, 'docs/.vitepress');
const TYPEDOC = 'docs/.vitepress/node_modules/typedoc/bin/typedoc';
const VITEPRESS = 'docs/.vitepress/node_modules/vitepress/bin/vitepress.js';

/** The built site. */
export const SITE = join(FOLDER, 'dist');

/**
 * Builds the documentation site: the reference by TypeDoc, the site by VitePress, both installed
 * beside its configuration. Throws with the program's output, such as every dead link. The
 * playground pays at `serviceUrl`.
 */
export async function buildSite(serviceUrl: string): Promise<void> {
  const args = ['install', '--no-package-lock', '--no-audit', '--no-fund', '--prefer-offline'];
  expectGood(await runProgram('npm', [...args, ...SHORT_RETRIES], { cwd: FOLDER, quiet: true }));
  const options = join(FOLDER, 'typedoc.json');
  expectGood(await runNode([TYPEDOC, '--options', options], { quiet: true }));
  for (const page of globSync(join(ROOT, 'docs/reference/**/*.md')))
    writeFileSync(
      page,
      withoutNumbers(readFileSync(page, 'utf8')).replaceAll('__namedParameters', 'options'),
    );
  await drawDiagrams();
  const env = { SERVICE_PAY_API_URL: serviceUrl };
  expectGood(await runNode([VITEPRESS, 'build', 'docs'], { env, quiet: true }));
}

export async function serveSite(port: number): Promise<ServerProgram> {
  const args = ['preview', 'docs', '--port', `${port || (await findFreePort())}`];
  return startServerProgram(VITEPRESS, args, {});
}

function expectGood({ exitCode, output }: ProgramResult): void {
  if (exitCode !== 0) throw new Error(`The documentation site could not be built:\n${output}`);
}
