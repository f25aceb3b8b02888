import { readFileSync } from 'node:fs';
import { describeMismatch } from '@service-pay/contract/issue-text';
import { isServerAddress } from '@service-pay/contract/loopback';
import { withOwnCommand } from '@service-pay/contract/own-command';
import * as v from 'valibot';
import { type Numbers, numbersSchema, SANDBOX_NUMBERS } from '../check/numbers.ts';
import { runCheck } from '../check/run-check.ts';
import type { Credentials } from '../check/service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../check/webhook-receiver.ts';
import { isOrigin } from '../http/origin.ts';
import { isPublicKey } from '../payments/merchant-settings.ts';
import { pauseInRealTime } from '../time/real-time.ts';
import { readFlags } from './read-flags.ts';
import { ResultPrinter } from './result-printer.ts';

export const CHECK_USAGE = `Checks whether a payment service does what the popup and the shop's server need: one line a rule.
It opens about 140 test payments at that service, pays most of them, and takes about 80 seconds.

Usage
  npx --no -- service-pay-sandbox check --url <service> --key <key> --token <token> [options]

Options
  --url <address>      the service's origin, such as https://pay.example
  --key <key>          a merchant's public key
  --token <token>      the secret API token of that merchant in the service's test environment
  --other-key <key>    a second merchant's public key, and
  --other-token <token>  its secret API token; without them its rules are not tried
  --origin <origin>    an origin registered for the key (default http://localhost:3000)
  --numbers <file>     the service's test cards and phones as JSON (default the sandbox's)
  --webhook-port <n>   receive the merchant's webhooks on this port; without it they are not tried
  --patience <min>     the longest wait for a single step, in minutes (default 1). Rules that need
                       longer are not tried
  --json               print the results as JSON, one a line, and the counts on stderr
  --help, -h           print this help

The token is sent only over https, or to this machine. If the service does not respond, or rejects a
token or a key, the check ends with that line, and every other rule is not tried.
The last line counts the rules: "98 ok, 0 fail, 4 not tried".

Exit codes
  0  no rule fails
  1  a rule fails, or could not be tried because of another fault; or stopped by SIGINT or
     SIGTERM
  2  invalid arguments, or a port of --webhook-port that cannot be used
`;

interface CheckOptions extends Credentials {
  readonly url: string;
  readonly other: Credentials | undefined;
  readonly origin: string;
  readonly numbers: Numbers;
  readonly patienceMs: number;
  readonly webhookPort: number | undefined;
  readonly isJson: boolean;
}

/** Runs `check` with these arguments and returns its exit code. */
export async function runCheckCommand(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(withOwnCommand(CHECK_USAGE, 'service-pay-sandbox'));
    return 0;
  }
  let options: CheckOptions;
  try {
    options = parseCheckOptions(args);
  } catch (error) {
    return rejectArguments((error as Error).message);
  }
  const { webhookPort, isJson, ...service } = options;
  const printer = new ResultPrinter(isJson);
  const stop = () => {
    printer.printCounts('Stopped before the last rule. ');
    process.exit(1);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  process.stdout.once('error', () => process.exit(1)); // its reader has closed it

  let receiver: WebhookReceiver | undefined;
  try {
    receiver = webhookPort === undefined ? undefined : await startWebhookReceiver(webhookPort);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return rejectArguments(
      `The port of --webhook-port cannot be used (${code}). Pass another, or stop the program that uses it.`,
    );
  }
  const real = { sleep: pauseInRealTime, deadline: (ms: number) => AbortSignal.timeout(ms) };
  for await (const result of runCheck({ ...service, ...real, receiver })) printer.print(result);
  await receiver?.close();
  printer.printCounts();
  return printer.isSound ? 0 : 1;
}

function rejectArguments(problem: string): number {
  const text = `${problem}\nSee npx --no -- service-pay-sandbox check --help.\n`;
  process.stderr.write(withOwnCommand(text, 'service-pay-sandbox'));
  return 2;
}

/** Reads the arguments. Throws one error that names every problem and repeats no secret. */
export function parseCheckOptions(args: readonly string[]): CheckOptions {
  const { values, problems: wrongFlags } = readFlags(
    args,
    {
      url: { type: 'string' },
      key: { type: 'string' },
      token: { type: 'string' },
      'other-key': { type: 'string' },
      'other-token': { type: 'string' },
      origin: { type: 'string', default: 'http://localhost:3000' },
      numbers: { type: 'string' },
      'webhook-port': { type: 'string' },
      patience: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
    },
    '--url https://pay.example',
  );
  const { key = '', token = '', origin } = values;
  const url = (values.url ?? '').replace(/\/$/, '');
  const port = values['webhook-port'];
  const { 'other-key': otherKey, 'other-token': otherToken } = values;
  const numbers = values.numbers === undefined ? SANDBOX_NUMBERS : readNumbers(values.numbers);
  const areBoth = (otherKey === undefined) === (otherToken === undefined);
  const problems = [
    ...wrongFlags,
    !isOrigin(url) && '--url must be the origin of the service, such as https://pay.example.',
    isOrigin(url) &&
      !isServerAddress(url) &&
      '--url must begin with https://, except on this machine: the API token is sent there.',
    (!isPublicKey(key) || key === token) &&
      '--key must be the public key of a merchant, never its secret API token.',
    !isToken(token) &&
      '--token must be the secret API token of that merchant: visible ASCII characters.',
    !areBoth && '--other-key and --other-token belong together.',
    areBoth &&
      otherKey !== undefined &&
      !(
        isPublicKey(otherKey) &&
        otherKey !== key &&
        isToken(otherToken!) &&
        otherToken !== token
      ) &&
      '--other-key and --other-token must be the public key and the API token of a second merchant.',
    !isOrigin(origin) && '--origin must be an origin, such as https://shop.example.',
    typeof numbers === 'string' && numbers,
    port !== undefined && !isWholeNumber(port, 65_535) && '--webhook-port must be a port.',
    !isWholeNumber(values.patience, 1_440) && '--patience must be 1 to 1440 minutes.',
  ].filter((problem) => problem !== false);
  if (problems.length) throw new Error(problems.join('\n'));
  return {
    url,
    key,
    token,
    other: otherKey && otherToken ? { key: otherKey, token: otherToken } : undefined,
    origin,
    numbers: numbers as Numbers,
    patienceMs: Number(values.patience) * 60_000,
    webhookPort: port === undefined ? undefined : Number(port),
    isJson: values.json,
  };
}

/** Reads the file, or returns the sentence that says what is wrong with it. */
function readNumbers(file: string): Numbers | string {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return '--numbers must be a file of JSON that can be read.';
  }
  const { success, output, issues } = v.safeParse(numbersSchema, content);
  return success ? output : describeMismatch('The file of --numbers', issues);
}

/** Anything else cannot be sent in a header. */
function isToken(text: string): boolean {
  return /^[!-~]+$/.test(text);
}

function isWholeNumber(text: string, most: number): boolean {
  return /^[1-9][0-9]{0,4}$/.test(text) && Number(text) <= most;
}
