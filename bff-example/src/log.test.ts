import { expect, test } from 'vitest';

import { buildLog } from './log.ts';

const SECRETS = { apiToken: 'sec_canary"quoted', previousApiToken: 'sec_canary_old', sessionSecret: 'canary-session-secret-0123456789' };

test('masks secrets, card numbers and passwords in whatever is logged, at every level (T77)', () => {
  const lines: string[] = [];
  const log = buildLog({ ...SECRETS, logLevel: 'debug' }, { write: (line) => void lines.push(line) });
  const text = `${Object.values(SECRETS).join(' ')} 4242 4242 4242 4242 5555555555554444 postgres://shop:canary-password@db/shop`;

  log.error({ err: new Error(text, { cause: new Error(text) }), nested: { text } }, text);
  log.debug({ text });
  log.warn({ card: 4242424242424242, cards: [4242424242424242, 5555555555554444], text: 'a:4242424242424242,b' });

  expect(lines).toHaveLength(3);
  expect(lines.join()).not.toMatch(/sec_canary|canary-session|4242 4242|4242424242424242|5555555555554444|canary-password/);
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
});

test('leaves references, times and counts as they are', () => {
  const lines: string[] = [];
  const log = buildLog({ ...SECRETS, logLevel: 'info' }, { write: (line) => void lines.push(line) });

  log.info({ reference: 'shop-4242424242424242', ms: 1234567890123 }, 'seen');

  expect(lines[0]).toContain('shop-4242424242424242');
  expect(lines[0]).toContain('1234567890123');
});
