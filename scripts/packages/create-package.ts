import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ROOT, runProgram } from '../programs/run-tool.ts';
import { rewrite } from './rewrite.ts';

const TEMPLATE = join(ROOT, 'bff-example');
const CREATE = join(ROOT, 'scripts/packages/create-service-pay');
const COPIED = [
  ...['src', 'pages', 'assets', 'operate'],
  ...['Dockerfile', '.dockerignore', 'compose.yaml', 'README.md', '.env.example'],
];
const IGNORED = [
  ...['node_modules/', '.data/', '*.db', '*.db-*', '*.log', '.env', '.env.*', '!.env.example', ''],
];

interface CompilerSettings {
  compilerOptions: Record<string, unknown>;
  include?: string[];
}

/** Writes the package `create-service-pay`, with the template in it, into an empty folder. */
export function writeCreatePackage(folder: string): void {
  cpSync(CREATE, folder, { recursive: true });
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  const template = join(folder, 'template');
  mkdirSync(template);
  for (const entry of COPIED)
    cpSync(join(TEMPLATE, entry), join(template, entry), { recursive: true });
  cpSync(join(ROOT, 'docs/upgrading.md'), join(template, 'UPGRADING.md'));
  for (const page of ['README.md', 'UPGRADING.md', 'operate/README.md'])
    relinkIn(join(template, page));
  for (const entry of ['LICENSE', 'scripts/run.js'])
    cpSync(join(ROOT, entry), join(template, entry.replace(/^.*\//, '')));
  writeJson(join(template, 'package.json'), toStandalone());
  writeJson(join(template, 'tsconfig.json'), compilerSettings());
  writeFileSync(join(template, 'gitignore'), IGNORED.join('\n'));
}

/** Packs `create-service-pay` into `folder`. */
export async function packCreatePackage(folder: string): Promise<void> {
  const stage = mkdtempSync(join(tmpdir(), 'pack-create-'));
  try {
    writeCreatePackage(stage);
    for (const page of ['README.md', 'UPGRADING.md'])
      rewrite(join(stage, 'template', page), (text) =>
        text
          .replace(
            /(?:npm ci && )?npm run copy-template -- (\S+?)(?=[`\s])/g,
            'npm create service-pay $1',
          )
          .replace(/^Make a copy, in a clone .*:$/m, 'Make a copy:'),
      );
    const args = ['pack', '--pack-destination', folder, '--ignore-scripts'];
    const { exitCode, output } = await runProgram('npm', args, { cwd: stage, quiet: true });
    if (exitCode !== 0) throw new Error(`create-service-pay could not be packed:\n${output}`);
  } finally {
    rmSync(stage, { recursive: true });
  }
}

function relinkIn(file: string): void {
  rewrite(file, (page) =>
    page
      .replaceAll('](../docs/upgrading.md', '](UPGRADING.md')
      .replaceAll('](../server/', '](node_modules/@service-pay/server/')
      .replaceAll('](../bff-example/', '](')
      .replace(
        /\[([^\]]+)\]\((?:\.\.\/)+(docs[^)#]+|[^)#.][^)#]*).*?\)/g,
        '$1 (`$2` of the project)',
      ),
  );
}

function toStandalone(): object {
  const { exports: _, ...shop } = readJson<Record<string, unknown>>(join(TEMPLATE, 'package.json'));
  return {
    ...shop,
    name: 'shop',
    engines: readJson<{ engines: object }>(join(ROOT, 'server/package.json')).engines,
  };
}

function compilerSettings(): object {
  const root = readJson<CompilerSettings>(join(ROOT, 'tsconfig.json'));
  const { compilerOptions, include } = readJson<CompilerSettings>(join(TEMPLATE, 'tsconfig.json'));
  return { compilerOptions: { ...root.compilerOptions, ...compilerOptions }, include };
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}

function writeJson(file: string, content: object): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
