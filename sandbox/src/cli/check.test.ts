import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { formatResult, parseCheckOptions } from './check.ts';

const NEEDED = ['--url', 'https://pay.example', '--key', 'pub_1', '--token', 'sec_1'];

describe('service-pay-sandbox check', () => {
  test('names every wrong argument at once', () => {
    expect(() => parseCheckOptions(['--patience', '0', '--origin', 'shop'])).toThrow(
      [
        '--url must be the origin of the service, such as https://pay.example.',
        '--key must be the public key of a merchant.',
        '--token must be the secret API token of that merchant.',
        '--origin must be an origin, such as https://shop.example.',
        '--patience must be 1 to 1440 minutes.',
      ].join('\n'),
    );
  });

  test('reads the numbers of a service from a file, and names a wrong field', () => {
    const folder = mkdtempSync(join(tmpdir(), 'check-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'numbers.json');
    writeFileSync(file, '{"cards":{"successful":"4000 0000"}}');

    expect(parseCheckOptions([...NEEDED, '--numbers', file]).numbers).toEqual({
      cards: { successful: '4000 0000' },
      phones: {},
    });

    writeFileSync(file, '{"cards":{"succesful":"4000 0000"}}');
    expect(() => parseCheckOptions([...NEEDED, '--numbers', file])).toThrow('cards.succesful');
  });

  test('prints what a service did instead, and the sentence that asks for more', () => {
    expect(
      formatResult({
        chapter: 'Files',
        rule: 'A rule',
        because: 'Do this.',
        result: 'fails',
        reason: 'It did that.',
      }),
    ).toBe('  fails      A rule\n             It did that.\n             Required: Do this.\n');
  });
});
