import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../app/start.ts';
import type { Control } from '../../control/client.ts';
import { checkTinyShop } from '../../test/check-tiny-shop.ts';
import type { RuleResult } from '../run-rules.ts';
import { BEGINNING } from './chapters/beginning.ts';
import { SHOP_CHAPTERS } from './run-check-shop.ts';

const DOCS = fileURLToPath(new URL('../../../../docs/', import.meta.url));
const README = fileURLToPath(new URL('../../../../server/README.md', import.meta.url));

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

describe.concurrent('the check of a good shop', () => {
  test.each([
    ['', {}],
    [' that verifies in the background', { isLate: true }],
  ])(
    'check-shop finds that a shop%s keeps every rule, but one that takes minutes',
    async (_how, ways) => {
      await using own = await startSandbox();
      const results = await checkTinyShop(own, ways);

      expect(results.filter(({ result }) => result !== 'ok')).toMatchObject([
        { result: 'not tried', rule: 'A payment whose webhook is lost is found without a page' },
      ]);
      expect(results.length).toBeGreaterThan(40);
    },
  );
});

describe('the check of a shop', () => {
  test.each([
    ['USD', '92.50'],
    ['JPY', '9250'],
  ])(
    'check-shop finds that a good shop which charges in %s keeps every rule',
    async (currency, amount) => {
      const isMoney = (title: string) =>
        /pending until|Another amount|Another currency/.test(title);
      const results = await checkTinyShop(
        sandbox,
        { price: () => ({ amount, currency }) },
        {},
        isMoney,
      );

      expect(results.filter(({ result }) => result !== 'ok')).toEqual([]);
    },
  );

  test('check-shop says that --fulfilled lists other words than references', async () => {
    const fulfil = (list: string[]) => void list.push(`order ${17 + list.length}`);
    const results = await checkTinyShop(sandbox, { fulfil }, {}, (title) =>
      title.includes('fulfilled'),
    );

    expect(results.find(({ result }) => result === 'fails')).toMatchObject({
      reason:
        '--fulfilled lists no reference of a paid order, but for example "17". List the reference of each payment, not the id of its order.',
    });
  });

  test('check-shop has the cookies and the headers of a page that a framework demands', async () => {
    const demands = { token: 'csrftoken', header: 'x-csrftoken' };
    const isWanted = (title: string) => /price|retry returns|is failed/.test(title);
    const without = await checkTinyShop(sandbox, { demands }, {}, isWanted);
    const page = { pagePath: '/', pageHeaders: [['X-CSRFToken', '{cookie:csrftoken}']] as const };
    const given = await checkTinyShop(sandbox, { demands }, page, isWanted);

    expect(without[1]).toMatchObject({ result: 'fails', reason: expect.stringContaining('403') });
    expect(given.filter(({ result }) => result !== 'ok')).toEqual([]);
    expect(given).toHaveLength(BEGINNING.rules.length + 3);
  });

  test('check-shop quotes sentences of the docs', () => {
    const pages = [...globSync(`${DOCS}**/*.md`), README]
      .map((file) => readFileSync(file, 'utf8').replace(/\s+/g, ' '))
      .join('\n');
    const rules = [BEGINNING, ...SHOP_CHAPTERS].flatMap((chapter) => chapter.rules);

    expect(rules.filter(({ because }) => !pages.includes(because))).toEqual([]);
  });
});

