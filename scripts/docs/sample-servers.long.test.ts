import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { findFreePort } from '../programs/server-program.ts';
import { MarkedPage, ShellProgram } from './marked-page.ts';
import { canRun, SAMPLE_SERVERS } from './sample-servers.ts';
import { NOT_KNOWN, paid, startStandIn } from './stand-in-service.ts';

const PATIENT = { timeout: 60_000, interval: 100 };

describe.each(['python', 'php', 'go'] as const)('the server of the quick start in %s', (name) => {
  const { file, probe } = SAMPLE_SERVERS[name];
  const run = test.skipIf(!canRun(probe));
  const folder = mkdtempSync(join(tmpdir(), 'service-pay-sample-'));
  let service: Awaited<ReturnType<typeof startStandIn>>;
  let shop: ShellProgram | undefined;

  beforeAll(async () => {
    service = await startStandIn();
  });

  afterEach(() => shop?.stop());

  afterAll(() => {
    service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  run('says paid or failed only if the whole answer does, about this order (D50)', async () => {
    const { reference, ask } = await placeOrder();

    for (const [what, next] of Object.entries(NOT_KNOWN)) {
      service.answer = next;
      expect(await ask(), what).toEqual({ status: 200, said: 'pending' });
    }
    expect(shop?.output).not.toContain('ship honey');
    service.answer = paid({ status: 'failed' });
    expect(await ask()).toEqual({ status: 200, said: 'failed' });
    service.answer = paid({ amount: '92.5' });
    expect(await ask(), shop?.output).toEqual({ status: 200, said: 'successful' });
    await vi.waitFor(() => expect(shop?.output).toContain(`ship honey ${reference}`), PATIENT);
  });

  run('logs a refused token, and money that is not what was ordered (D51, D53)', async () => {
    const { reference, ask } = await placeOrder();

    service.answer = NOT_KNOWN['that it refuses the token']!;
    await ask();
    await vi.waitFor(() =>
      expect(shop?.output).toMatch(new RegExp(`not known yet: ${reference}.* 401`)),
    );
    service.answer = paid({ amount: '1.00' });
    await ask();
    await vi.waitFor(() =>
      expect(shop?.output).toContain(`paid, but not as ordered: ${reference}`),
    );
  });

  async function placeOrder() {
    const shopPort = `${await findFreePort()}`;
    const page = new MarkedPage('docs/quick-start/server.md', {
      '3000': shopPort,
      '4010': service.port,
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
