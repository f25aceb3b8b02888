import { createServer } from 'node:net';

export interface DemoSettings {
  shopPort: number;
  sandboxPort: number;
  pagesPort: number;
  /** The address browsers reach the shop at. */
  publicUrl: string;
  sandboxUrl: string;
  scriptUrl: string;
  webhookUrl: string;
}

export class DemoSettingsError extends Error {
  override name = 'DemoSettingsError';
}

/**
 * Reads the demo's settings and chooses every port: 0 takes a free one, and so do the demo pages if
 * their default port is in use. Throws a sentence that names the setting if a port is malformed or
 * in use.
 */
export async function readDemoSettings(
  environment: Record<string, string | undefined>,
): Promise<DemoSettings> {
  const shopPort = await settlePort('PORT', environment['PORT'], 3000);
  const sandboxPort = await settlePort('SANDBOX_PORT', environment['SANDBOX_PORT'], 4010, [
    shopPort,
  ]);
  const pagesPort = await settlePort(
    'DEMO_PORT',
    environment['DEMO_PORT'] || ((await isFree(3001)) ? '3001' : '0'),
    3001,
    [shopPort, sandboxPort],
  );
  const twice = [shopPort, sandboxPort, pagesPort].find(
    (port, at, ports) => ports.indexOf(port) !== at,
  );
  if (twice)
    throw new DemoSettingsError(
      `Port ${twice} is used twice. PORT, SANDBOX_PORT and DEMO_PORT must differ.`,
    );

  const publicUrl = (environment['PUBLIC_URL'] || `http://localhost:${shopPort}`).replace(
    /\/+$/,
    '',
  );
  const sandboxUrl = `http://localhost:${sandboxPort}`;
  return {
    shopPort,
    sandboxPort,
    pagesPort,
    publicUrl,
    sandboxUrl,
    scriptUrl: `${sandboxUrl}/js/v1/inline.js`,
    webhookUrl: `${publicUrl}/webhooks/service-pay`,
  };
}

async function settlePort(
  name: string,
  value: string | undefined,
  otherwise: number,
  settled: readonly number[] = [],
): Promise<number> {
  const port = value ? Number(value) : otherwise;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new DemoSettingsError(`${name} must be a port from 0 to 65535 (0 picks a free one).`);
  }
  if (port === 0) {
    // the system may offer a port twice until something listens on it
    const free = await listenOnce(0, '127.0.0.1');
    return settled.includes(free) ? settlePort(name, value, otherwise, settled) : free;
  }
  if (await isFree(port)) return port;
  throw new DemoSettingsError(
    `Port ${port} is in use. Set ${name} to another port (0 picks a free one), or stop the other program.`,
  );
}

/**
 * A port is free only if neither all interfaces nor loopback alone is taken: programs differ in
 * which of the two they bind.
 */
async function isFree(port: number): Promise<boolean> {
  try {
    await listenOnce(port, '127.0.0.1');
    await listenOnce(port);
    return true;
  } catch {
    return false;
  }
}

function listenOnce(port: number, host?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, ...(host && { host }) }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}
