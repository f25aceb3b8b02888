import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ERROR_CODES } from '@service-pay/contract/envelope';
import { buildOpenApi } from '@service-pay/contract/openapi';
import { describe, expect, test } from 'vitest';
import { CONTROL_OPERATIONS } from '../api/openapi/control.ts';
import { CONTROL_COMPONENTS } from '../api/openapi/control-components.ts';
import { CONVERSATIONS, listConversations, playConversation } from './conversations.ts';

const read = (file: string) => readFileSync(CONVERSATIONS + file, 'utf8');
const readme = read('README.md');
const everything = listConversations().map(read).join('\n');
const hasOpenssl = spawnSync('sh', ['-c', 'openssl version']).status === 0;

describe('the recorded conversations', () => {
  test.each(listConversations())('match their file: %s', async (file) => {
    const conversation = read(file);

    expect(
      await playConversation(conversation),
      'Record them anew: node sandbox/src/conversations/conversations.ts',
    ).toBe(conversation);
  });

  test("are all in the README's table", () => {
    expect(listConversations().filter((file) => !readme.includes(`](${file})`))).toEqual([]);
  });

  test('cover every error code (specification 7)', () => {
    const codes = [...everything.matchAll(/"errorCode": "(\d\d)"/g)].map(([, code]) => code);

    expect([...new Set(codes)].sort()).toEqual(Object.keys(ERROR_CODES).sort());
  });

  test('cover every documented call and answer', () => {
    const exchanges = [
      ...everything.matchAll(/^(GET|POST|PUT|DELETE) (\/\S+)[\s\S]*?^HTTP\/1\.1 (\d+)/gm),
    ];
    const { paths } = buildOpenApi({
      version: '0',
      operations: CONTROL_OPERATIONS,
      components: CONTROL_COMPONENTS,
    }) as {
      paths: Record<
        string,
        Record<string, { responses: Record<string, { 'x-error-codes'?: string[] }> }>
      >;
    };
    const { '/_sandbox/events': _endless, ...ending } = paths;
    const missing = Object.entries(ending).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { responses }]) =>
        Object.keys(responses)
          .filter((status) => !isOfEveryCall(status, responses[status]!['x-error-codes']))
          .filter(
            (status) =>
              !exchanges.some(
                ([, verb, target, answered]) =>
                  verb === method.toUpperCase() && isAt(path, target!) && answered === status,
              ),
          )
          .map((status) => `${method} ${path} ${status}`),
      ),
    );

    expect(missing).toEqual([]);
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

/** Returns whether any call can get this answer; those are recorded once. */
function isOfEveryCall(status: string, codes?: readonly string[]): boolean {
  return ['413', '415', '429', '500', '503'].includes(status) || codes?.join() === '13';
}

function isAt(path: string, target: string): boolean {
  const pattern = path.replace(/\{\w+\}/g, '[^/?]+');
  return new RegExp(`^${pattern}(?:\\?.*)?$`).test(target);
}
