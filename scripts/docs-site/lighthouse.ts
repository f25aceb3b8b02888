import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { requireBrowser } from '../programs/find-browser.ts';
import { ROOT, runNode, runProgram } from '../programs/run-tool.ts';

const VERSION = '13.5.0';
const WORK = join(ROOT, 'node_modules/.cache/lighthouse');

const PAGES = ['', 'quick-start/server', 'reference/server', 'errors', 'playground'];

/** The score that each category must reach. */
const LEAST = 95;

/** Most measurements of a page that stays too low: other programs can only lower a score. */
const MOST_RUNS = 3;

/**
 * Measures pages of the served site with Lighthouse, installed into a temporary folder, as a phone
 * and as a desktop, and prints a table. Returns true if every category of every page is good
 * enough.
 */
export async function measureSite(url: string): Promise<boolean> {
  await install();
  let isGood = true;
  for (const device of ['phone', 'desktop'])
    for (const page of PAGES) {
      let scores = await measure(`${url}/${page}`, device);
      for (let run = 1; run < MOST_RUNS && isLow(scores); run++)
        scores = higher(scores, await measure(`${url}/${page}`, device));
      const failing = isLow(scores);
      isGood &&= !failing;
      const list = Object.entries(scores).map(([name, { score }]) => `${name} ${score}`);
      console.log(
        `${failing ? 'LOW ' : 'ok  '} ${device.padEnd(8)}/${page.padEnd(20)} ${list.join(', ')}`,
      );
      for (const { audits } of Object.values(scores))
        for (const audit of audits) console.log(`       ${audit}`);
    }
  return isGood;
}

async function install(): Promise<void> {
  if (existsSync(join(WORK, 'node_modules/lighthouse'))) return;
  mkdirSync(WORK, { recursive: true });
  writeFileSync(join(WORK, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `lighthouse@${VERSION}`];
  const { exitCode, output } = await runProgram('npm', args, { cwd: WORK, quiet: true });
  if (exitCode !== 0) throw new Error(`Lighthouse could not be installed:\n${output}`);
}

function isLow(scores: Scores): boolean {
  return Object.values(scores).some(({ score }) => score < LEAST);
}

function higher(some: Scores, others: Scores): Scores {
  const entries = Object.entries(some).map(([name, one]) => {
    const other = others[name];
    return [name, other && other.score > one.score ? other : one];
  });
  return Object.fromEntries(entries);
}

async function measure(url: string, device: string): Promise<Scores> {
  const report = join(WORK, 'report.json');
  const { exitCode, output } = await runNode(
    [
      join(WORK, 'node_modules/lighthouse/cli/index.js'),
      url,
      '--output=json',
      `--output-path=${report}`,
      '--quiet',
      '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
      ...(device === 'desktop' ? ['--preset=desktop'] : []),
    ],
    { quiet: true, env: { CHROME_PATH: requireBrowser() } },
  );
  if (exitCode !== 0) throw new Error(`Lighthouse failed at ${url}:\n${output}`);
  const result = JSON.parse(readFileSync(report, 'utf8'));
  return Object.fromEntries(
    Object.values<Category>(result.categories).map(({ id, score, auditRefs }) => [
      id,
      {
        score: Math.round(score * 100),
        audits: auditRefs
          .filter(({ weight, id }) => weight > 0 && (result.audits[id].score ?? 1) < 0.9)
          .map(({ id }) => `${id}: ${result.audits[id].displayValue ?? result.audits[id].title}`),
      },
    ]),
  );
}

type Scores = Record<string, { score: number; audits: string[] }>;

interface Category {
  id: string;
  score: number;
  auditRefs: { id: string; weight: number }[];
}
