import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, expect as expectOn, type Page } from '@playwright/test';
import { PaymentPopup, TEST_CARDS, TEST_PHONES } from '@service-pay/sandbox/playwright';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { SHORT_RETRIES } from '../packages/installed-project.ts';
import { requireBrowser } from '../programs/find-browser.ts';
import { ROOT } from '../programs/run-tool.ts';
import { findFreePort } from '../programs/server-program.ts';
import { MarkedPage, ShellProgram } from './marked-page.ts';
import { canRun, SAMPLE_SERVERS } from './sample-servers.ts';

const PATIENT_MS = 10 * 60_000;
const READY_MS = 3 * 60_000;
const PATIENT = { timeout: 20_000 };

const NPM_FLAGS = ['--no-audit', '--no-fund', '--prefer-offline', ...SHORT_RETRIES].join(' ');

const SERVERS = Object.keys(SAMPLE_SERVERS) as (keyof typeof SAMPLE_SERVERS)[];

const LAN_ADDRESS = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

const [, INSTALL_TODAY = ''] =
  /```sh\n(.+)\n```/.exec(readFileSync(join(ROOT, 'docs/_include/install-today.md'), 'utf8')) ?? [];

/** A reader's folder, made by the commands of the HTML and the server quick start. */
const project = mkdtempSync(join(tmpdir(), 'service-pay-quick-'));
let browser: Browser;
let programs: ShellProgram[] = [];
/** The port of a payment service that is started without one. */
let sandboxPort = '0';

beforeAll(async () => {
  for (const page of ['html', 'server'])
    await installAsShown(new MarkedPage(`docs/quick-start/${page}.md`).command('init'));
  await installAsShown(INSTALL_TODAY.replace('../service-pay', ROOT));
  browser = await chromium.launch({
    executablePath: requireBrowser(),
    args: ['--no-sandbox', '--disable-gpu'],
  });
}, PATIENT_MS);

afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  await Promise.all(programs.map((program) => program.stop()));
  programs = [];
}, PATIENT_MS);

afterAll(async () => {
  await browser?.close();
  rmSync(project, { recursive: true, force: true });
}, PATIENT_MS);

test('the line that works today installs every package', () => {
  for (const name of ['contract', 'widget', 'server', 'sandbox'])
    expect(existsSync(join(project, 'node_modules/@service-pay', name, 'package.json'))).toBe(true);
});

describe('an HTML page', () => {
  const { run } = can(['python3', '--version']);

  run('takes a payment, and reports every outcome and error', { timeout: PATIENT_MS }, async () => {
    const { quickStart, folder, shopUrl, sandboxUrl } = await openQuickStart('html');
    quickStart.write(folder, 'index.html');
    start(quickStart.command('page'), folder);
    const page = await openPage(shopUrl, sandboxUrl);
    const popup = new PaymentPopup(page, { locale: 'en' });
    const pay = page.getByRole('button', { name: 'Pay ZMW 92.50' });
    const status = page.getByRole('status');

    await pay.focus();
    await expectOn(page.locator('body > service-pay-layer > iframe')).toHaveCount(1, PATIENT);
    await pay.click();
    await popup.payByCard(TEST_CARDS.successful);
    await expectOn(status).toHaveText(/^Paid: [0-9a-f-]{36}$/, PATIENT);

    await pay.click();
    await popup.leave();
    await expectOn(status).toHaveText('Nothing was paid.', PATIENT);

    await pay.click();
    await popup.payByPhone(TEST_PHONES.waits);
    await popup.expectPromptFor(TEST_PHONES.waits);
    await popup.leave('close-anyway');
    await expectOn(status).toHaveText('Your payment is being confirmed.', PATIENT);

    await page.evaluate(() => {
      crypto.randomUUID = () => 'not a reference' as ReturnType<typeof crypto.randomUUID>;
    });
    await pay.click();
    await expectOn(status).toContainText('reference', PATIENT);
  });
});

