import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';

import { Findings, type Harness, type HarnessOptions, type HarnessResult } from '../harness.ts';
import type { Random } from '../random.ts';
import { Scene } from '../shop/scene.ts';
import { makeDelivery, Shopping } from '../shop/shopping.ts';
import { type Disk, replay } from '../troubles/system-calls.ts';

const SCALES = { short: { deliveries: 120, losses: 30 }, full: { deliveries: 2_000, losses: 100 } };
const AT_ONCE = 6;

const ONE_BY_ONE = 0.25;
const CALLS = 'openat,close,pwrite64,ftruncate,fsync,fdatasync,write,writev';

/**
 * F11: the power goes. Every write and sync of the database's files is taken from the shop's system
 * calls, and at random moments everything written but not synced is lost, wholly or in part; the
 * rest must hold every delivery acknowledged by then. A kill cannot show that: the system keeps the
 * writes of a dead process.
 */
export const F11: Harness = {
  id: 'F11',
  what: 'power lost with what was not synced',
  databases: ['sqlite'],
  whyNotHere: canTrace() ? undefined : 'strace is missing',
  run: runF11,
  broken: [{ name: 'syncs-seldom' }],
};

export async function runF11(options: HarnessOptions): Promise<HarnessResult> {
  const { deliveries: count, losses } = SCALES[options.scale];
  const findings = new Findings('F11', options);
  const { random } = findings;
  const folder = mkdtempSync(join(tmpdir(), 'power-'));
  const trace = join(folder, 'trace');
  const scene = await Scene.open(options);
  const settings = await scene.settings({
    under: [
      'strace',
      '-f',
      '-xx',
      '-s',
      '100000',
      '-e',
      `trace=${CALLS}`,
      '-e',
      'signal=none',
      '-o',
      trace,
    ],
  });
  const shopping = new Shopping(settings.port, random);
  const acknowledgedBy = new Map<string, string>();
  try {
    const shop = await scene.start(settings);
    const deliveries = Array.from({ length: count }, (_, number) =>
      makeDelivery(`power-${number}`),
    );
    const oneByOne = count * ONE_BY_ONE;
    let next = 0;
    const sendNext = async () => {
      const { id, body } = deliveries[next++]!;
      const { httpStatus, requestId } = await shopping.sendUntilReceived(body);
      if (httpStatus === 200) acknowledgedBy.set(requestId, id);
    };
    while (next < oneByOne) await sendNext();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (next < count) await sendNext();
      }),
    );
    await shop.stop();

    const file = scene.database.url.slice('file:'.length);
    const disks = replay(
      readFileSync(trace, 'utf8'),
      [file, `${file}-wal`],
      new Set(acknowledgedBy.keys()),
    );
    const chosen = random.shuffle(disks).slice(0, losses);
    findings.require('times the power was lost', chosen.length, losses);
    findings.require('acknowledged', acknowledgedBy.size, count);
    const syncsOfLog = disks.map(({ files }) => files[1]!.syncs);
    const commits = syncsOfLog.slice(0, oneByOne);
    findings.figures['syncs of the log'] = syncsOfLog.at(-1)!;
    findings.limit(
      'commits without a sync',
      commits.filter((syncs, at) => syncs === (commits[at - 1] ?? 0)).length,
      0,
    );
    let lost = 0;
    let damaged = 0;
    for (const disk of chosen) {
      const stored = readAfterLoss(folder, disk, random);
      if (!stored) damaged++;
      else if (disk.responded.some((requestId) => !stored.has(acknowledgedBy.get(requestId)!)))
        lost++;
    }
    findings.limit('times an acknowledged delivery was lost', lost, 0);
    findings.limit('times the file was damaged', damaged, 0);
    return findings.result();
  } finally {
    await shopping.close();
    await scene.close();
    rmSync(folder, { recursive: true });
  }
}

/**
 * Returns the deliveries on a disk that has lost some of what was not synced, or undefined if the
 * file is damaged.
 */
function readAfterLoss(folder: string, disk: Disk, random: Random): Set<string> | undefined {
  const [data, log] = disk.files.map((file) => file.afterLoss(() => random.draw() < 0.5));
  const path = join(folder, 'after-loss.db');
  writeFileSync(path, data!);
  writeFileSync(`${path}-wal`, log!);
  const connection = new SqliteFile(path);
  try {
    const [{ integrity_check: finding }] = connection.prepare('pragma integrity_check').all() as [
      { integrity_check: string },
    ];
    if (finding !== 'ok') return undefined;
    const isThere = connection
      .prepare("select 1 from sqlite_master where name = 'service_pay_webhook_deliveries'")
      .get();
    if (!isThere) return new Set();
    const rows = connection.prepare('select id from service_pay_webhook_deliveries').all() as {
      id: string;
    }[];
    return new Set(rows.map(({ id }) => id));
  } finally {
    connection.close();
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
  }
}

function canTrace(): boolean {
  try {
    execFileSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
