import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';

import { parseConfig } from '../config.ts';
import { runShopProgram } from './test-command.ts';

test('a sandbox whose port is taken says so, and ends with 1', async () => {
  const other = createServer();
  onTestFinished(() => void other.close());
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port } = other.address() as AddressInfo;
  const config = parseConfig({
    SERVICE_PAY_API_URL: `http://localhost:${port}`,
    SERVICE_PAY_SCRIPT_URL: `http://localhost:${port}/js/v1/inline.js`,
    SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo',
    SESSION_SECRET: 'x'.repeat(32),
  });

  const { code, stderr } = await runShopProgram('sandbox', config, []);

  expect(stderr).toContain(`Port ${port} is taken.`);
  expect(code).toBe(1);
});
