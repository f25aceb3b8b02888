import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const BASIC = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
};
const GOOD = { SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo', SESSION_SECRET: 'x'.repeat(32) };

describe('settings', () => {
  test('a port that is taken ends the program with one sentence', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const folder = await mkdtemp(join(tmpdir(), 'shop-'));
    const main = fileURLToPath(new URL('../../../bff-example/src/main.ts', import.meta.url));
    const env = {
      ...BASIC,
      ...GOOD,
      PORT: String(port),
      DATABASE_URL: `file:${folder}/shop.db`,
    };

    const failed = await promisify(execFile)(process.execPath, [main], { env }).catch(
      (error: unknown) => error,
    );
    holder.close();
    await rm(folder, { recursive: true });

    expect(failed).toMatchObject({
      code: 1,
      stderr: `Port ${port} is taken: end the program that uses it, or set PORT to another port (0 takes a free one).\n`,
    });
  });
});
