import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../app/start.ts';
import { checkOptions, ORIGIN } from '../test/breaks/breaks.ts';
import { FRAME_POLICY } from './chapters/frame-page.ts';
import { type Numbers, numbersSchema, SANDBOX_NUMBERS } from './numbers.ts';
import { CHAPTERS, runCheck, START } from './run-check.ts';
import type { RuleResult } from './run-rules.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const RULES = [START, ...CHAPTERS].flatMap(({ rules }) => rules);

let receiver: WebhookReceiver;
let sandbox: Sandbox;
beforeAll(async () => {
  receiver = await startWebhookReceiver(0);
  const webhookUrl = `http://localhost:${receiver.port}/`;
  sandbox = await startSandbox({ clock: 'virtual', webhookUrl });
  await sandbox.control.putMerchant('pub_sandbox_demo', { allowedOrigins: [ORIGIN] });
});
afterAll(async () => {
  await sandbox.close();
  await receiver.close();
});

describe('the check of a service', () => {
  test('check finds that the sandbox keeps every rule', async () => {
    const results: RuleResult[] = [];
    const options = checkOptions(sandbox.url, sandbox, receiver);
    for await (const result of runCheck({ ...options, numbers: readNumbers() }))
      results.push(result);

    expect(results.filter(({ result }) => result !== 'ok')).toEqual([]);
    expect(results).toHaveLength(RULES.length);
  });

  test('check tries every number of the sandbox that the page prints', () => {
    expect(readNumbers()).toEqual(SANDBOX_NUMBERS);
  });

  test('check quotes sentences of the providers’ page or of the API', () => {
    const page = `${readPage()} ${readPage('api.md')}`;
    const quotes = RULES.map(({ because }) => because);

    expect(quotes.filter((quote) => !page.includes(quote))).toEqual([]);
  });

  test('check has the policy of the frame as the providers’ page prints it', () => {
    const [, printed = ''] = /```\s(default-src [^`]*) ```/.exec(readPage()) ?? [];
    const directives = printed.split('; ').map((one) => /^(\S+) (.*)$/.exec(one)!.slice(1));

    expect(Object.fromEntries(directives)).toEqual(FRAME_POLICY);
  });
});

/** Reads the file of `--numbers` that the page prints. */
function readNumbers(): Numbers {
  const [, printed = ''] = /```json (\{.*?\}) ```/.exec(readPage()) ?? [];
  return v.parse(numbersSchema, JSON.parse(printed));
}

function readPage(name = 'service.md'): string {
  const url = new URL(`../../../docs/${name}`, import.meta.url);
  return readFileSync(url, 'utf8').replace(/\s+/g, ' ');
}
