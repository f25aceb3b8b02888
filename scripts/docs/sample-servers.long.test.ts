import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { findFreePort } from '../programs/server-program.ts';
import { MarkedPage, ShellProgram } from './marked-page.ts';
import { canRun, type Language, SAMPLE_SERVERS } from './sample-servers.ts';

const PATIENT = { timeout: 60_000, interval: 100 };

/** How a service answers, with the reference that it was asked about. */
type Answer = (reference: string) => { status?: number; body: unknown };

const PAID = { status: 'successful', amount: '92.50', currency: 'ZMW' };

function paid(change: object = {}, envelope: object = {}): Answer {
  return (reference) => ({
    body: { status: true, message: '', data: { reference, ...PAID, ...change }, ...envelope },
  });
}

const NOT_KNOWN: Record<string, Answer> = {
  'an envelope that says false': paid({}, { status: false }),
  'an envelope that says "true" as text': paid({}, { status: 'true' }),
  'an envelope without a status': paid({}, { status: undefined }),
  'a failure in an envelope that says false': paid({ status: 'failed' }, { status: false }),
  'a failure of another reference': paid({ status: 'failed', reference: 'other' }),
  'another reference': paid({ reference: 'other' }),
  'no reference': paid({ reference: undefined }),
  'another currency': paid({ currency: 'USD' }),
  'no currency': paid({ currency: undefined }),
  'a smaller amount': paid({ amount: '92.49' }),
  'an amount that is larger by less than a cent': paid({ amount: '92.504' }),
  'an amount that is no number': paid({ amount: 'a lot' }),
  'an amount that is a list': paid({ amount: ['92.50'] }),
  'an amount that is no comparable number': paid({ amount: 'sNaN' }),
  'no amount': paid({ amount: undefined }),
  'another status': paid({ status: 'SUCCESSFUL' }),
  'no data': paid({}, { data: null }),
  'data that is a list': paid({}, { data: [PAID] }),
  'no object': () => ({ body: ['paid'] }),
  null: () => ({ body: null }),
  'no JSON': () => ({ body: Buffer.from('<html>') }),
  nothing: () => ({ body: Buffer.alloc(0) }),
  'a success with status 500': (reference) => ({ ...paid()(reference), status: 500 }),
  'no such collection, before the first attempt': () => ({
    status: 404,
    body: { status: false, message: 'Resource not found.', errorCode: '11' },
  }),
  'that it refuses the token': () => ({
    status: 401,
    body: { status: false, message: 'Unauthorized.', errorCode: '09' },
  }),
};

describe.each(['python', 'php', 'go'] as const)('the server of the quick start in %s', (name) => {
  const { file, probe } = SAMPLE_SERVERS[name as Language];
  const run = test.skipIf(!canRun(probe));
  const folder = mkdtempSync(join(tmpdir(), 'service-pay-sample-'));
  let answer: Answer = paid();
  let shop: ShellProgram | undefined;

  const service = createServer(({ url = '' }, response) => {
    const { status = 200, body } = answer(url.replace(/^.*\//, ''));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });

  beforeAll(async () => {
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
  });

  afterEach(() => shop?.stop());

  afterAll(() => {
    service.closeAllConnections();
    service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  run('takes nothing for paid or failed but a sound answer about this order (D50)', async () => {
    const { reference, ask } = await placeOrder();

    for (const [what, next] of Object.entries(NOT_KNOWN)) {
      answer = next;
      expect(await ask(), what).toEqual({ status: 200, said: 'pending' });
    }
    expect(shop?.output).not.toContain('ship honey');
    answer = paid({ status: 'failed' });
    expect(await ask()).toEqual({ status: 200, said: 'failed' });
    answer = paid({ amount: '92.5' });
    expect(await ask(), shop?.output).toEqual({ status: 200, said: 'successful' });
    await vi.waitFor(() => expect(shop?.output).toContain(`ship honey ${reference}`), PATIENT);
  });

  run('logs a refused token, and money that is not what was ordered (D51, D53)', async () => {
    const { reference, ask } = await placeOrder();

    answer = NOT_KNOWN['that it refuses the token']!;
    await ask();
    await vi.waitFor(() =>
      expect(shop?.output).toMatch(new RegExp(`not known yet: ${reference}.* 401`)),
    );
    answer = paid({ amount: '1.00' });
    await ask();
    await vi.waitFor(() =>
      expect(shop?.output).toContain(`paid, but not as ordered: ${reference}`),
    );
  });

  async function placeOrder() {
    const { port } = service.address() as AddressInfo;
    const shopPort = `${await findFreePort()}`;
    const page = new MarkedPage('docs/quick-start/server.md', {
      '3000': shopPort,
      '4010': `${port}`,
    });
    page.write(folder, file);
    page.write(folder, 'public/index.html');
    const started = new ShellProgram(page.command(name), folder);
    shop = started;
    const shopUrl = `http://localhost:${shopPort}`;
    const order = await vi.waitFor(async () => {
      if (started.hasEnded) throw new Error(started.output);
      const placed = await fetch(`${shopUrl}/api/orders`, {
        method: 'POST',
        body: '{"sku":"honey"}',
      });
      return (await placed.json()) as { data: { reference: string } };
    }, PATIENT);
    const { reference } = order.data;
    const ask = async () => {
      const verified = await fetch(`${shopUrl}/api/payments/${reference}/verify`, {
        method: 'POST',
      });
      const text = await verified.text();
      const said = /"status": ?"(\w+)"/.exec(text)?.[1] ?? text;
      return { status: verified.status, said };
    };
    return { reference, ask };
  }
});
