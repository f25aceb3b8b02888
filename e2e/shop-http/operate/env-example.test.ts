import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { parseConfig, SETTING_NAMES } from '@service-pay/bff-example/config';
import { describe, expect, test } from 'vitest';

const example = parseEnv(
  readFileSync(new URL('../../../bff-example/.env.example', import.meta.url), 'utf8'),
);
const required = {
  SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo',
  SESSION_SECRET: 'a-session-secret-of-the-tests-0123456789',
};

describe('.env.example', () => {
  test('.env.example lists every setting, and none that is not one', () => {
    expect(Object.keys(example).sort()).toEqual([...SETTING_NAMES].sort());
  });

  test('.env.example shows the defaults, and no secret', () => {
    expect(parseConfig({ ...example, ...required })).toEqual(parseConfig(required));
    for (const name of Object.keys(required)) expect(example[name]).toBe('');
  });
});
