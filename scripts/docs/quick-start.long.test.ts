import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { expect as expectOn } from '@playwright/test';
import { PaymentPopup, TEST_CARDS, TEST_PHONES } from '@service-pay/sandbox/playwright';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { findBrokenRules } from '../programs/check-shop.ts';
import { requireHeadlessShell } from '../programs/find-browser.ts';
import { ROOT } from '../programs/run-tool.ts';
import { findFreePort } from '../programs/server-program.ts';
import { expectEveryBlockRun } from './every-block.ts';
import { MarkedPage } from './marked-page.ts';
import { canRun, SAMPLE_SERVERS } from './sample-servers.ts';
import { expectStrangersRejected } from './strangers.ts';
import {
  expectShop,
  expectShopRejectsStrangers,
  installAsShown,
  installExpress,
  openPage,
  openQuickStart,
  PATIENT,
  PATIENT_MS,
  prepare,
  project,
  runToEnd,
  setUpReader,
  start,
} from './test-quick-start.ts';

const SERVERS = Object.keys(SAMPLE_SERVERS) as (keyof typeof SAMPLE_SERVERS)[];

const LAN_ADDRESS = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

const IS_ON_LAN = LAN_ADDRESS !== undefined && canRun(['openssl', 'version']);

setUpReader();

test('the line that works today installs every package', () => {
  for (const name of ['contract', 'widget', 'server', 'sandbox'])
    expect(existsSync(join(project, 'node_modules/@service-pay', name, 'package.json'))).toBe(true);
});

describe('an HTML page', () => {
  const { run } = can(['python3', '--version']);

  run(
    'an HTML page takes a payment, and reports every outcome and error',
    { timeout: PATIENT_MS },
    async () => {
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
      await pay.click(); // the same payment
      await popup.expectPromptFor(TEST_PHONES.waits);
      await popup.approveOnPhone();
      await popup.expectSuccessful();
      await expectOn(status).toHaveText(/^Paid: [0-9a-f-]{36}$/, PATIENT);
      await pay.click();
      await expectOn(status).toContainText('reference', PATIENT);
    },
  );
});

describe('a server', () => {
  test('a server in Node is at most 35 lines long', () => {
    const lines = new MarkedPage('docs/quick-start/server.md').file('server.mjs').split('\n');

    expect(lines.length).toBeLessThanOrEqual(37);
  });

  describe.each(SERVERS)('in %s', (language) => {
    const { run } = can(SAMPLE_SERVERS[language].probe);

    run(
      `a server in ${language} is paid by the page, receives webhooks, ships once, and (Node) keeps every rule of check-shop`,
      { timeout: PATIENT_MS },
      async () => {
        const { quickStart, folder, shopUrl, sandboxUrl } = await openQuickStart('server');
        quickStart.write(folder, 'public/index.html');
        for (const file of SAMPLE_SERVERS[language].files) quickStart.write(folder, file);
        if (language === 'node') await installExpress(quickStart);
        const shop = start(quickStart.command(language), folder);

        await expectShop(shop, shopUrl, sandboxUrl, { isPageKnown: language !== 'node' });
        if (language !== 'node') return; // sample-servers.long.test.ts tries the others
        const broken = await findBrokenRules(shopUrl, sandboxUrl, { output: () => shop.output });
        expect(broken, shop.output).toEqual([expect.stringContaining('--previous-token')]);
        await expectShopRejectsStrangers(shop, shopUrl);
      },
    );
  });
});

describe('tests in CI', () => {
  test('tests in CI pass with Playwright, and the workflow runs them', {
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

  test('tests in CI pass in a plain shell', { timeout: PATIENT_MS }, async () => {
    const { quickStart, folder } = await openTests();
    quickStart.write(folder, 'ci.sh');

    const { exitCode, output } = await runToEnd(quickStart.command('shell'), folder);

    expect(output).toContain('The server takes payments.');
    expect(exitCode, output).toBe(0);
  });

  can(SAMPLE_SERVERS.python.probe).run(
    'tests in CI pass in Python',
    { timeout: PATIENT_MS },
    async () => {
      const { quickStart, folder } = await openTests();
      quickStart.write(folder, 'test_shop.py');
      quickStart.write(folder, 'ci.sh');
      appendFileSync(join(folder, 'ci.sh'), quickStart.command('python'));

      const { exitCode, output } = await runToEnd(quickStart.command('shell'), folder);

      expect(output).toMatch(/^OK$/m);
      expect(exitCode, output).toBe(0);
    },
  );

  async function openTests() {
    const opened = await openQuickStart('ci', {
      starts: false,
      more: {
        'use: { baseURL': `use: { launchOptions: ${JSON.stringify({
          executablePath: requireHeadlessShell(),
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
  const run = test.skipIf(!IS_ON_LAN);

  run('a phone in the same network pays over HTTPS', { timeout: PATIENT_MS }, async () => {
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
      '<script src="http://localhost:4010/js/v1/inline.js"></script>': quickStart
        .example('script')
        .trim(),
      'http://localhost:4010/js/': `${service}/js/`, // the other address to change
    });
    server.quickStart.write(folder, 'public/index.html');
    server.quickStart.write(folder, 'server.mjs');
    await installExpress(server.quickStart);
    start(server.quickStart.command('node'), folder);
    const certificate = await runToEnd(quickStart.command('certificate'), folder);
    expect(certificate.exitCode, certificate.output).toBe(0);
    quickStart.write(folder, 'phone.mjs');
    const forwarder = start(quickStart.command('phone'), folder);

    const page = await openPage(`https://${LAN_ADDRESS}:${shopOnLan}`, service, {
      ignoreHTTPSErrors: true,
      viewport: { width: 360, height: 740 },
    });
    await page.getByRole('button', { name: 'Buy honey' }).click();
    await new PaymentPopup(page, { locale: 'en' }).payByCard(TEST_CARDS.successful);

    await expectOn(page.getByRole('status')).toHaveText('Order paid.', PATIENT);
    const forwardedUrl = `https://${LAN_ADDRESS}:${shopOnLan}`;
    await expectStrangersRejected(forwardedUrl, {
      pid: forwarder.pid,
      output: () => forwarder.output,
    });
  });
});

expectEveryBlockRun(
  [
    ...['docs/quick-start/html.md', 'docs/quick-start/server.md'],
    ...['docs/quick-start/ci.md', 'docs/quick-start/phone.md'],
  ],
  [
    ...SERVERS.filter((language) => !canRun(SAMPLE_SERVERS[language].probe)).flatMap(
      (language) => SAMPLE_SERVERS[language].files,
    ),
    'poll_payments.py', // sample-servers.long.test.ts runs it
    ...(canRun(SAMPLE_SERVERS.python.probe) ? [] : ['index.html', 'test_shop.py']),
    ...(IS_ON_LAN ? [] : ['script', 'phone.mjs']),
  ],
);

function readVersion(name: string): string {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return devDependencies[name];
}

function can(probe: readonly string[]) {
  return { run: test.skipIf(!canRun(probe)) };
}
