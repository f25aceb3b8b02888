import { type ExecException, exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { withOwnCommand } from '@service-pay/contract/own-command';
import { NotTried } from '../check/must.ts';
import { checkShop, SHOP_CHAPTERS } from '../check/shop/run-check-shop.ts';
import type { ShopOptions } from '../check/shop/shop.ts';
import { buildControl } from '../control/client.ts';
import { isOrigin } from '../http/origin.ts';
import { DEMO_MERCHANTS } from '../payments/merchants.ts';
import { pauseInRealTime } from '../time/real-time.ts';
import { readFlags } from './read-flags.ts';
import { ResultPrinter } from './result-printer.ts';

export const CHECK_SHOP_USAGE = `Checks whether a shop, in any language, charges once and never believes what it should verify:
one line a rule. It plays browsers against the shop, and customers, webhooks and faults at the
sandbox that the shop uses. Use a test shop: it places about 70 orders, and pays a third of them.

Usage
  npx --no -- service-pay-sandbox check-shop --shop <shop> --order <file> [options]

Options
  --shop <address>     the shop's origin, such as http://localhost:3000
  --order <file>       the body of its order route, as its page sends it: JSON
  --sandbox <address>  the sandbox that the shop uses (default http://localhost:4010)
  --token <token>      the shop's API token (default sec_sandbox_demo)
  --previous-token <token>
                       the token before, if the shop accepts it, too
  --place <path>       the shop's order route (default /api/orders)
  --webhook <path>     its webhook route (default /webhooks/service-pay)
  --page <path>        a page that sets cookies the order route needs, such as a forgery token
  --header <header>    sent with each call of the page; repeat it for more. {cookie:<name>} stands
                       for a cookie: 'X-CSRFToken: {cookie:csrftoken}'
  --fulfilled <list>   an address or a shell command that lists the references that were fulfilled.
                       Without it, fulfilment is not checked
  --only <text>        try only rules whose title contains this; repeat it for more
  --json               print the results as JSON, one a line, and the counts on stderr
  --help, -h           print this help

Environment
  SANDBOX_TOKEN        the token of a sandbox that was started with --host

While it runs, the sandbox sends webhooks only to be checked, and has faults: do not use it for
anything else. Faults, scenario and merchant are restored at the end.

The last line counts the rules: "51 ok, 0 fail, 3 not tried".

Exit codes
  0  no rule fails
  1  a rule fails, or could not be tried because of another fault; or stopped by SIGINT or
     SIGTERM
  2  invalid arguments
`;

interface CheckShopOptions {
  readonly shop: ShopOptions;
  readonly sandboxUrl: string;
  readonly only: readonly string[];
  readonly isJson: boolean;
}

const FULFILLED_WITHIN_MS = 30_000;
const MOST_BYTES = 64 * 1024 * 1024;

/** Runs `check-shop` with these arguments and returns its exit code. */
export async function runCheckShopCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(withOwnCommand(CHECK_SHOP_USAGE, 'service-pay-sandbox'));
    return 0;
  }
  let options: CheckShopOptions;
  try {
    options = parseCheckShopOptions(args);
  } catch (error) {
    const text = `${(error as Error).message}\nSee npx --no -- service-pay-sandbox check-shop --help.\n`;
    process.stderr.write(withOwnCommand(text, 'service-pay-sandbox'));
    return 2;
  }
  const { shop, sandboxUrl, only, isJson } = options;
  const token = env['SANDBOX_TOKEN'] || null;
  const control = buildControl({ url: sandboxUrl, token });
  const isWanted = (title: string) => !only.length || only.some((text) => title.includes(text));
  const { results, giveBack } = checkShop(shop, { url: sandboxUrl, control }, isWanted);

  const printer = new ResultPrinter(isJson);
  const giveBackOrSay = () =>
    giveBack().catch((error: Error) => {
      process.stderr.write(`The sandbox could not be restored: ${error.message}\n`);
    });
  let isStopped = false;
  const stop = async () => {
    if (isStopped) process.exit(1); // a second signal ends it at once
    isStopped = true;
    await giveBackOrSay();
    printer.printCounts('Stopped before the last rule. ');
    process.exit(1);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  process.stdout.once('error', stop); // its reader has closed it

  for await (const result of results) {
    if (isStopped) break;
    printer.print(result);
  }
  if (isStopped) return new Promise(() => {}); // `stop` ends the process
  await giveBackOrSay();
  printer.printCounts();
  return printer.isSound ? 0 : 1;
}

