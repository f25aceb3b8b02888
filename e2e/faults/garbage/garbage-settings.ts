import * as settings from '@service-pay/server/settings';
import fc from 'fast-check';

import type { Findings } from '../harness.ts';
import { importMutant } from '../mutants.ts';

const MARK = 's3cr3t';

const SOUND: Record<string, string> = {
  PORT: '3000',
  SANDBOX_PORT: '4010',
  PUBLIC_URL: 'https://shop.example',
  DATABASE_URL: 'file:.data/shop.db',
  SERVICE_PAY_API_URL: 'https://pay.example',
  SERVICE_PAY_SCRIPT_URL: 'https://pay.example/js/v1/inline.js',
  SERVICE_PAY_PUBLIC_KEY: 'pub_live_1',
  SERVICE_PAY_API_TOKEN: `sec_live_${MARK}`,
  SERVICE_PAY_API_TOKEN_PREVIOUS: `sec_live_${MARK}_old`,
  SESSION_SECRET: `${MARK}${'x'.repeat(32)}`,
  TRUST_PROXY: '1',
  LOG_LEVEL: 'info',
  NODE_TLS_REJECT_UNAUTHORIZED: '1',
};

const STARTS = [
  '',
  'http://',
  'https://',
  'postgres://',
  'postgresql://',
  'postgres://u:',
  'file:',
  'sec_',
  'pub_',
  'https://[',
  'javascript:',
  '0',
  '-',
  '\0',
  '\r\n',
  '\u202e',
  '%',
  '__proto__',
];
const ENDS = [
  '',
  '@localhost/x',
  ':99999',
  '/..',
  '?x=1',
  '#',
  '\n',
  '\u0000',
  '%00',
  '@h:5432/d?host=/x',
  '/'.repeat(500),
  'x'.repeat(5_000),
];

const spoiled = fc.oneof(
  fc
    .tuple(fc.constantFrom(...STARTS), fc.constantFrom(...ENDS))
    .map(([start, end]) => `${start}${MARK}${end}`),
  fc
    .tuple(fc.constantFrom(...STARTS), fc.string({ unit: 'binary', maxLength: 30 }))
    .map(([start, text]) => `${start}${text}${MARK}`),
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    '65536',
    '1e3',
    '٣',
    'true',
    'null',
    'http://',
    'https://',
    'file:',
    'postgres://',
  ),
);
const environment = fc
  .record({
    spoil: fc.dictionary(fc.constantFrom(...Object.keys(SOUND)), spoiled, { maxKeys: 6 }),
    drop: fc.subarray(Object.keys(SOUND), { maxLength: 4 }),
  })
  .map(({ spoil, drop }) =>
    Object.fromEntries(
      Object.entries({ ...SOUND, ...spoil }).filter(([name]) => !drop.includes(name)),
    ),
  );

export async function feedSettings(
  findings: Findings,
  count: number,
  mutant: string | undefined,
): Promise<void> {
  const { parseConfig } = { ...settings, ...(await importMutant(mutant)) };
  let taken = 0;
  let refused = 0;
  const property = fc.property(environment, (given) => {
    try {
      if (!Object.isFrozen(parseConfig(given))) throw new Error('Settings can be changed.');
      taken += 1;
    } catch (error) {
      const { name, message, problems } = error as Error & { problems: unknown };
      if (name !== 'ConfigError')
        throw new Error('Something else than a ConfigError came out.', { cause: error });
      if (!Array.isArray(problems) || !problems.length) throw new Error('No problem was named.');
      if (message.includes(MARK)) throw new Error('A value was shown.');
      refused += 1;
    }
  });
  const { failed, counterexample, errorInstance } = fc.check(property, {
    numRuns: count,
    seed: Number(findings.figures.seed),
  });
  findings.figures.settings = count;
  findings.require('settings taken', taken, count / 1_000);
  findings.require('settings refused', refused, count / 10);
  if (failed)
    findings.failures.push(
      `settings: ${(errorInstance as Error).message} ${JSON.stringify(counterexample)}`,
    );
}
