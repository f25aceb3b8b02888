import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { ROOT } from './programs/run-tool.ts';

interface Job {
  strategy?: { matrix: Record<string, string[]> };
  steps: { uses?: string; run?: string }[];
}

const workflows = globSync('.github/workflows/*.yml', { cwd: ROOT });
const jobs = workflows.flatMap((file) => Object.entries<Job>(read(file).jobs));
const commands = jobs.flatMap(([job, { steps, strategy }]) =>
  steps.flatMap(({ run = [] }) => run).flatMap((run) => expand(job, run, strategy?.matrix ?? {})),
);

test('every step of a workflow is one command that exists here', () => {
  for (const { job, command } of commands) {
    const [, program = ''] = /^node scripts\/run\.js (\S+\.ts)(?: ["$\w/-]+)*$/.exec(command) ?? [];
    const isKnown =
      /^(?:npm ci|npx playwright install --with-deps \w+)$/.test(command) ||
      /^(?:gh release|docker|timeout 60 sh -c 'until docker|echo .* \| docker login) /.test(
        command,
      );

    expect(isKnown || existsSync(join(ROOT, program || '?')), `${job}: ${command}`).toBe(true);
  }
});

test('the jobs run every suite', () => {
  const { stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/test.ts'), 'none'], {
    encoding: 'utf8',
  });
  const [, known = ''] = /Choose from: (.+)\.$/m.exec(stderr) ?? [];
  const suites = commands.flatMap(({ command }) => {
    const [, list = ''] = /scripts\/test\.ts((?: \w+)+)/.exec(command) ?? [];
    return list.split(' ').filter(Boolean);
  });

  expect([...new Set(['check', ...suites])].sort()).toEqual(known.split(', ').sort());
});

test('the unit tests run with the oldest Node that run.js takes', () => {
  const [, major, minor] =
    /major === (\d+) && minor < (\d+)/.exec(readFileSync(join(ROOT, 'scripts/run.js'), 'utf8')) ??
    [];

  expect(read('.github/workflows/ci.yml').jobs.unit.strategy.matrix.node).toContain(
    `${major}.${minor}`,
  );
});

test('every other file of .github is YAML, and what it links to exists', () => {
  for (const file of globSync('.github/**/*.yml', { cwd: ROOT })) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    expect(parse(text), file).toBeTypeOf('object');
    for (const [, path = ''] of text.matchAll(/service-pay\/(?:blob|tree)\/main\/([^#\s]+)/g))
      expect(existsSync(join(ROOT, path)), path).toBe(true);
  }
});

function read(file: string) {
  return parse(readFileSync(join(ROOT, file), 'utf8'));
}

/** Returns a command once for each value of the matrix entry that it names. */
function expand(job: string, run: string, matrix: Record<string, string[]>) {
  const [place, name = ''] = /\$\{\{ matrix\.(\w+) \}\}/.exec(run) ?? [];
  const values = place ? (matrix[name] ?? []) : [''];
  if (!values.length) throw new Error(`${job} has no matrix ${name}: ${run}`);
  return values.map((value) => ({ job, command: place ? run.replace(place, value) : run }));
}