describe('the check of a shop ends after one line', () => {
  const expectOneLine = (results: RuleResult[], reason: string | RegExp) => {
    const [first, ...others] = results.filter(({ result }) => result !== 'ok');
    expect(first).toMatchObject({ result: 'fails', reason: expect.stringMatching(reason) });
    expect(others.length).toBeGreaterThan(40);
    expect(others.filter(({ isSkipped }) => !isSkipped)).toEqual([]);
  };

  test('check-shop ends after one line without a shop', async () => {
    expectOneLine(
      await checkTinyShop(sandbox, {}, { url: 'http://localhost:1' }),
      /^No shop responds at http:\/\/localhost:1: .* nothing listens at .*--shop\.$/,
    );
  });

  test('check-shop ends after one line without a sandbox', async () => {
    const gone = await startSandbox();
    await gone.close();

    expectOneLine(
      await checkTinyShop(gone),
      /^No sandbox responds at http.*: nothing listens at .*--sandbox\.$/,
    );
  });

  test('check-shop ends after one line with a sandbox whose clock is stopped', async () => {
    const stopped = await startOther({ clock: 'virtual' });

    expectOneLine(await checkTinyShop(stopped), 'The clock of the sandbox is stopped.');
  });

  test('check-shop ends after one line with a shop that places no order for this body', async () => {
    const results = await checkTinyShop(sandbox, {}, { orderBody: '{"sku":"gold"}' });

    expectOneLine(results, /^The response to POST \/api\/orders \(HTTP 400\)/);
  });

  test.each([
    [
      'a sentence in JSON',
      { data: [], message: 'Unknown goods.', more: 'x'.repeat(300) },
      'Unknown goods.',
    ],
    ['a page', `<html><title>403 Forbidden</title>${'x'.repeat(300)}`, '403 Forbidden'],
    ['a long text', 'x'.repeat(300), `${'x'.repeat(200)}…`],
    ['a terminal code and the token', '\u001b[2J for sec_sandbox_demo', '\ufffd[2J for •••'],
  ])(
    'check-shop ends after one line with the reason of a shop that responds with %s',
    async (_what, said, reason) => {
      const text = typeof said === 'string' ? said : JSON.stringify(said);
      const brokenOrder = { status: 400, text };
      const [, placed] = await checkTinyShop(sandbox, { brokenOrder }, { orderBody: '{}' });

      expect(placed?.reason).toBe(
        `The response to POST /api/orders (HTTP 400) should be 200 or 201. ${reason}`,
      );
    },
  );

  test('check-shop ends after one line with a shop whose public key is not of this sandbox', async () => {
    const payable = (one: object) => ({ ...one, key: 'pub_elsewhere' });

    expectOneLine(
      await checkTinyShop(sandbox, { payable }),
      "The order's key, pub_elsewhere, is not",
    );
  });

  test('check-shop ends after one line with a shop that verifies at another service', async () => {
    const other = await startOther();

    expectOneLine(await checkTinyShop(sandbox, { serviceUrl: other.url }), 'SERVICE_PAY_API_URL');
  });

  test('check-shop ends after one line with another token than the sandbox signs with', async () => {
    const results = await checkTinyShop(sandbox, {}, { token: 'sec_of_somebody' });

    expectOneLine(results, /^The sandbox signs webhooks with another token\..*--token/);
    expect(JSON.stringify(results)).not.toContain('sec_of_somebody');
  });
});

describe('the sandbox of a checked shop', () => {
  test('the sandbox of a checked shop has its faults, its armed scenario and its merchant again at the end', async () => {
    const other = await startOther();
    const { control } = other;
    const webhookUrl = 'http://localhost:9/hooks';
    await control.putMerchant('pub_sandbox_demo', { webhookUrl, events: ['collection.failed'] });
    await control.setFaults({ merchantApi: { rate: 0.5, kind: 'latency', latencyMs: 1 } });
    await control.armScenario('webhook-lost');
    const before = await stateOf(other);

    await checkTinyShop(other, {}, {}, (title) => title.startsWith('The service away'));

    expect(await stateOf(other)).toEqual(before);
  });

  test('the sandbox of a checked shop is restored as far as possible if a part of that fails', async () => {
    const other = await startOther();
    await other.control.setFaults({ merchantApi: { rate: 0, kind: 'reset' } });
    await other.control.armScenario('webhook-lost');
    const [, merchants, ...armed] = await stateOf(other);
    const setFaults: Control['setFaults'] = (faults) =>
      faults.merchantApi?.rate === 0
        ? Promise.reject(new Error('No faults today.'))
        : other.control.setFaults(faults);
    const failing = { ...other, control: { ...other.control, setFaults } };

    const isWanted = (title: string) => title.startsWith('The price');
    await expect(checkTinyShop(failing, {}, {}, isWanted)).rejects.toThrow('No faults today.');
    expect((await stateOf(other)).slice(1)).toEqual([merchants, ...armed]);
  });

  async function stateOf({ control }: Sandbox) {
    const { armed, armedFor } = await control.scenarios();
    return [await control.faults(), await control.merchants(), armed, armedFor];
  }
});

async function startOther(options: Parameters<typeof startSandbox>[0] = {}): Promise<Sandbox> {
  const other = await startSandbox(options);
  onTestFinished(() => other.close());
  return other;
}
