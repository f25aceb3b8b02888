import { expect, test } from 'vitest';

import { isLoopbackHost } from './loopback.ts';

test.each(['localhost', 'LOCALHOST', 'shop.localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])(
  '%s is this machine',
  (host) => expect(isLoopbackHost(host)).toBe(true),
);

test.each([
  '',
  '.localhost',
  'localhost.example',
  'notlocalhost',
  '127.0.0.1.example',
  '127.0.0',
  '128.0.0.1',
  '0.0.0.0',
  '::2',
  'localhost\n',
])('%j is another machine', (host) => expect(isLoopbackHost(host)).toBe(false));
