import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ERROR_CODES } from '@service-pay/contract/envelope';
import { describe, expect, test } from 'vitest';
import { CONVERSATIONS, listConversations, playConversation } from './conversations.ts';

const read = (file: string) => readFileSync(CONVERSATIONS + file, 'utf8');
const readme = read('README.md');
const everything = listConversations().map(read).join('\n');
const hasOpenssl = spawnSync('sh', ['-c', 'openssl version']).status === 0;

describe('the recorded conversations', () => {
  test.each(listConversations())('match their file: %s', async (file) => {
    await expect(await playConversation(read(file))).toMatchFileSnapshot(CONVERSATIONS + file);
  });

  test("are all in the README's table", () => {
    expect(listConversations().filter((file) => !readme.includes(`](${file})`))).toEqual([]);
  });

  test('cover every error code (specification 7)', () => {
    const codes = [...everything.matchAll(/"errorCode": "(\d\d)"/g)].map(([, code]) => code);

    expect([...new Set(codes)].sort()).toEqual(Object.keys(ERROR_CODES).sort());
  });

  test('replace varying values by names that the README explains', () => {
    const names = [...everything.matchAll(/\{\{([a-z-]+?)(?:-\d+)?\}\}/g)].map(([, name]) => name!);
    const explained = (name: string) =>
      readme.includes(`\`{{${name}}}\``) || readme.includes(`{{${name}}} `) || name.endsWith('id');

    expect([...new Set(names)].filter((name) => !explained(name))).toEqual([]);
    expect(everything).not.toMatch(/localhost:\d|127\.0\.0\.1:\d/);
  });

  test.skipIf(!hasOpenssl)(
    'contain a webhook whose signature can be checked by hand as the README says (D41)',
    () => {
      const [, commands = ''] = /```sh\n(key=[\s\S]*?)```/.exec(readme) ?? [];
      const [, signature] =
        /^X-ServicePay-Signature: ([0-9a-f]{128})$/m.exec(read('webhook.http')) ?? [];

      expect(
        execFileSync('sh', ['-c', commands], { cwd: CONVERSATIONS, encoding: 'utf8' }).trim(),
      ).toBe(signature);
    },
  );
});
