import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { ROOT } from './programs/run-tool.ts';

interface Job {
  strategy?: { matrix: Record<string, string[]> };
  env?: Record<string, string>;
  environment?: string;
  permissions?: Record<string, string>;
  steps: { uses?: string; run?: string }[];
}

const workflows = globSync('.github/workflows/*.yml', { cwd: ROOT });
const jobs = workflows.flatMap((file) => Object.entries<Job>(read(file).jobs));
const commands = jobs.flatMap(([job, { steps, strategy, env = {} }]) =>
  steps
    .flatMap(({ run = [] }) => run)
    .flatMap((run) => expand(job, run, env, strategy?.matrix ?? {})),
);

test('every step of a workflow is one command that exists here', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const { job, command } of commands) {
    const [, script = ''] = /^npm (?:run )?([\w:]+)(?: -- .+)?$/.exec(command) ?? [];
    const [, program = ''] = /^node scripts\/run\.js (\S+\.ts)(?: ["$\w/-]+)*$/.exec(command) ?? [];
    const isKnown =
      /^(?:npm ci|rm node_modules\/\.bin\/node)$/.test(command) ||
      /^(?:npx playwright install --with-deps "?\w+"?|npx vitest run .+)$/.test(command) ||
      /^(?:gh release|git merge-base|docker|timeout 60 sh -c 'until docker|echo .* \| docker login) /.test(
        command,
      );

    const isOurs = script in scripts || existsSync(join(ROOT, program || '?'));
    expect(isKnown || isOurs, `${job}: ${command}`).toBe(true);
  }
});

test('the jobs run every check and every suite', () => {
  const { stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/test.ts'), 'none'], {
    encoding: 'utf8',
  });
  const [, known = ''] = /Choose from: (.+)\.$/m.exec(stderr) ?? [];
  const suites = commands.flatMap(({ command }) => {
    const [, list = ''] = /^npm (?:test|run test:all) --((?: \w+)+)/.exec(command) ?? [];
    return list.split(' ').filter(Boolean);
  });

  const runs = commands.map(({ command }) => command);
  expect(runs).toEqual(expect.arrayContaining(['npm run typecheck', 'npm run lint']));
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

test('what a workflow runs of others is named by its commit or digest, and no value is put into shell text', () => {
  for (const [job, { steps }] of jobs)
    for (const { uses, run = '' } of steps) {
      expect(uses ?? '@'.padEnd(41, '0'), job).toMatch(/@[\da-f]{40}$/);
      expect(run, job).not.toContain('${{');
      if (run.startsWith('docker run --rm')) expect(run, job).toMatch(/@sha256:[\da-f]{64}$/);
    }
  for (const file of ['bff-example/Dockerfile', 'sandbox/Dockerfile'])
    for (const line of readFileSync(join(ROOT, file), 'utf8').match(/^FROM node.*$/gm) ?? [])
      expect(line, file).toMatch(/@sha256:[\da-f]{64}(?: AS \w+)?$/);
});

test('only the job that publishes may name itself to the registry, behind a reviewer, and each other right has one job', () => {
  const { permissions, jobs: release } = read('.github/workflows/release.yml');
  const rights = (job: Job) =>
    Object.entries(job.permissions ?? {})
      .filter(([, right]) => right === 'write')
      .map(([name]) => name);

  expect(permissions).toEqual({});
  expect(
    Object.fromEntries(Object.entries<Job>(release).map(([name, job]) => [name, rights(job)])),
  ).toEqual({
    test: [],
    pack: [],
    image: [],
    publish: ['id-token'],
    notes: ['contents'],
    push: ['packages'],
  });
  expect(release.publish.environment).toBe('npm');
});

test('a job that may write runs no code of others, and only its steps that need a token have one', () => {
  for (const [name, job] of jobs) {
    expect(JSON.stringify(job.env ?? {}), name).not.toMatch(/github\.token|secrets\./);
    if (!Object.values(job.permissions ?? {}).includes('write')) continue;
    for (const { uses = 'actions/', run = '' } of job.steps) {
      expect(uses, name).toMatch(/^actions\//);
      expect(run, name).not.toMatch(/^(?:npm|npx|docker (?:build|run)) /);
    }
  }
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

/** Returns a command once for each value of the matrix that it reads from the environment. */
function expand(
  job: string,
  run: string,
  env: Record<string, string>,
  matrix: Record<string, string[]>,
) {
  const read = Object.entries(env).find(([name]) => run.includes(`"$${name}"`));
  const [, entry = ''] = /^\$\{\{ matrix\.(\w+) \}\}$/.exec(read?.[1] ?? '') ?? [];
  if (!read || !entry) return [{ job, command: run }];
  const values = matrix[entry] ?? [];
  if (!values.length) throw new Error(`${job} has no matrix ${entry}: ${run}`);
  return values.map((value) => ({ job, command: run.replace(`"$${read[0]}"`, value) }));
}
