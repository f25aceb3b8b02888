import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { unpack } from '../../../scripts/packages/installed-project.ts';
import { ROOT, runNode } from '../../../scripts/programs/run-tool.ts';
import type { Figure, Scale } from '../support/figures.ts';

const OF_A_WEBHOOK = ['@service-pay/server', '@service-pay/server/fetch', 'pg'];

/** B27a: what a function on PostgreSQL imports to receive a webhook, beside `pg` alone. */
export async function measureImports({ runs }: Scale): Promise<Figure[]> {
  const folder = await mkdtemp(join(ROOT, 'node_modules/.imports-')); // finds dependencies above it
  try {
    for (const workspace of ['contract', 'server'] as const)
      await unpack(workspace, join(folder, 'node_modules'));
    const [all, pg]: [number[], number[]] = [[], []];
    for (let run = 0; run < runs; run++) {
      pg.push(await timeImports(['pg'], folder));
      all.push(await timeImports(OF_A_WEBHOOK, folder));
    }
    const rest = { unit: 's', direction: 'at most' } as const;
    return [
      {
        ...rest,
        id: 'B27a',
        name: 'processor time to import it for a webhook',
        budget: 0.15,
        runs: all,
      },
      { ...rest, id: 'B27a', name: 'of that, pg alone', runs: pg },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function timeImports(names: readonly string[], cwd: string): Promise<number> {
  const script = `
    const before = process.cpuUsage();
    ${names.map((name) => `await import('${name}');`).join('\n')}
    const { user, system } = process.cpuUsage(before);
    console.log((user + system) / 1e6);`;
  const { output } = await runNode(['--input-type=module', '--eval', script], { cwd, quiet: true });
  return Number(output);
}
