import { expect, test } from 'vitest';

import { isLoopbackHost, isServerAddress } from './loopback.ts';

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

test.each([
  'https://pay.example',
  'https://pay.example/api',
  'http://localhost:4010',
  'http://[::1]',
])('%s can be the address of a server', (address) => expect(isServerAddress(address)).toBe(true));

test.each([
  '',
  'pay.example',
  'http://pay.example',
  'ftp://localhost',
  'https://user@pay.example',
  'https://:password@pay.example',
  'https://pay.example?key=1',
  'https://pay.example#part',
])('%j cannot', (address) => expect(isServerAddress(address)).toBe(false));
