import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSandbox } from '@service-pay/sandbox';
import { SCENARIOS } from '@service-pay/sandbox/documented';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ROOT } from '../programs/run-tool.ts';

const page = readFileSync(join(ROOT, 'docs/scenarios.md'), 'utf8');

describe('the commands of the scenarios', () => {
  let sandbox: Awaited<ReturnType<typeof startSandbox>>;

  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());

  test.each([
    ['declined-then-paid', 'successful'],
    ['declined-for-good', 'failed'],
    ['webhook-lost', 'successful'],
    ['webhook-late', 'successful'],
  ])('the commands of the scenario %s end with the payment %s', async (name, status) => {
    const reference = `order-${name}`;
    const { attempts } = SCENARIOS.find((scenario) => scenario.name === name)!;
    for (const { method, path, body } of readCalls()) {
      const times = path === 'pay' ? (attempts?.length ?? 1) : 1;
      for (let time = 0; time < times; time++) {
        const response = await fetch(
          `${sandbox.url}/_sandbox/${path.replace('webhook-late', name)}`,
          {
            method,
            ...(method !== 'GET' && {
              headers: { 'content-type': 'application/json' },
              body: body.replace(/<reference[^>]*>/, reference).replace(/<amount[^>]*>/, '92.50'),
            }),
          },
        );
        expect(response.status, await response.text()).toBeLessThan(300);
      }
    }

    const { rows } = await sandbox.control.collections();
    expect(rows.find((row) => row.reference === reference)).toMatchObject({ status });
  });

  test('the commands of the scenarios pay an order of the reader, with a curl of any age', () => {
    expect(page).not.toContain('--json');
    expect(page).toContain('"reference": "<reference of your order>"');
  });
});

/** Reads the calls of the page's first block of commands. */
function readCalls(): { method: string; path: string; body: string }[] {
  const [, code = ''] = /```sh\n([\s\S]*?)```/.exec(page) ?? [];
  return code.split('\n').flatMap((line) => {
    const [, path] = /_sandbox\/([\w/-]+)/.exec(line) ?? [];
    const [, body = '{}'] = /'(\{.*\})'/.exec(line) ?? [];
    const [, method = line.includes(' -d ') ? 'POST' : 'GET'] = /-X (\w+)/.exec(line) ?? [];
    return path ? [{ method, path, body }] : [];
  });
}
