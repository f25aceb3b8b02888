import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { SHORT_RETRIES } from '../packages/installed-project.ts';
import { ROOT, runNode, runProgram } from '../programs/run-tool.ts';
import { findDeadLinks } from './links.ts';
import { collectPages, type SiteFiles, titleOf } from './pages.ts';
import { type Entry, ROLES } from './roles.ts';

/** The generator is never a dependency of this project: each build installs it. */
const GENERATOR = { vitepress: '1.6.4' };

const THEME = join(import.meta.dirname, 'theme');
const WORK = join(ROOT, 'node_modules/.cache/docs-site');

export const SITE = join(WORK, 'dist');

/**
 * Builds the documentation site with VitePress, installed into a temporary folder, and returns the
 * number of its pages. Throws with every dead link, or with the generator's output.
 */
export async function buildSite(): Promise<number> {
  await installGenerator();
  const site = collectPages();
  writeSource(site);
  const { exitCode, output } = await runNode(
    [join(WORK, 'node_modules/vitepress/bin/vitepress.js'), 'build', 'src', '--outDir', SITE],
    { cwd: WORK, quiet: true },
  );
  if (exitCode !== 0) throw new Error(`The site could not be built:\n${output}`);
  const dead = findDeadLinks(SITE);
  if (dead.length) throw new Error(`Dead links on the site:\n${dead.join('\n')}`);
  return site.pages.size;
}

async function installGenerator(): Promise<void> {
  const manifest = `${JSON.stringify({ private: true, type: 'module', dependencies: GENERATOR })}\n`;
  const file = join(WORK, 'package.json');
  const isInstalled = existsSync(join(WORK, 'node_modules/vitepress'));
  if (isInstalled && readFileSync(file, 'utf8') === manifest) return;
  mkdirSync(WORK, { recursive: true });
  writeFileSync(join(WORK, 'tsconfig.json'), '{}\n'); // ours is not for the generator
  writeFileSync(file, manifest);
  const args = ['install', '--no-audit', '--no-fund', '--prefer-offline', ...SHORT_RETRIES];
  const { exitCode, output } = await runProgram('npm', args, { cwd: WORK, quiet: true });
  if (exitCode === 0) return;
  rmSync(file);
  throw new Error(`VitePress could not be installed. It needs a package registry once:\n${output}`);
}

function writeSource({ pages, pictures }: SiteFiles): void {
  const source = join(WORK, 'src');
  rmSync(source, { recursive: true, force: true });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(source, path)), { recursive: true });
    writeFileSync(join(source, path), text);
  };
  for (const [path, text] of pages) write(path, text);
  write(
    'index.md',
    readFileSync(join(THEME, 'home.md'), 'utf8').replace(/---\n$/, writeFeatures()),
  );
  write('playground.md', readFileSync(join(THEME, 'playground.md'), 'utf8'));
  write('.vitepress/site.json', JSON.stringify(buildNavigation(pages)));
  cpSync(join(THEME, 'config.js'), join(source, '.vitepress/config.js'));
  for (const file of [
    'index.js',
    'Home.vue',
    'LanguageTabs.vue',
    'PaymentPlayground.vue',
    'style.css',
  ])
    cpSync(join(THEME, file), join(source, '.vitepress/theme', file));
  const open = (from: string, to: string) => cpSync(from, join(source, 'public', to));
  mkdirSync(join(source, 'public'));
  for (const file of ['playground-frame.html', 'playground-frame.js'])
    open(join(THEME, file), file);
  for (const [path, from] of pictures) open(join(ROOT, from), path);
  open(join(ROOT, 'public/assets/icon.svg'), 'icon.svg');
  open(join(ROOT, 'docs/popup.png'), 'popup.png');
  write('public/robots.txt', 'User-agent: *\nAllow: /\n');
}

function writeFeatures(): string {
  const cards = ROLES.map(
    ({ name, lead, address }) =>
      `  - title: ${name}\n    details: "${lead}"\n    link: /${address}\n`,
  );
  return `features:\n${cards.join('')}---\n`;
}

function buildNavigation(pages: ReadonlyMap<string, string>): object {
  const named = new Set<string>();
  const toItem = ([address, text]: Entry) => {
    named.add(address.endsWith('/') ? `${address}index.md` : `${address}.md`);
    return { text, link: `/${address}` };
  };
  const roles = ROLES.map(({ name, address, entries }) => ({
    text: name,
    link: `/${address}`,
    collapsed: true, // VitePress opens the one that lists the page
    items: entries.map(toItem),
  }));
  const others = [...pages]
    .filter(([path]) => !named.has(path) && !/^(?:files|packages)\//.test(path))
    .filter(([path]) => !ROLES.some(({ address }) => path === `${address}.md`))
    .map(([path, text]) => ({
      text: titleOf(text),
      link: `/${path.replace(/(?:index)?\.md$/, '')}`,
    }));
  return {
    nav: ROLES.map(({ name, address }) => ({ text: name, link: `/${address}` })),
    sidebar: [...roles, { text: 'More', collapsed: true, items: others }],
  };
}