describe('a server', () => {
  test('in Node is at most 35 lines long', () => {
    const lines = new MarkedPage('docs/quick-start/server.md').file('server.mjs').split('\n');

    expect(lines.length).toBeLessThanOrEqual(37);
  });

  describe.each(SERVERS)('in %s', (language) => {
    const { run } = can(SAMPLE_SERVERS[language].probe);

    run(
      'is paid by the page, hears webhooks, and ships once',
      { timeout: PATIENT_MS },
      async () => {
        const { quickStart, folder, shopUrl, sandboxUrl } = await openQuickStart('server');
        quickStart.write(folder, 'public/index.html');
        quickStart.write(folder, SAMPLE_SERVERS[language].file);
        if (language === 'node') await installExpress(quickStart);
        const shop = start(quickStart.command(language), folder);

        await expectShop(shop, shopUrl, sandboxUrl);
      },
    );
  });
});

describe('a single-page app', () => {
  test.each(['react', 'vue', 'svelte'])(
    'in %s takes a payment, and reports every outcome and error',
    async (framework) => {
      const server = await openQuickStart('server');
      server.quickStart.write(server.folder, 'public/index.html');
      server.quickStart.write(server.folder, 'server.mjs');
      await installExpress(server.quickStart);
      const shop = start(server.quickStart.command('node'), server.folder);
      const name = 'react-vue-svelte';
      const { quickStart, folder } = prepare(name, server.ports, await makeProject(name));
      quickStart.write(folder, `${framework}/`);
      quickStart.write(folder, 'shop.js');
      await installAsShown(quickStart.command(framework, 'install'), folder);
      const vite = start(quickStart.command('vite'), folder);
      const url = await vi.waitFor(() => findAddress(vite), { timeout: READY_MS });

      await expectShop(shop, server.shopUrl, server.sandboxUrl, url);
    },
    PATIENT_MS,
  );
});

describe('an app with server routes', () => {
  test.each([
    {
      framework: 'next',
      server: 'payments.js',
      client: 'checkout.js',
      build: 'npx next build',
    },
    {
      framework: 'nuxt',
      server: 'server/utils/payments.js',
      client: 'app/utils/checkout.js',
      build: 'npx nuxt build',
    },
    {
      framework: 'svelte-kit',
      server: 'src/lib/server/payments.js',
      client: 'src/lib/checkout.js',
      build: 'npx vite build',
    },
  ])(
    'in $framework is paid by its page, hears webhooks, ships once, and builds',
    async ({ framework, server, client, build }) => {
      const { quickStart, folder, shopUrl, sandboxUrl } = await openQuickStart('full-stack', {
        ownProject: true,
      });
      quickStart.write(folder, `${framework}/`);
      quickStart.write(folder, 'payments.js', server);
      quickStart.write(folder, 'checkout.js', client);
      await installAsShown(quickStart.command(framework, 'install'), folder);
      const app = start(quickStart.command(framework), folder);

      await expectShop(app, shopUrl, sandboxUrl);
      const built = await runToEnd(build, folder);
      expect(built.exitCode, built.output).toBe(0);
    },
    PATIENT_MS,
  );
});

describe('tests in CI', () => {
  test('pass with Playwright, and the workflow runs them', {
    timeout: PATIENT_MS,
  }, async () => {
    const { quickStart, folder } = await openTests();
    quickStart.write(folder, 'test/pay.spec.js');
    quickStart.write(folder, 'playwright.config.js');
    await installAsShown(`npm install @playwright/test@${readVersion('@playwright/test')}`);
    const workflow = parse(quickStart.file('.github/workflows/test.yml'));

    const { exitCode, output } = await runToEnd(
      `${quickStart.command('playwright')} --config playwright.config.js`,
      folder,
    );

    expect(output).toMatch(/^ +3 passed/m);
    expect(exitCode, output).toBe(0);
    expect(
      workflow.jobs.test.steps.flatMap(({ run }: { run?: string }) => run ?? []).slice(-2),
    ).toEqual([quickStart.command('playwright'), quickStart.command('shell')]);
  });

  test('pass in a plain shell', { timeout: PATIENT_MS }, async () => {
    const { quickStart, folder } = await openTests();
    quickStart.write(folder, 'ci.sh');

    const { exitCode, output } = await runToEnd(quickStart.command('shell'), folder);

    expect(output).toContain('The server takes payments.');
    expect(exitCode, output).toBe(0);
  });

  can(SAMPLE_SERVERS.python.probe).run('pass in Python', { timeout: PATIENT_MS }, async () => {
    const { quickStart, folder } = await openTests();
    quickStart.write(folder, 'test_shop.py');
    quickStart.write(folder, 'ci.sh');
    appendFileSync(join(folder, 'ci.sh'), quickStart.command('python'));

    const { exitCode, output } = await runToEnd(quickStart.command('shell'), folder);

    expect(output).toMatch(/^OK$/m);
    expect(exitCode, output).toBe(0);
  });

  async function openTests() {
    const opened = await openQuickStart('ci', {
      starts: false,
      more: {
        'use: { baseURL': `use: { launchOptions: ${JSON.stringify({
          executablePath: requireBrowser(),
          args: ['--no-sandbox'],
        })}, baseURL`,
      },
    });
    const server = prepare('server', opened.ports, opened.folder);
    server.quickStart.write(opened.folder, 'public/index.html');
    server.quickStart.write(opened.folder, 'server.mjs');
    await installExpress(server.quickStart);
    return opened;
  }
});

