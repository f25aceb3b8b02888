import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../app/start.ts';
import { BREAKS, checkBroken, ORIGIN } from '../test/breaks/breaks.ts';
import { KEY } from '../test/breaks/past.ts';
import type { RuleResult } from './run-rules.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

/** Rules that take more than a minute of the service's time. */
const SLOW_RULES = [
  'It can be opened again after its session has ended',
  'An attempt that runs when the time of its session is over still counts',
  'An extension restarts the time limit',
  'It comes again until it is acknowledged',
];

let receiver: WebhookReceiver;
let sandbox: Sandbox;
beforeAll(async () => {
  receiver = await startWebhookReceiver(0);
  const webhookUrl = `http://localhost:${receiver.port}/`;
  sandbox = await startSandbox({ clock: 'virtual', webhookUrl });
  await sandbox.control.putMerchant(KEY, { allowedOrigins: [ORIGIN] });
});
afterAll(async () => {
  await sandbox.close();
  await receiver.close();
});

describe('the check of a service that breaks one rule', () => {
  test.each(BREAKS)(
    'check names the broken rule first, and alone: $rule ($does)',
    async (broken) => {
      const changed = SLOW_RULES.includes(broken.rule) ? {} : { patienceMs: 60_000 };
      const results = await checkBroken(broken, sandbox, receiver, undefined, changed);
      const failed = results.filter(({ result }) => result === 'fails').map(({ rule }) => rule);
      const isWrong = ({ result, isBlocked }: RuleResult) => result === 'fails' || isBlocked;

      expect(failed).toEqual([broken.rule]);
      expect(results.find(isWrong)?.rule).toBe(broken.rule);
    },
  );
});
