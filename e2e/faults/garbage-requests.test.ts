import { expect, test } from 'vitest';

import { parseConfig } from '../../bff-example/src/config.ts';
import { listRoutes } from '../../bff-example/src/test-routes.ts';
import { PATHS } from './garbage-requests.ts';

test('garbage is sent to every route of the shop (F7)', () => {
  const config = parseConfig({
    PORT: '0',
    SERVICE_PAY_API_URL: 'http://localhost:4010',
    SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo',
    SESSION_SECRET: 'a-session-secret-of-the-faults-0123456789',
  });
  const paths = listRoutes(config).map((route) => route.split(' ')[1]!.replace(':reference', 'REF'));

  expect(paths.filter((path) => !PATHS.some((sent) => (path === '/assets/' ? sent.startsWith(path) : sent === path)))).toEqual([]);
});
