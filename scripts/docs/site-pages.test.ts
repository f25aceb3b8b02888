import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { listSteps } from '../../docs/.vitepress/diagrams.ts';
import { toAddress } from '../../docs/.vitepress/files.ts';
import { listGuides } from '../../docs/.vitepress/guides.ts';
import { describeForModels } from '../../docs/.vitepress/models.ts';
import { ROOT } from '../programs/run-tool.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const guides = listGuides().flatMap(({ guides }) => guides);
const pages = guides.flatMap((guide) => [guide, ...guide.parts]);

test('the navigation has each guide once, by a title', () => {
  const files = pages.map(({ file }) => file);

  expect(pages.length).toBeGreaterThan(40);
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  expect(new Set(files).size).toBe(files.length);
  expect(pages.filter(({ title }) => /\.md$|^[a-z]/.test(title))).toEqual([]);
});

test('the navigation misses no guide', () => {
  const files = [
    'docs/README.md',
    'docs/home.md',
    'docs/playground.md',
    ...pages.map((p) => p.file),
  ];
  const all = globSync('docs/{*,quick-start/*,migrate/*}.md', { cwd: ROOT });

  expect(all.length).toBeGreaterThan(40);
  expect(all.filter((file) => !files.includes(file))).toEqual([]);
});

test('the navigation has the quick starts in reading order', () => {
  const quickStarts = guides.find(({ file }) => file === 'docs/quick-start/README.md');

  expect(quickStarts?.parts.map(({ file }) => toAddress(file)).slice(0, 2)).toEqual([
    'quick-start/html.md',
    'quick-start/server.md',
  ]);
  expect(quickStarts?.parts.at(-1)?.file).toBe('docs/quick-start/phone.md');
});

test('the home page leads to pages that exist, and shows no install command', () => {
  const addresses = new Set(['playground.md', ...pages.map(({ file }) => toAddress(file))]);
  const home = read('docs/home.md');
  const links = [...home.matchAll(/^ +link: \/(.*)$/gm)].map(([, link = '']) =>
    link.endsWith('/') ? `${link}index.md` : `${link}.md`,
  );

  expect(links.length).toBeGreaterThan(8);
  expect(links.filter((link) => !addresses.has(link))).toEqual([]);
  expect(home).not.toContain('npm install');
});

test('a diagram has every arrow as a step, for those who do not see its picture', () => {
  const sources = pages.flatMap(({ file }) =>
    [...read(file).matchAll(/^ *```mermaid\n([\s\S]*?)^ *```$/gm)].map(([, source = '']) => source),
  );
  const steps = sources.map(listSteps);

  expect(sources.length).toBeGreaterThan(2);
  expect(steps.map((each) => each.filter(({ arrow }) => arrow?.includes('→')).length)).toEqual(
    sources.map((source) => source.match(/-->|->>/g)?.length),
  );
  expect(steps[0]).toContainEqual({ arrow: 'Page → Your server', text: 'place the order' });
  expect(steps[0]).toContainEqual({ text: 'paid:' });
});

test('llms.txt has the rules and every list, llms-full.txt every guide', () => {
  const { short, full } = describeForModels();

  expect(short).toMatch(/^# ServicePay\n\n> /);
  expect(short).toMatch(/^1\. Only your server decides that an order is paid/m);
  for (const { file } of guides) expect(short).toContain(`](/${toAddress(file)})`);
  for (const { file } of pages) {
    const [heading = ''] = /^# .+$/m.exec(read(file)) ?? [];
    expect(full.split('\n'), file).toContain(heading);
  }
});
