import { setTimeout as pause } from 'node:timers/promises';
import type { FailpointName } from '@service-pay/server/testing';
import { Findings, type Harness, type HarnessOptions, type HarnessResult } from '../harness.ts';
import { Customers } from '../shop/customers.ts';
import { countLosses, untilSettled } from '../shop/losses.ts';
import { Scene } from '../shop/scene.ts';
import { Shopping } from '../shop/shopping.ts';

const FAILPOINTS: readonly FailpointName[] = [
  'after-verify',
  'before-commit',
  'after-commit',
  'after-fulfil',
  'before-acknowledge',
];
const KILLS_EACH = { short: 2, full: 100 };

const EARLY_VISITS = 8;

const CUSTOMERS = 6;
const FULFIL_MS = 20;
const REACHED_WITHIN_MS = 30_000;
const SETTLES_WITHIN_MS = 120_000;

export const F2: Harness = {
  id: 'F2',
  what: 'killed at failpoints',
  databases: ['sqlite', 'postgres'],
  run: runF2,
  broken: [
    { name: 'marks-first' },
    { name: 'acknowledges-first', isLong: true },
    { name: 'reads-first', isLong: true },
  ],
};

export async function runF2(options: HarnessOptions): Promise<HarnessResult> {
  const findings = new Findings('F2', options);
  const { random } = findings;
  const scene = await Scene.open(options);
  const settings = await scene.settings({ fulfilMs: FULFIL_MS });
  const shopping = new Shopping(settings.port, random);
  const customers = new Customers(scene, random);
  try {
    const allShopped = customers.shop(CUSTOMERS, [shopping]);
    const kills = random.shuffle(
      FAILPOINTS.flatMap((name) => Array<FailpointName>(KILLS_EACH[options.scale]).fill(name)),
    );
    let reached = 0;
    for (const name of kills) {
      const shop = scene.begin({
        ...settings,
        failpoint: { name, visit: 1 + random.below(EARLY_VISITS) },
      });
      const ending = await Promise.race([shop.ended, pause(REACHED_WITHIN_MS)]);
      if (ending?.signal === 'SIGKILL') reached++;
      else
        findings.failures.push(
          ending
            ? `a shop ended by itself: ${shop.lines.at(-1)}`
            : `the failpoint ${name} was not reached`,
        );
      await shop.kill();
    }
    customers.stop();
    await scene.start(settings);
    await allShopped;
    findings.failures.push(...new Set(customers.rejections));
    findings.require('deaths at failpoints', reached, kills.length);
    findings.figures['settled after ms'] = await untilSettled(scene, customers, SETTLES_WITHIN_MS);
    await countLosses(scene, findings, customers);
    const again = Number(findings.figures['called again with the same key']);
    findings.require('called again with the same key', again, KILLS_EACH[options.scale]);
    return findings.result();
  } finally {
    customers.stop();
    await shopping.close();
    await scene.close();
  }
}
