import { expect, test } from 'vitest';

import { replay } from './system-calls.ts';

const ID = '0b7f3c52-3a56-4a63-8d0f-2f1c9a6b7e22';
const hex = (text: string) =>
  [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');

test('synced writes are kept, others are lost at random, and a descriptor belongs to the file it was opened for (F11)', () => {
  const trace = [
    `7 openat(AT_FDCWD, "${hex('/db')}", O_RDWR) = 20`,
    `7 openat(AT_FDCWD, "${hex('/other')}", O_RDWR) = 21`,
    `7 pwrite64(20, "${hex('abcd')}", 4, 0) = 4`,
    `7 pwrite64(21, "${hex('zzzz')}", 4, 0) = 4`,
    '7 fdatasync(20 <unfinished ...>',
    `8 write(33, "${hex(`HTTP/1.1 200 OK\r\nx-request-id: ${ID}\r\n`)}", 70) = 70`,
    '7 <... fdatasync resumed>) = 0',
    `7 pwrite64(20, "${hex('XY')}", 2, 2) = 2`,
    '7 ftruncate(20, 3) = 0',
    `8 write(33, "${hex(`HTTP/1.1 200 OK\r\nX-Request-Id: ${ID}\r\n`)}", 70) = 70`,
  ].join('\n');

  const disks = replay(trace, ['/db'], new Set([ID]));

  expect(disks.map(({ files: [file] }) => file!.syncs)).toEqual([0, 1]);
  expect(disks.map(({ responded }) => responded.length)).toEqual([1, 2]);
  const [before, after] = disks.map(
    ({ files: [file] }) =>
      (isKept: boolean) =>
        file!.afterLoss(() => isKept).toString(),
  );
  expect([before!(false), before!(true)]).toEqual(['', 'abcd']);
  expect([after!(false), after!(true)]).toEqual(['abcd', 'abX']);
});