/** Reads the arguments. Throws one error that names every problem and repeats no secret. */
export function parseCheckShopOptions(args: readonly string[]): CheckShopOptions {
  const { values, problems: wrongFlags } = readFlags(
    args,
    {
      shop: { type: 'string', default: '' },
      order: { type: 'string', default: '' },
      sandbox: { type: 'string', default: 'http://localhost:4010' },
      token: { type: 'string', default: DEMO_MERCHANTS[0].apiToken },
      'previous-token': { type: 'string' },
      webhook: { type: 'string', default: '/webhooks/service-pay' },
      place: { type: 'string', default: '/api/orders' },
      page: { type: 'string' },
      header: { type: 'string', multiple: true, default: [] },
      fulfilled: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
    },
    '--shop http://localhost:3000',
  );
  const [url, sandboxUrl] = [values.shop, values.sandbox].map((one) => one.replace(/\/$/, '')) as [
    string,
    string,
  ];
  const { webhook, place, page, only } = values;
  const orderBody = readOrder(values.order);
  const titles = SHOP_CHAPTERS.flatMap(({ rules }) => rules.map(({ title }) => title));
  const isPath = (path: string) => /^\/[!-~]*$/.test(path);
  const problems = [
    ...wrongFlags,
    !isOrigin(url) && "--shop must be the shop's origin, such as http://localhost:3000.",
    !orderBody && '--order must be a file with the JSON body of the order route.',
    !isOrigin(sandboxUrl) && '--sandbox must be an origin, such as http://localhost:4010.',
    !isPath(webhook) && '--webhook must be a path, such as /webhooks/service-pay.',
    !isPath(place) && '--place must be a path, such as /api/orders.',
    page !== undefined && !isPath(page) && '--page must be a path, such as /.',
    !values.header.every((one) => HEADER.test(one)) &&
      "--header must be a name and a value, such as 'X-CSRFToken: {cookie:csrftoken}'.",
    ...only.map(
      (text) =>
        !titles.some((title) => title.includes(text)) &&
        'No rule has this text of --only in its title.',
    ),
  ].filter((problem) => problem !== false);
  if (problems.length) throw new Error(problems.join('\n'));
  return {
    shop: {
      url,
      orderBody: orderBody!,
      placePath: place,
      webhookPath: webhook,
      pagePath: page,
      pageHeaders: values.header.map((one) => HEADER.exec(one)!.slice(1, 3) as [string, string]),
      token: values.token,
      previousToken: values['previous-token'],
      readFulfilled:
        values.fulfilled === undefined ? undefined : buildFulfilled(values.fulfilled, url),
      sleep: pauseInRealTime,
    },
    sandboxUrl,
    only,
    isJson: values.json,
  };
}

const HEADER = /^([\w-]+): *([^\r\n]*)$/;

function readOrder(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    JSON.parse(text);
    return text;
  } catch {
    return undefined;
  }
}

/** Reads an address, or else runs a command, for the references that were fulfilled. */
function buildFulfilled(source: string, shopUrl: string): () => Promise<string> {
  return async () => {
    const isAddress = /^(https?:\/\/|\/)\S*$/.test(source);
    try {
      return await (isAddress ? readAddress(new URL(source, shopUrl)) : readCommand(source));
    } catch (error) {
      throw new NotTried(`--fulfilled: ${(error as Error).message}`);
    }
  };
}

async function readAddress(url: URL): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FULFILLED_WITHIN_MS) });
  if (!response.ok) throw new Error(`the address responded with HTTP ${response.status}.`);
  return response.text();
}

/** A command that ends with 1 and complains about nothing, as grep does, has found nothing. */
async function readCommand(command: string): Promise<string> {
  const options = { timeout: FULFILLED_WITHIN_MS, maxBuffer: MOST_BYTES };
  try {
    return (await promisify(exec)(command, options)).stdout;
  } catch (error) {
    const { code, killed, stdout = '', stderr } = error as ExecException;
    if (code === 1 && !stderr) return stdout;
    throw new Error(killed ? 'the command took too long.' : `the command ended with ${code}.`);
  }
}
