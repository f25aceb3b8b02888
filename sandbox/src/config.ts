import { parseArgs } from 'node:util';

import { isAllowedWebhookUrl } from './control-api.ts';
import { isHostName } from './guard.ts';

/** What a run of the program was asked for. */
export interface Config {
  readonly port: number;
  readonly host: string | undefined;
  readonly webhookUrl: string | undefined;
  readonly token: string | undefined;
  readonly logLevel: string;
  readonly isHelp: boolean;
}

/** How the program is called. */
export const USAGE = `The payment service, run locally.

  service-pay-sandbox [--port 4010] [--host name] [--webhook-url http://localhost:3000/webhooks/service-pay]

  --port         where it listens; 0 takes a free port (also SANDBOX_PORT; default 4010)
  --host         opens it to other machines under that name or address; controls then need
                 the token that is printed (or set SANDBOX_TOKEN)
  --webhook-url  where the demo merchant's webhooks go
  --help         prints this
`;

const DEFAULT_PORT = 4010;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Reads flags and environment, or throws one error that names every problem and no value. */
export function parseConfig(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Config {
  const problems: string[] = [];
  const values = readFlags(args, problems);
  const portText = values.port ?? (env['SANDBOX_PORT'] || String(DEFAULT_PORT));
  const port = /^[0-9]{1,5}$/.test(portText) ? Number(portText) : Number.NaN;
  if (!(port <= 65_535)) problems.push(`${values.port === undefined ? 'SANDBOX_PORT' : '--port'} must be a whole number from 0 to 65535.`);

  const host = values.host;
  if (host !== undefined && !isHostName(host)) problems.push('--host must be a host name or an IP address.');

  const webhookUrl = values['webhook-url'];
  const webhookHost = URL.parse(webhookUrl ?? '')?.hostname ?? '';
  if (webhookUrl !== undefined && !isAllowedWebhookUrl(webhookUrl, new Set([webhookHost]))) {
    problems.push('--webhook-url must be an http(s) URL without a user name.');
  }

  const token = env['SANDBOX_TOKEN'] || undefined;
  if (token !== undefined && !/^[!-~]{8,256}$/.test(token)) problems.push('SANDBOX_TOKEN must be 8 to 256 visible ASCII characters.');

  const logLevel = env['LOG_LEVEL'] || 'info';
  if (!LOG_LEVELS.includes(logLevel)) problems.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}.`);

  if (problems.length) throw new Error(problems.join('\n'));
  return Object.freeze({ port, host, webhookUrl, token, logLevel, isHelp: values.help ?? false });
}

function readFlags(args: readonly string[], problems: string[]): { port?: string; host?: string; 'webhook-url'?: string; help?: boolean } {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        'webhook-url': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    problems.push(`${(error as Error).message.split('. ')[0]}.`);
    return {};
  }
}
