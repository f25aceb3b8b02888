import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Browser, chromium, expect as expectOn, type Page } from '@playwright/test';
import { PaymentPopup, TEST_CARDS, TEST_PHONES } from '@service-pay/sandbox/playwright';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { SHORT_RETRIES } from '../packages/installed-project.ts';
import { requireHeadlessShell } from '../programs/find-browser.ts';
import { ROOT } from '../programs/run-tool.ts';
import { findFreePort } from '../programs/server-program.ts';
import { MarkedPage, ShellProgram } from './marked-page.ts';
import { expectStrangersRejected, type StrangersOptions } from './strangers.ts';

export const PATIENT_MS = 10 * 60_000;
export const READY_MS = 3 * 60_000;
export const PATIENT = { timeout: 20_000 };

const NPM_FLAGS = ['--no-audit', '--no-fund', '--prefer-offline', ...SHORT_RETRIES].join(' ');

const INSTALL_TODAY = new MarkedPage('docs/install.md').command('install');

/** A reader's folder, made by the commands of the HTML and the server quick start. */
export let project: string;
let browser: Browser;
let express: Promise<void> | undefined;
let programs: ShellProgram[] = [];
/** The port of a payment service that is started without one. */
let sandboxPort = '0';

/** Makes the folder before the tests of a file, and ends after each what it started. */
export function setUpReader(): void {
  beforeAll(async () => {
    project = mkdtempSync(join(tmpdir(), 'service-pay-quick-'));
    express = undefined;
    for (const page of ['html', 'server'])
      await installAsShown(new MarkedPage(`docs/quick-start/${page}.md`).command('init'));
    await installAsShown(INSTALL_TODAY.replace('../service-pay', ROOT));
    browser = await chromium.launch({
      executablePath: requireHeadlessShell(),
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
}

/**
 * Pays in the page, as a reader would: once for a double click, again after a reload, by a retry, and
 * beside a second tab. A page that another test has played pays once. `check-shop` tries the server.
 */
export async function expectShop(
  shop: ShellProgram,
  shopUrl: string,
  sandboxUrl: string,
  { pageUrl = shopUrl, isPageKnown = false } = {},
): Promise<void> {
  const page = await openPage(pageUrl, sandboxUrl, {}, shop);
  const popupOf = (on: Page) => new PaymentPopup(on, { locale: 'en' });
  const popup = popupOf(page);
  const button = (name: string, on = page) => on.getByRole('button', { name, exact: true });
  const expectWords = (words: string, on = page) =>
    expectOn(on.getByRole('status').first(), shop.output).toHaveText(words, PATIENT); // an open popup has another
  const expectShipped = (sku: string, times: number) =>
    expect.poll(() => shop.output.split(`ship ${sku}`).length - 1, PATIENT).toBe(times);
  const expectAcknowledged = () =>
    vi.waitFor(
      async () =>
        expect(
          (await control(sandboxUrl, 'GET', 'webhooks')).filter(
            ({ status }: any) => status !== 'acknowledged',
          ),
        ).toEqual([]),
      PATIENT,
    );
  /** Presses a button, and returns the reference of the payment that its popup is for. */
  const press = async (name: string, { clickCount = 1 } = {}): Promise<string> => {
    // A development server compiles the route on its first request.
    const responded = page.waitForResponse(/\/api\/(orders|payments\/[^/]+\/retry)$/, {
      timeout: READY_MS,
    });
    await button(name).click({ clickCount });
    return (await (await responded).json()).data.reference;
  };
  const reload = () => page.reload({ waitUntil: 'networkidle', timeout: READY_MS });
  const approve = () => control(sandboxUrl, 'POST', `phones/${TEST_PHONES.waits.phone}/approve`);

  const first = await press('Buy honey', { clickCount: 2 }); // impatient, and still one order
  await popup.payByCard(TEST_CARDS.successful);
  await expectWords('Order paid.');
  await expectShipped('honey', 1);

  await expectAcknowledged();
  if (isPageKnown) return;

  // A payment that failed while no page watched is said to have, and the order gets another.
  const coffee = await press('Buy coffee');
  await expectOn(popup.payButton).toContainText('45.00', PATIENT);
  // The page verifies once more when the popup closes: if that found the decline, it would be seen.
  const verified = page.waitForResponse('**/verify', { timeout: READY_MS });
  await popup.leave();
  await verified;
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
  await expectAcknowledged();

  // Another cart is another payment, once the customer has chosen it.
  const open = await press('Buy honey');
  await popup.leave();
  await button('Buy coffee').click();
  expect(await press('Place a second order')).not.toBe(open);
  await expectOn(popup.payButton).toContainText('45.00', PATIENT);
  await popup.leave();

  await page.route('**/api/orders', (route) => route.fulfill({ status: 500 }));
  await button('Buy coffee').click();
  await expectWords('The shop could not take the order. No payment was started.');
}

/** Places an order, and sends its shop what strangers may send, also to the order's event stream. */
export async function expectShopRejectsStrangers(
  shop: ShellProgram,
  shopUrl: string,
  options: Partial<StrangersOptions> = {},
): Promise<void> {
  const made = await fetch(`${shopUrl}/api/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sku: 'honey' }),
  });
  const { data } = (await made.json()) as { data: { reference: string } };
  const cookie = made.headers.get('set-cookie')?.split(';')[0] ?? '';
  await expectStrangersRejected(shopUrl, {
    pid: shop.pid,
    output: () => shop.output,
    events: { path: `/api/payments/${data.reference}/events`, cookie },
    ...options,
  });
}

export async function openPage(
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
        const response = await page.request.get(address, { timeout: READY_MS });
        expect(response.status(), `${address}\n${program?.output ?? ''}`).toBe(200);
      },
      { timeout: READY_MS, interval: 200 },
    );
  await page.goto(url, { waitUntil: 'networkidle', timeout: READY_MS });
  return page;
}

export async function openQuickStart(
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

export function prepare(
  name: string,
  ports: Record<string, string>,
  folder = mkdtempSync(join(project, `${basename(name)}-`)),
  more: Record<string, string> = {},
) {
  const page = name.endsWith('.md') ? name : `docs/quick-start/${name}.md`;
  return { folder, quickStart: new MarkedPage(page, { ...ports, ...more }) };
}

/** Makes a second folder as the page says, with the packages that are packed already. */
export async function makeProject(name: string): Promise<string> {
  const folder = mkdtempSync(join(project, `${name}-`));
  mkdirSync(join(folder, 'node_modules')); // otherwise npm takes the folder above
  const [, installPacked = ''] = INSTALL_TODAY.split(' && ');
  await installAsShown(new MarkedPage(`docs/quick-start/${name}.md`).command('init'), folder);
  await installAsShown(installPacked.replace('./vendor', '../vendor'), folder);
  return folder;
}

/** Installs it once: every server is in the same folder. */
export function installExpress(quickStart: MarkedPage): Promise<void> {
  express ??= installAsShown(quickStart.command('express', 'install'));
  return express;
}

export async function installAsShown(command: string, folder = project): Promise<void> {
  const { exitCode, output } = await runToEnd(
    command.replaceAll('npm install', `npm install ${NPM_FLAGS}`),
    folder,
  );
  expect(exitCode, output).toBe(0);
}

export function start(command: string, folder: string): ShellProgram {
  const program = new ShellProgram(command, folder, { SANDBOX_PORT: sandboxPort });
  programs.push(program);
  return program;
}

export function runToEnd(command: string, folder = project) {
  return start(command, folder).result();
}

export async function control(
  url: string,
  method: string,
  path: string,
  body?: object,
): Promise<any> {
  const response = await fetch(`${url}/_sandbox/${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const json = (await response.json()) as { status: boolean; message: string; data: unknown };
  expect(json.status, json.message).toBe(true);
  return json.data;
}
