import { statSync } from 'node:fs';
import { resolve } from 'node:path';

import { type Config, ConfigError, isLoopback } from '../settings.ts';
import type { Finding } from './finding.ts';

const OLDEST_NODE = [22, 19] as const;
const READABLE_BY_OTHERS = 0o077;

/**
 * Reads the settings as the shop does at its start. Without a configuration every problem is a
 * finding.
 */
export function checkSettings(loadConfig: () => Config): {
  config: Config | undefined;
  findings: Finding[];
} {
  try {
    const config = loadConfig();
    return {
      config,
      findings: [
        {
          check: 'Settings',
          verdict: 'ok',
          says: 'Every one that is required is there and can be read.',
        },
      ],
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const findings = error.problems.map(
      (says): Finding => ({ check: 'Settings', verdict: 'problem', says }),
    );
    return { config: undefined, findings };
  }
}

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNewEnough =
    major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  if (isNewEnough) return { check: 'Node.js', verdict: 'ok', says: version };
  return {
    check: 'Node.js',
    verdict: 'problem',
    says: `${version} is too old.`,
    todo: `Use ${OLDEST_NODE.join('.')} or newer: npm install brings one for every npm run.`,
  };
}

/**
 * `.env` holds the token: whoever can read it can sign webhooks. Nothing where there is no such
 * file, or no such rights.
 */
export function checkSettingsFile(file = resolve('.env')): Finding[] {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats || process.platform === 'win32') return [];
  if (!(stats.mode & READABLE_BY_OTHERS))
    return [{ check: '.env', verdict: 'ok', says: 'Only its owner can read it.' }];
  return [
    {
      check: '.env',
      verdict: 'problem',
      says: 'Other accounts of this machine can read it.',
      todo: 'chmod 600 .env',
    },
  ];
}

/**
 * Whether the keys are of one environment, as far as they say so, and of one that fits where the
 * service is.
 */
export function checkKeys({ publicKey, apiToken, apiUrl, publicUrl }: Config): Finding {
  const [ofKey, ofToken] = [environmentOf(publicKey), environmentOf(apiToken)];
  const problem = (says: string, todo: string): Finding => ({
    check: 'Keys',
    verdict: 'problem',
    says,
    todo,
  });
  if (ofKey && ofToken && ofKey !== ofToken) {
    return problem(
      `The public key is one for ${ofKey}, and the API token one for ${ofToken}.`,
      'Set SERVICE_PAY_PUBLIC_KEY and SERVICE_PAY_API_TOKEN to a pair of one environment.',
    );
  }
  if (ofKey === 'trying out' && ofToken === undefined && !isLoopback(apiUrl)) {
    return problem(
      'The public key is one for trying out, and the API token says nothing of the kind.',
      'Set SERVICE_PAY_PUBLIC_KEY to the one that belongs to the token.',
    );
  }
  if (publicUrl && isLoopback(publicUrl) && !isLoopback(apiUrl)) {
    return problem(
      'PUBLIC_URL is on this machine and the service is not: its webhooks cannot arrive.',
      'Set PUBLIC_URL to an https address that the service reaches.',
    );
  }
  return {
    check: 'Keys',
    verdict: 'ok',
    says: `Public key and API token are ${ofKey ? `of one environment, for ${ofKey}` : 'set'}.`,
  };
}

function environmentOf(key: string): 'trying out' | 'real payments' | undefined {
  if (/(?:^|[_-])(?:sandbox|test|demo|dev)(?:[_-]|$)/i.test(key)) return 'trying out';
  if (/(?:^|[_-])(?:live|prod|production)(?:[_-]|$)/i.test(key)) return 'real payments';
  return undefined;
}
