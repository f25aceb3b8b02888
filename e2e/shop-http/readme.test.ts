import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSandbox } from '@service-pay/sandbox';
import { expect, onTestFinished, test } from 'vitest';

const readme = readFileSync(new URL('../../server/README.md', import.meta.url), 'utf8');
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

test("the README's Express shop takes a payment, and rejects pages of other origins (T73)", async () => {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'readme-'));
  const sandbox = await startSandbox();
  const [, example = ''] = /^```js\n([\s\S]*?)^```/m.exec(readme) ?? [];
  const code = example.replace(
    /^app\.listen\(.*\n/m,
    "const server = app.listen(0, '127.0.0.1', () => console.log('port', server.address().port));\n",
  );
  writeFileSync(join(folder, 'server.mjs'), code);
  const shop = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: { ...process.env, SERVICE_PAY_API_URL: sandbox.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void shop.kill('SIGKILL'));
  let output = '';
  await new Promise<void>((resolve) =>
    shop.stdout.on('data', (chunk) => {
      output += chunk;
      if (/port \d+\n/.test(output)) resolve();
    }),
  );
  const url = `http://127.0.0.1:${/port (\d+)/.exec(output)?.[1]}`;
  const call = (path: string, cookie = '', method = 'POST', headers = {}) =>
    fetch(url + path, { method, headers: { cookie, ...headers } });
  const placeOrder = (cookie = '') =>
    fetch(`${url}/api/orders`, {
      method: 'POST',
      headers: { cookie, 'idempotency-key': 'key-1', 'content-type': 'application/json' },
      body: '{"sku":"honey"}',
    });

  const placed = await placeOrder();
  const cookie = placed.headers.get('set-cookie')!.split(';', 1)[0]!;
  const { reference } = ((await placed.json()) as any).data;
  const again = await placeOrder(cookie);
  expect(await again.json()).toMatchObject({ data: { reference } });
  await sandbox.control.putCollection({ reference, amount: '92.50' });
  const path = `/api/payments/${reference}`;
  const verified = await call(`${path}/verify`, cookie);
  const foreign = await call(`${path}/verify`, 'owner=somebody');
  const retried = await call(`${path}/retry`, cookie);
  const events = await call(`${path}/events`, cookie, 'GET');
  const unsigned = await call('/webhooks/service-pay');
  const fromElsewhere = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
  const rejected = await Promise.all(
    ['verify', 'retry'].map((action) => call(`${path}/${action}`, cookie, 'POST', fromElsewhere)),
  );

  expect(await verified.json()).toMatchObject({ data: { reference, status: 'successful' } });
  expect(await events.text()).toContain('"status":"successful"');
  expect([foreign.status, retried.status, unsigned.status]).toEqual([404, 400, 401]);
  for (const response of rejected)
    expect([response.status, await response.json()]).toMatchObject([401, { errorCode: '13' }]);
  const ended = once(shop, 'exit');
  shop.kill('SIGKILL');
  await ended;
  await sandbox.close();
  rmSync(folder, { recursive: true });
});
