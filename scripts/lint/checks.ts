import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT, runTool } from '../programs/run-tool.ts';
import { findLongSubjects } from './commit-subjects.ts';

export interface CheckResult {
  name: string;
  passed: boolean;
  output: string;
}

/** Checked together, because each would check the others' files again. */
const TOOLS = ['e2e', 'scripts'];

export async function runChecks(): Promise<CheckResult[]> {
  const rooms = readdirSync(ROOT).filter(
    (folder) => !TOOLS.includes(folder) && existsSync(join(ROOT, folder, 'tsconfig.json')),
  );
  const checks: [name: string, tool: string, args: string[]][] = [
    ...rooms.map((room): [string, string, string[]] => [`types of ${room}`, 'tsc', ['-p', room]]),
    ["types of the shop's pages", 'tsc', ['-p', 'bff-example/tsconfig.assets.json']],
    ['types of the tools', 'tsc', ['-p', 'tsconfig.tools.json']],
    ["types of the sandbox's pages", 'tsc', ['-p', 'sandbox/tsconfig.pages.json']],
    ['lint and format', 'biome', ['check', '--error-on-warnings', '--colors=off']],
    ['unused code', 'knip', []],
  ];
  const results = await Promise.all(
    checks.map(async ([name, tool, args]) => {
      const { exitCode, output } = await runTool(tool, args, { quiet: true });
      return { name, passed: exitCode === 0, output };
    }),
  );
  const subjects = findLongSubjects(ROOT);
  return [
    ...results,
    {
      name: 'commit subjects',
      passed: !subjects.length,
      output: ['Shorten to 72 characters: git rebase --interactive', ...subjects].join('\n'),
    },
  ];
}
