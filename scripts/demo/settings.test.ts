import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';

import { DemoSettingsError, readDemoSettings } from './settings.ts';

const FREE = { PORT: '0', SANDBOX_PORT: '0', DEMO_PORT: '0' };
const held: Server[] = [];

afterEach(() => {
  for (const server of held.splice(0)) server.close();
});

describe('settings of the demo', () => {
  test('the settings of the demo choose three different ports if 0 is requested', async () => {
    const { shopPort, sandboxPort, pagesPort } = await readDemoSettings(FREE);

    expect(new Set([shopPort, sandboxPort, pagesPort]).size).toBe(3);
    expect(Math.min(shopPort, sandboxPort, pagesPort)).toBeGreaterThan(0);
  });

  test('the settings of the demo build every address from the settled ports', async () => {
    const settings = await readDemoSettings(FREE);

    expect(settings.publicUrl).toBe(`http://localhost:${settings.shopPort}`);
    expect(settings.scriptUrl).toBe(`http://localhost:${settings.sandboxPort}/js/v1/inline.js`);
    expect(settings.webhookUrl).toBe(`http://localhost:${settings.shopPort}/webhooks/service-pay`);
  });

  test('the settings of the demo send webhooks to the public address of the shop', async () => {
    const settings = await readDemoSettings({ ...FREE, PUBLIC_URL: 'https://shop.example/' });

    expect(settings.publicUrl).toBe('https://shop.example');
    expect(settings.webhookUrl).toBe('https://shop.example/webhooks/service-pay');
  });

  test.each(['PORT', 'SANDBOX_PORT', 'DEMO_PORT'])(
    'the settings of the demo name the setting to change if the port of %s is in use',
    async (name) => {
      const port = await hold();

      await expect(readDemoSettings({ ...FREE, [name]: String(port) })).rejects.toThrow(
        new RegExp(`Port ${port} is in use. Set ${name} `),
      );
    },
  );

  test.each(['x', '-1', '1.5', '65536', '3000 '.repeat(2)])(
    'the settings of the demo reject %j as a port',
    async (value) => {
      await expect(readDemoSettings({ ...FREE, PORT: value })).rejects.toThrow(DemoSettingsError);
    },
  );

  test('the settings of the demo reject one port for two programs', async () => {
    const { shopPort } = await readDemoSettings(FREE);
    const port = String(shopPort);

    await expect(readDemoSettings({ ...FREE, PORT: port, SANDBOX_PORT: port })).rejects.toThrow(
      /used twice/,
    );
  });

  test('the settings of the demo take a free port for the demo pages if the default one is in use', async () => {
    await hold(3001).catch(() => undefined);

    const { pagesPort } = await readDemoSettings({ ...FREE, DEMO_PORT: undefined });

    expect(pagesPort).not.toBe(3001);
  });
});

async function hold(port = 0): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  held.push(server);
  return (server.address() as { port: number }).port;
}