describe('a phone in the same network', () => {
  const { run } = can(LAN_ADDRESS ? ['openssl', 'version'] : ['false']);

  run('pays over HTTPS', { timeout: PATIENT_MS }, async () => {
    const [shopOnLan, sandboxOnLan] = [await findFreePort(), await findFreePort()];
    const { quickStart, folder, ports } = await openQuickStart('phone', {
      more: {
        '192.168.1.20': LAN_ADDRESS as string,
        '3443': String(shopOnLan),
        '4443': String(sandboxOnLan),
      },
    });
    const service = `https://${LAN_ADDRESS}:${sandboxOnLan}`;
    const server = prepare('server', ports, folder, {
      'http://localhost:4010/js/': `${service}/js/`, // the two addresses that the page says to change
    });
    server.quickStart.write(folder, 'public/index.html');
    server.quickStart.write(folder, 'server.mjs');
    await installExpress(server.quickStart);
    start(server.quickStart.command('node'), folder);
    const certificate = await runToEnd(quickStart.command('certificate'), folder);
    expect(certificate.exitCode, certificate.output).toBe(0);
    quickStart.write(folder, 'phone.mjs');
    start(quickStart.command('phone'), folder);

    const page = await openPage(`https://${LAN_ADDRESS}:${shopOnLan}`, service, {
      ignoreHTTPSErrors: true,
      viewport: { width: 360, height: 740 },
    });
    await page.getByRole('button', { name: 'Buy honey' }).click();
    await new PaymentPopup(page, { locale: 'en' }).payByCard(TEST_CARDS.successful);

    await expectOn(page.getByRole('status')).toHaveText('Order paid.', PATIENT);
  });
});

/**
 * Pays in the page, as a reader would: once for a double click, again after a reload, by a retry, and
 * beside a second tab. Checks what the server makes of it, of forged webhooks and of another amount.
 */
