import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../../scripts/programs/run-tool.ts';
import { findProgram } from '../../lab/find-program.ts';
import { startShopWithSandbox } from '../shop.ts';

const OPERATE = fileURLToPath(new URL('../../../bff-example/operate/', import.meta.url));
const WATCH = fileURLToPath(new URL('../../../server/operate/', import.meta.url));
const read = (file: string) =>
  readFileSync(join(file.startsWith('shop@') ? OPERATE : WATCH, file), 'utf8');

interface Panel {
  title: string;
  targets?: { expr: string }[];
}
const dashboard = JSON.parse(read('grafana-dashboard.json')) as { panels: Panel[] };

const systemdAnalyze = findProgram('systemd-analyze', '--version');

const SELECTOR = /\b((?:service_pay|nodejs|process)_\w+)(?:\{([^}]*)\})?/g;

describe('dashboard and rules', () => {
  let figures: string;

  beforeAll(async () => {
    const both = await startShopWithSandbox();
    const browser = both.shop.browser();
    await browser.verify(await browser.order());
    figures = (await browser.get('/metrics')).text;
    await both.close();
  });

  test.each(
    dashboard.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => [title, expr] as const),
    ),
  )('dashboard and rules query figures that the shop gives: %s', (_title, expr) => {
    expect(selectorsOf(expr).length).toBeGreaterThan(0);
    expect(selectorsOf(expr).filter(({ name }) => !isGiven(name))).toEqual([]);
  });

  test('rules alert on figures that the shop gives', () => {
    expect(selectorsOf(read('alerts.yml')).filter(({ name }) => !isGiven(name))).toEqual([]);
  });

  test('figures that an alert waits to see once count from zero', () => {
    const counted = selectorsOf(read('alerts.yml')).filter(({ name }) =>
      /_(alerts|deliveries|confirms)_total$/.test(name),
    );
    const values = counted.flatMap(({ name, labels }) => labels.map((label) => ({ name, label })));

    expect(values.length).toBeGreaterThan(5);
    expect(
      values.filter(
        ({ name, label }) =>
          !figures.split('\n').some((line) => line.startsWith(`${name}{`) && line.includes(label)),
      ),
    ).toEqual([]);
  });

  function isGiven(name: string): boolean {
    return (
      figures.includes(`# TYPE ${name} `) ||
      figures.includes(`# TYPE ${name.replace(/_(bucket|count|sum)$/, '')} histogram`)
    );
  }
});

describe('every rule', () => {
  const rules = read('alerts.yml')
    .split(/- alert: /)
    .slice(1)
    .map((text) => ({ name: text.slice(0, text.indexOf('\n')), text }));

  test.each(rules)(
    '$name says how urgent it is and what to do, and is played in a test',
    ({ name, text }) => {
      expect(text).toMatch(/severity: (page|ticket)/);
      expect(text).toMatch(/summary:\s+["'].+["']\s+action:\s+["'].+["']/);
      expect(read('alerts.test.yml')).toContain(`alertname="${name}"`);
    },
  );
});

describe('the README', () => {
  const readHere = (file: string) =>
    readFileSync(fileURLToPath(new URL(`../../../bff-example/${file}`, import.meta.url)), 'utf8');

  test('the README lists every setting, and none that does not exist', () => {
    const settings = [...readHere('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(
      ([, name]) => name,
    );
    const [, table = ''] = /\n## Settings\n([\s\S]*?)\n## /.exec(readHere('README.md')) ?? [];
    const listed = [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );

    expect(listed.sort()).toEqual(settings.sort());
  });

  test('the README lists every file of the shop that a copy has', () => {
    const tables = /\n## Make it yours\n([\s\S]*?)\n## /.exec(readHere('README.md'))?.[1] ?? '';
    const placed = [...tables.matchAll(/`(?:src\/)?([\w.-]+\.ts)`/g)].map(([, name]) => name!);
    const files = readdirSync(
      fileURLToPath(new URL('../../../bff-example/src/', import.meta.url)),
    ).filter((file) => file === 'shop.test.ts' || !file.endsWith('.test.ts'));

    expect([...new Set(placed)].sort()).toEqual(files.sort());
  });

  test('the README names commands, files and alerts that exist', () => {
    const pages = `${readHere('README.md')}${readHere('operate/README.md')}`;
    const { scripts } = JSON.parse(readHere('package.json')) as { scripts: Record<string, string> };
    const commands = [...pages.matchAll(/npm run ([a-z-]+)/g)].map(([, name]) => name as string);
    const files = [...pages.matchAll(/`((?:src|operate|assets|pages)\/[\w./-]+\.\w+)`/g)].map(
      ([, path]) => path as string,
    );
    const [, watched = ''] = /\n## What to watch\n([\s\S]*?)\n## /.exec(pages) ?? [];
    const alerts = [...watched.matchAll(/\b([A-Z][a-z]+(?:[A-Z][a-z]+)+)\b/g)].map(
      ([, name]) => name as string,
    );

    expect(commands.filter((name) => !scripts[name] && name !== 'copy-template')).toEqual([]);
    expect(
      files.filter(
        (path) =>
          !existsSync(fileURLToPath(new URL(`../../../bff-example/${path}`, import.meta.url))),
      ),
    ).toEqual([]);
    expect(
      alerts.filter(
        (name) => name !== 'PostgreSQL' && !read('alerts.yml').includes(`alert: ${name}\n`),
      ),
    ).toEqual([]);
    expect(alerts.length).toBeGreaterThan(15);
  });
});

describe('the unit of systemd', () => {
  test('the unit of systemd starts the shop as npm start does, and again for as long as it takes', () => {
    const { scripts } = JSON.parse(
      readFileSync(new URL('../../../bff-example/package.json', import.meta.url), 'utf8'),
    ) as { scripts: { start: string } };
    const [, command] = /^ExecStart=\/usr\/bin\/env (.*)$/m.exec(read('shop@.service')) ?? [];

    expect(command).toBe(scripts.start.replace(/\S*run\.js /, ''));
    expect(read('shop@.service')).toMatch(/^Restart=always\n(?:.*\n)*?RestartSec=1$/m);
    expect(read('shop@.service')).toMatch(/^\[Unit\]\n(?:[^[].*\n)*?StartLimitIntervalSec=0$/m);
  });
});

describe.skipIf(!systemdAnalyze)('systemd (skipped where systemd-analyze is not installed)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'unit-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('systemd accepts the unit', async () => {
    copyFileSync(join(OPERATE, 'shop@.service'), join(folder, 'shop@3000.service'));

    const { output } = await runProgram(
      systemdAnalyze as string,
      ['verify', join(folder, 'shop@3000.service')],
      { quiet: true },
    );

    expect(output.split('\n').filter((line) => line.includes('shop@3000.service'))).toEqual([]);
  });
});

function selectorsOf(text: string): { name: string; labels: string[] }[] {
  return [...text.matchAll(SELECTOR)].map(([, name = '', labels = '']) => ({
    name,
    labels: [...labels.matchAll(/\w+="[^"]*"/g)].map(([label]) => label),
  }));
}
