import { problemsOf, type SandboxOptions } from '../app/options.ts';
import { readFlags } from './read-flags.ts';

export interface Config {
  readonly task: 'serve' | 'help' | 'version';
  readonly logLevel: string;
  readonly isRunByNpx: boolean;
  readonly exitsWithStdin: boolean;
  readonly options: Omit<SandboxOptions, 'log' | 'widgetDist'> & { readonly port: number };
}

export const USAGE = `The payment service, run locally: script, checkout page, merchant API, webhooks,
phones and a clock. No account, no network, no real money.

Usage
  npx --no -- service-pay-sandbox [options]
  npx --no -- service-pay-sandbox check-shop --help   (checks a shop against the rules)
  npx --no -- service-pay-sandbox check --help   (checks another service against the rules)

Options
  --port <n>           port to listen on; 0 picks a free one (default 4010)
  --webhook-url <url>  where to send the demo merchant's webhooks
  --state <file>       keep everything in this file across restarts; created if missing
  --clock <mode>       real, or virtual: stopped until you advance it (default real).
                       A clock kept by --state continues as it was, until a reset
  --seed <n>           seed of the randomness: faults and shuffled webhooks (default 0)
  --history <n>        number of history entries, and of finished webhooks, to keep
                       (default 20000)
  --host <name>        let other machines connect, under this name or address; 0.0.0.0
                       means every address and the name of this machine. Repeat it to
                       allow more names. The control API then requires a token
  --exit-with-stdin    stop when stdin ends, so that it stops with a parent that holds
                       a pipe to it
  --help, -h           print this help
  --version            print the version

Environment
  SANDBOX_PORT, SANDBOX_WEBHOOK_URL
                       the same as --port and --webhook-url, which take precedence
  SANDBOX_TOKEN        the token for --host, 8 to 256 visible ASCII characters; generated
                       and printed if missing. Send it as X-Sandbox-Token
  LOG_LEVEL            trace, debug, info, warn, error, fatal or silent (default info);
                       logs are JSON lines on stderr

Examples
  npx --no -- service-pay-sandbox --webhook-url http://localhost:3000/webhooks/service-pay
  npx --no -- service-pay-sandbox --port 0 --clock virtual --seed 7
  npx --no -- service-pay-sandbox --state sandbox.db
  SANDBOX_TOKEN=only-for-tests npx --no -- service-pay-sandbox --host 0.0.0.0 --host sandbox

Once it is ready, it prints its address alone on the second line of stdout.

Exit codes
  0  stopped by SIGINT or SIGTERM, or because its parent process or stdin ended; or
     printed help
  1  could not start, for example because the port is in use; or could not save its state
  2  invalid arguments: each problem is listed
`;

const DEFAULT_PORT = 4010;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

const FLAGS = {
  port: { type: 'string' },
  host: { type: 'string', multiple: true },
  'webhook-url': { type: 'string' },
  state: { type: 'string' },
  seed: { type: 'string' },
  history: { type: 'string' },
  clock: { type: 'string' },
  'exit-with-stdin': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** Reads flags and environment. Throws one error that names every problem and repeats no value. */
export function parseConfig(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Config {
  const { values: flags, problems } = readFlags(args, FLAGS, '--port 4010');
  const port = flags.port ?? (env['SANDBOX_PORT'] || undefined);
  const logLevel = env['LOG_LEVEL'] || 'info';
  const options = {
    port: port === undefined ? DEFAULT_PORT : toNumber(port),
    host: flags.host,
    token: env['SANDBOX_TOKEN'] || undefined,
    webhookUrl: flags['webhook-url'] ?? (env['SANDBOX_WEBHOOK_URL'] || undefined),
    state: flags.state,
    seed: flags.seed === undefined ? undefined : toNumber(flags.seed),
    historyLimit: flags.history === undefined ? undefined : toNumber(flags.history),
    clock: flags.clock as SandboxOptions['clock'],
  };
  const sources: Record<string, string> = {
    port: flags.port === undefined ? 'SANDBOX_PORT' : '--port',
    token: 'SANDBOX_TOKEN',
    webhookUrl: flags['webhook-url'] === undefined ? 'SANDBOX_WEBHOOK_URL' : '--webhook-url',
    historyLimit: '--history',
  };
  for (const { option, message } of problemsOf(options))
    problems.push(`${sources[option] ?? `--${option}`} ${message}.`);
  if (!LOG_LEVELS.includes(logLevel))
    problems.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}.`);

  if (problems.length) throw new Error(problems.join('\n'));
  return Object.freeze({
    task: flags.help ? 'help' : flags.version ? 'version' : 'serve',
    logLevel,
    isRunByNpx: env['npm_lifecycle_event'] === 'npx',
    exitsWithStdin: flags['exit-with-stdin'] === true,
    options,
  });
}

/** Takes digits only: no sign, no fraction, no blank that would read as 0. */
function toNumber(text: string): number {
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