async function expectShop(
  shop: ShellProgram,
  shopUrl: string,
  sandboxUrl: string,
  pageUrl = shopUrl,
): Promise<void> {
  const page = await openPage(pageUrl, sandboxUrl, {}, shop);
  const popupOf = (on: Page) => new PaymentPopup(on, { locale: 'en' });
  const popup = popupOf(page);
  const button = (name: string, on = page) => on.getByRole('button', { name, exact: true });
  const expectWords = (words: string, on = page) =>
    expectOn(on.getByRole('status').first(), shop.output).toHaveText(words, PATIENT); // an open popup has another
  const expectShipped = (sku: string, times: number) =>
    expect.poll(() => shop.output.split(`ship ${sku}`).length - 1, PATIENT).toBe(times);
  /** Presses a button, and returns the reference of the payment that its popup is for. */
  const press = async (name: string, { clickCount = 1 } = {}): Promise<string> => {
    // A development server compiles the route on its first request.
    const answered = page.waitForResponse(/\/api\/(orders|payments\/[^/]+\/retry)$/, {
      timeout: READY_MS,
    });
    await button(name).click({ clickCount });
    return (await (await answered).json()).data.reference;
  };
  const reload = () => page.reload({ waitUntil: 'networkidle', timeout: READY_MS });
  const approve = () => control(sandboxUrl, 'POST', `phones/${TEST_PHONES.waits.phone}/approve`);

  const verified = page.waitForRequest('**/verify', { timeout: READY_MS });
  const first = await press('Buy honey', { clickCount: 2 }); // impatient, and still one order
  await popup.payByCard(TEST_CARDS.successful);
  await expectWords('Order paid.');
  await expectShipped('honey', 1);

  // A paid order is not asked about again: its answer is known while the service is down.
  await control(sandboxUrl, 'PUT', 'faults', {
    merchantApi: { rate: 1, kind: 'status', status: 503 },
  });
  const paid = await page.evaluate(
    async (url) => (await (await fetch(url, { method: 'POST' })).json()).data,
    (await verified).url(),
  );
  expect(paid.status).toBe('successful');
  await control(sandboxUrl, 'DELETE', 'faults');

  // A payment that failed while no page watched is said to have, and the order gets another.
  const coffee = await press('Buy coffee');
  await expectOn(popup.payButton).toContainText('45.00', PATIENT);
  await popup.leave();
  await expectWords('');
  const declined = { reference: coffee, amount: '45.00', card: TEST_CARDS.notEnoughFunds };
  for (let tries = 0; tries < 5; tries++) await control(sandboxUrl, 'POST', 'pay', declined);
  await reload();
  await expectWords('Payment failed. You can try again.');
  expect(await press('Try again')).not.toBe(coffee);
  await popup.payByCard(TEST_CARDS.successful);
  await expectWords('Order paid.');
  await expectShipped('coffee', 1);

  // The same cart is the same payment, after a reload too (T135).
  const honey = await press('Buy honey');
  expect(honey).not.toBe(first);
  await popup.leave();
  await expectWords('');
  await reload();
  await expectWords('You have an unfinished payment.');
  expect(await press('Buy honey')).toBe(honey);
  await expectOn(popup.payButton).toContainText('92.50', PATIENT);
  await popup.leave();

  // A reload in the middle loses nothing, and a second tab orders nothing unasked.
  expect(await press('Buy honey')).toBe(honey);
  await popup.payByPhone(TEST_PHONES.waits);
  await popup.expectPromptFor(TEST_PHONES.waits);
  await reload();
  await expectWords('You have an unfinished payment.');
  const second = await page.context().newPage();
  let ordered = 0;
  await second.route('**/api/orders', (route) => {
    ordered++;
    return route.continue();
  });
  await second.goto(pageUrl);
  await expectWords('You have an unfinished payment.', second);
  await button('Buy coffee', second).click();
  await expectOn(button('Place a second order', second)).toBeVisible(PATIENT);
  await popupOf(second).expectClosed();
  expect(ordered).toBe(0);
  await approve();
  await expectWords('Order paid.', second);
  await second.close();
  await expectWords('Order paid.');
  await expectShipped('honey', 2);

  await press('Buy honey');
  await popup.payByPhone(TEST_PHONES.waits);
  await popup.expectPromptFor(TEST_PHONES.waits);
  await popup.leave('close-anyway');
  await expectWords('Payment pending. Do not pay again.');
  await approve();
  await expectWords('Order paid.');
  await expectShipped('honey', 3);
  await vi.waitFor(
    async () =>
      expect(
        (await control(sandboxUrl, 'GET', 'webhooks')).filter(
          ({ status }: any) => status !== 'acknowledged',
        ),
      ).toEqual([]),
    PATIENT,
  );

  const forged = await fetch(`${shopUrl}/webhooks/service-pay`, {
    method: 'POST',
    headers: { 'x-servicepay-signature': '0'.repeat(128) },
    body: '{"event":"collection.successful","data":{"reference":"x"}}',
  });
  expect(forged.status).toBe(401);
  const unknown = await fetch(`${shopUrl}/api/payments/${'0'.repeat(32)}/verify`, {
    method: 'POST',
  });
  expect(unknown.status).toBe(404);

  const placeOrder = (sku: string) =>
    fetch(`${shopUrl}/api/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sku }),
    });
  expect((await placeOrder('constructor')).status).toBe(400);
  const made = await placeOrder('honey');
  const { data: order } = (await made.json()) as { data: { reference: string } };
  await control(sandboxUrl, 'POST', 'collections', { reference: order.reference, amount: '1.00' });
  const mismatched = await fetch(`${shopUrl}/api/payments/${order.reference}/verify`, {
    method: 'POST',
    headers: { cookie: made.headers.get('set-cookie')?.split(';')[0] ?? '' },
  });
  expect(((await mismatched.json()) as any).data.status).toBe('pending');
  await expectShipped('honey', 3);

  // Another cart is another payment, once the customer has chosen it.
  const open = await press('Buy honey');
  await popup.leave();
  await button('Buy coffee').click();
  expect(await press('Place a second order')).not.toBe(open);
  await expectOn(popup.payButton).toContainText('45.00', PATIENT);
  await popup.leave();

  await page.route('**/api/orders', (route) => route.fulfill({ status: 500 }));
  await button('Buy coffee').click();
  await expectWords('That did not work. Try again in a moment.');
}

async function openPage(
  url: string,
  sandboxUrl: string,
  options: Parameters<Browser['newContext']>[0] = {},
  program?: ShellProgram,
): Promise<Page> {
  const page = await (await browser.newContext({ locale: 'en-GB', ...options })).newPage();
  for (const address of [`${sandboxUrl}/js/v1/integrity.json`, url])
    await vi.waitFor(
      async () => {
        if (program?.hasEnded) throw new Error(`The program has ended:\n${program.output}`);
        const answer = await page.request.get(address, { timeout: READY_MS });
        expect(answer.status(), `${address}\n${program?.output ?? ''}`).toBe(200);
      },
      { timeout: READY_MS, interval: 200 },
    );
  await page.goto(url, { waitUntil: 'networkidle', timeout: READY_MS });
  return page;
}

async function openQuickStart(
  name: string,
  {
    starts = true,
    ownProject = false,
    more = {},
  }: { starts?: boolean; ownProject?: boolean; more?: Record<string, string> } = {},
) {
  const ports = { '3000': String(await findFreePort()), '4010': String(await findFreePort()) };
  const folder = ownProject ? await makeProject(name) : undefined;
  const prepared = prepare(name, ports, folder, more);
  sandboxPort = ports['4010'];
  if (starts) start(prepared.quickStart.command('sandbox'), prepared.folder);
  return {
    ...prepared,
    ports,
    shopUrl: `http://localhost:${ports['3000']}`,
    sandboxUrl: `http://localhost:${ports['4010']}`,
  };
}

