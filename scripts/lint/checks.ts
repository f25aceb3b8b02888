import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT, runTool } from '../programs/run-tool.ts';
import { findLongSubjects } from './commit-subjects.ts';

/** What a check is about: `npm run typecheck` and `npm run lint` run one of them. */
export const KINDS_OF_CHECK = ['types', 'lint'] as const;
type Kind = (typeof KINDS_OF_CHECK)[number];

export interface CheckResult {
  name: string;
  passed: boolean;
  output: string;
}

/** Checked together, because each would check the others' files again. */
const TOOLS = ['e2e', 'scripts'];

export async function runChecks(kinds: readonly Kind[] = KINDS_OF_CHECK): Promise<CheckResult[]> {
  const rooms = readdirSync(ROOT).filter(
    (folder) => !TOOLS.includes(folder) && existsSync(join(ROOT, folder, 'tsconfig.json')),
  );
  const checks: [kind: Kind, name: string, tool: string, args: string[]][] = [
    ...rooms.map((room) => typesOf(room, room)),
    typesOf("the shop's pages", 'bff-example/tsconfig.assets.json'),
    typesOf('the tools', 'tsconfig.tools.json'),
    typesOf("the sandbox's pages", 'sandbox/tsconfig.pages.json'),
    ['lint', 'lint and format', 'biome', ['check', '--error-on-warnings', '--colors=off']],
    ['lint', 'unused code', 'knip', []],
  ];
  const wanted = checks.filter(([kind]) => kinds.includes(kind));
  const results = await Promise.all(
    wanted.map(async ([, name, tool, args]) => {
      const { exitCode, output } = await runTool(tool, args, { quiet: true });
      return { name, passed: exitCode === 0, output };
    }),
  );
  if (!kinds.includes('lint')) return results;
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

function typesOf(name: string, config: string): [Kind, string, string, string[]] {
  return ['types', `types of ${name}`, 'tsc', ['-p', config]];
}
