import { ConfigError, parseConfig } from '@service-pay/bff-example/config';
import { describe, expect, test } from 'vitest';

const GOOD = { SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo', SESSION_SECRET: 'x'.repeat(32) };

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    parseConfig(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).problems;
  }
  return [];
}

describe("the shop's settings", () => {
  test('settings have the documented defaults, and are frozen', () => {
    const config = parseConfig(GOOD);

    expect(config).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      publicUrl: 'http://localhost:3000',
      apiUrl: 'http://localhost:4010',
      scriptUrl: 'http://localhost:4010/js/v1/inline.js',
      publicKey: 'pub_sandbox_demo',
      previousApiToken: undefined,
      trustedProxies: 0,
      logLevel: 'info',
    });
    expect(config.databaseUrl).toMatch(/^file:\/.+\/\.data\/shop\.db$/);
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('wrong settings name every problem at once and no value (T78, D58)', () => {
    const problems = problemsOf({
      PORT: '70000',
      SERVICE_PAY_API_URL: 'http://pay.example/s3cret',
      LOG_LEVEL: 'loud-s3cret',
      TRUST_PROXY: 'yes',
    });

    expect(problems.map((problem) => problem.split(' ', 1)[0])).toEqual([
      'PORT',
      'SERVICE_PAY_API_URL',
      'SERVICE_PAY_API_TOKEN',
      'SESSION_SECRET',
      'TRUST_PROXY',
      'LOG_LEVEL',
    ]);
    expect(problems.join()).not.toContain('s3cret');
  });

  test('a missing setting is reported with what it is and where it comes from', () => {
    const [token, secret] = problemsOf({});

    expect(token).toMatch(
      /^SERVICE_PAY_API_TOKEN is required\. It must be the secret API token from the provider/,
    );
    expect(secret).toMatch(/^SESSION_SECRET is required\. It must be 32 or more random characters/);
  });

  test.each([
    [
      'the public key of the shop as token',
      { SERVICE_PAY_PUBLIC_KEY: 'some-own-key', SERVICE_PAY_API_TOKEN: 'some-own-key' },
      /^SERVICE_PAY_API_TOKEN/,
    ],
    ['a token as public key', { SERVICE_PAY_PUBLIC_KEY: 'sec_live_1' }, /^SERVICE_PAY_PUBLIC_KEY/],
    [
      'the public key of the shop as the token before',
      { SERVICE_PAY_PUBLIC_KEY: 'some-own-key', SERVICE_PAY_API_TOKEN_PREVIOUS: 'some-own-key' },
      /^SERVICE_PAY_API_TOKEN_PREVIOUS must be a secret API token: this is the public key\.$/,
    ],
    ['a short secret', { SESSION_SECRET: 'short' }, /^SESSION_SECRET/],
    [
      'a name to listen on',
      { HOST: 'shop.example' },
      /^HOST must be an IP address of this machine/,
    ],
  ])('settings reject %s (T78)', (_name, settings, problem) => {
    expect(problemsOf({ ...GOOD, ...settings })).toEqual([expect.stringMatching(problem)]);
  });

  test('settings that do not go together are named beside those that are wrong', () => {
    const problems = problemsOf({
      SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo',
      SERVICE_PAY_API_URL: 'https://pay.example',
      PORT: 'x',
    });

    expect(problems.map((problem) => problem.split(' ', 1)[0])).toEqual([
      'PORT',
      'SESSION_SECRET',
      'SERVICE_PAY_API_TOKEN',
      'SERVICE_PAY_SCRIPT_URL',
    ]);
  });

  test.each([
    [{}, '127.0.0.1'],
    [{ PORT: '0' }, '127.0.0.1'],
    [{ PUBLIC_URL: 'http://localhost:3000' }, '127.0.0.1'],
    [{ PUBLIC_URL: 'https://shop.example' }, undefined],
    [{ HOST: '0.0.0.0' }, '0.0.0.0'],
    [{ HOST: '::' }, '::'],
    [{ HOST: '127.0.0.1', PUBLIC_URL: 'https://shop.example' }, '127.0.0.1'],
  ])('settings with %j listen on %s; undefined is every interface', (settings, host) => {
    expect(parseConfig({ ...GOOD, ...settings } as Record<string, string>).host).toBe(host);
  });
});
