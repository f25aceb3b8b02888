import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

test('a sandbox whose port is taken says so, and ends with 1', async () => {
  const other = createServer();
  onTestFinished(() => void other.close());
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port } = other.address() as AddressInfo;
  const env = {
    SERVICE_PAY_API_URL: `http://localhost:${port}`,
    SERVICE_PAY_SCRIPT_URL: `http://localhost:${port}/js/v1/inline.js`,
    SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo',
    SESSION_SECRET: 'x'.repeat(32),
  };
  const program = fileURLToPath(new URL('../../../bff-example/src/sandbox.ts', import.meta.url));

  await expect(promisify(execFile)(process.execPath, [program], { env })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Port ${port} is in use.`),
  });
});
