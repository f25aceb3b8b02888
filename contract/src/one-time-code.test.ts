import { expect, test } from 'vitest';

import { findOneTimeCode } from './one-time-code.ts';

test.each([
  ['000000', '000000'],
  [' 0000-0000 ', '00000000'],
  ['\u202a１２３４\u202c', '1234'],
  ['000', undefined],
  ['000000000', undefined],
  ['00000a', undefined],
  ['', undefined],
])('a one-time code "%s" is read as %s (T47, T128)', (text, code) => {
  expect(findOneTimeCode(text)).toBe(code);
});
