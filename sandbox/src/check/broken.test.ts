import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../app/start.ts';
import { BREAKS, checkBroken, ORIGIN } from '../test/breaks/breaks.ts';
import { KEY } from '../test/breaks/past.ts';
import { CHAPTERS } from './run-check.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const RULES = CHAPTERS.flatMap(({ rules }) => rules);

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
  test('the tests of check have a broken service for every rule, and no other', () => {
    expect(new Set(BREAKS.map(({ rule }) => rule))).toEqual(
      new Set(RULES.map(({ title }) => title)),
    );
  });

  test.each(BREAKS)('check names the broken rule: $rule ($does)', async (broken) => {
    const rules = RULES.filter(({ title }) => title === broken.rule);
    const results = await checkBroken(broken, sandbox, receiver, [{ title: '', rules }]);

    expect(results.map(({ result }) => result)).toEqual(['fails']);
  });
});