function prepare(
  name: string,
  ports: Record<string, string>,
  folder = mkdtempSync(join(project, `${name}-`)),
  more: Record<string, string> = {},
) {
  return {
    folder,
    quickStart: new MarkedPage(`docs/quick-start/${name}.md`, { ...ports, ...more }),
  };
}

/** Makes a second folder as the page says, with the packages that are packed already. */
async function makeProject(name: string): Promise<string> {
  const folder = mkdtempSync(join(project, `${name}-`));
  mkdirSync(join(folder, 'node_modules')); // otherwise npm takes the folder above
  const [, installPacked = ''] = INSTALL_TODAY.split(' && ');
  await installAsShown(new MarkedPage(`docs/quick-start/${name}.md`).command('init'), folder);
  await installAsShown(installPacked.replace('./vendor', '../vendor'), folder);
  return folder;
}

async function installExpress(quickStart: MarkedPage): Promise<void> {
  await installAsShown(quickStart.command('express', 'install'));
}

async function installAsShown(command: string, folder = project): Promise<void> {
  const { exitCode, output } = await runToEnd(
    command.replaceAll('npm install', `npm install ${NPM_FLAGS}`),
    folder,
  );
  expect(exitCode, output).toBe(0);
}

function start(command: string, folder: string): ShellProgram {
  const program = new ShellProgram(command, folder, { SANDBOX_PORT: sandboxPort });
  programs.push(program);
  return program;
}

function runToEnd(command: string, folder = project) {
  return start(command, folder).result();
}

function findAddress({ output }: ShellProgram): string {
  const [url] = /http:\/\/localhost:\d+/.exec(output) ?? [];
  if (!url) throw new Error(`No address was printed:\n${output}`);
  return url;
}

async function control(url: string, method: string, path: string, body?: object): Promise<any> {
  const answer = await fetch(`${url}/_sandbox/${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const json = (await answer.json()) as { status: boolean; message: string; data: unknown };
  expect(json.status, json.message).toBe(true);
  return json.data;
}

function readVersion(name: string): string {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return devDependencies[name];
}

function can(probe: readonly string[]) {
  return { run: test.skipIf(!canRun(probe)) };
}
