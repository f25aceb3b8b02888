import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { ENGINES, PACKAGES, pack } from './packages/pack.ts';
import { ROOT } from './programs/run-tool.ts';

const TEMPLATE = join(ROOT, 'bff-example');
const COPIED = [
  'src',
  'pages',
  'assets',
  'operate',
  'Dockerfile',
  'compose.yaml',
  'README.md',
  '.env.example',
];
const IGNORED = [
  'node_modules/',
  '.data/',
  '*.db',
  '*.db-*',
  '.env',
  '.env.*',
  '!.env.example',
  '',
];

interface CompilerSettings {
  compilerOptions: Record<string, unknown>;
  include?: string[];
}

interface Manifest {
  exports: unknown;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

const [folder] = process.argv.slice(2);
try {
  if (!folder || folder.startsWith('-'))
    throw new Error('Name a folder for the copy: npm run copy-template -- <folder>');
  const target = resolve(process.env.INIT_CWD ?? process.cwd(), folder);
  await copyTemplate(target);
  console.log(
    [
      `Copied the template to ${target}. There, run:`,
      '  git init && git add . && git commit -m Template && git branch template  # to upgrade later',
      '  npm install',
      '  npm run sandbox  # and in a second terminal: npm start',
    ].join('\n'),
  );
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

/**
 * Writes a copy of the template that needs nothing else of this project: our packages in `vendor/`,
 * settings for the sandbox in an ignored `.env`.
 */
async function copyTemplate(target: string): Promise<void> {
  if (existsSync(target) && readdirSync(target).length)
    throw new Error(`${target} is not empty. Name a new or an empty folder.`);
  mkdirSync(target, { recursive: true });
  for (const entry of COPIED)
    cpSync(join(TEMPLATE, entry), join(target, entry), { recursive: true });
  cpSync(join(ROOT, 'docs/upgrading.md'), join(target, 'UPGRADING.md'));
  for (const page of ['README.md', 'UPGRADING.md']) relinkIn(join(target, page));
  for (const entry of ['LICENSE', 'scripts/run.js'])
    cpSync(join(ROOT, entry), join(target, entry.replace(/^.*\//, '')));

  const tarballs: Record<string, string> = {};
  for (const workspace of PACKAGES)
    tarballs[`@service-pay/${workspace}`] =
      `file:vendor/${await pack(workspace, join(target, 'vendor'))}`;
  write('package.json', toStandalone(tarballs));
  write('tsconfig.json', compilerSettings());
  writeFileSync(join(target, '.gitignore'), IGNORED.join('\n'));
  writeFileSync(join(target, '.env'), demoSettings(), { mode: 0o600 });

  function write(name: string, content: object): void {
    writeFileSync(join(target, name), `${JSON.stringify(content, null, 2)}\n`);
  }
}

function relinkIn(file: string): void {
  const page = readFileSync(file, 'utf8')
    .replaceAll('](../docs/upgrading.md', '](UPGRADING.md')
    .replaceAll('](../server/', '](node_modules/@service-pay/server/')
    .replaceAll('](../bff-example/', '](')
    .replace(/\[([^\]]+)\]\(\.\.\/([^)#]+).*?\)/g, '$1 (`$2` of the project)');
  writeFileSync(file, page);
}

function toStandalone(tarballs: Record<string, string>): object {
  const manifest = readJson<Manifest>(join(TEMPLATE, 'package.json'));
  // sorted, as npm sorts them: otherwise the first package that a shop adds moves lines
  const ours = (dependencies: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(dependencies)
        .map(([name, version]) => [name, tarballs[name] ?? version] as const)
        .sort(([one], [other]) => one.localeCompare(other, 'en')),
    );
  const { exports: _, ...shop } = manifest;
  return {
    ...shop,
    name: 'shop',
    engines: ENGINES,
    dependencies: ours(manifest.dependencies),
    devDependencies: ours(manifest.devDependencies),
    overrides: Object.fromEntries(Object.keys(tarballs).map((name) => [name, `$${name}`])),
    allowScripts: { 'better-sqlite3': false }, // its binary comes prebuilt
  };
}

function compilerSettings(): object {
  const root = readJson<CompilerSettings>(join(ROOT, 'tsconfig.json'));
  const { compilerOptions, include } = readJson<CompilerSettings>(join(TEMPLATE, 'tsconfig.json'));
  return { compilerOptions: { ...root.compilerOptions, ...compilerOptions }, include };
}

function demoSettings(): string {
  return [
    'SERVICE_PAY_PUBLIC_KEY=pub_sandbox_demo',
    'SERVICE_PAY_API_TOKEN=sec_sandbox_demo',
    `SESSION_SECRET=${randomBytes(32).toString('hex')}`,
    `POSTGRES_PASSWORD=${randomBytes(16).toString('hex')}`,
    '',
  ].join('\n');
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}
