import { startSandbox } from '@service-pay/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { writeScenarios } from './scenario-docs.ts';

const page = writeScenarios();

describe('the commands of the scenarios', () => {
  let sandbox: Awaited<ReturnType<typeof startSandbox>>;

  beforeAll(async () => {
    sandbox = await startSandbox({ clock: 'virtual' });
  });
  afterAll(() => sandbox.close());

  test.each([
    ['declined-then-paid', 'successful'],
    ['declined-for-good', 'failed'],
    ['webhook-lost', 'successful'],
  ])('of %s end with the payment %s', async (name, status) => {
    const reference = `order-${name}`;
    for (const { path, body } of readCalls(name)) {
      const response = await fetch(`${sandbox.url}/_sandbox/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: body.replace(/<reference[^>]*>/, reference).replace(/<amount[^>]*>/, '92.50'),
      });
      expect(response.status, await response.text()).toBeLessThan(300);
    }

    const { rows } = await sandbox.control.collections();
    expect(rows.find((row) => row.reference === reference)).toMatchObject({ status });
  });

  test('pay an order of the reader, with a curl of any age', () => {
    expect(page).not.toContain('--json');
    expect(page.match(/"reference": "(?!<)/g)).toBeNull();
  });
});

/** Reads the calls of one scenario, a loop of calls as often as it runs. */
function readCalls(name: string): { path: string; body: string }[] {
  const [, section = ''] = page.split(`\n## ${name}\n`);
  const [, code = ''] = /```sh\n([\s\S]*?)```/.exec(section) ?? [];
  return code.split('\n').flatMap((line) => {
    const [, path] = /_sandbox\/([\w/-]+)/.exec(line) ?? [];
    const [, attempts = '1'] = /for \w+ in ([\d ]+);/.exec(line) ?? [];
    const [, body = '{}'] = /'(\{.*\})'/.exec(line) ?? [];
    return path ? attempts.split(' ').map(() => ({ path, body })) : [];
  });
}
