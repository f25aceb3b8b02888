import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect as expectOn, type Route } from '@playwright/test';
import { PaymentPopup, TEST_CARDS } from '@service-pay/sandbox/playwright';
import { expect, test, vi } from 'vitest';
import { expectStrangersRejected, MOST_MB_OF_NEXT } from './strangers.ts';
import {
  installAsShown,
  openPage,
  openQuickStart,
  PATIENT,
  PATIENT_MS,
  READY_MS,
  runToEnd,
  setUpReader,
  start,
} from './test-quick-start.ts';

setUpReader();

test(
  'a Next.js app in TypeScript takes a payment by a server action, once, also after a reload, builds, opens a database that was away at its start (T152), and rejects strangers (T147)',
  async () => {
    const { quickStart, folder, shopUrl, sandboxUrl } = await openQuickStart('full-stack', {
      ownProject: true,
    });
    quickStart.write(folder, 'next-typescript/');
    for (const name of ['next.config.mjs', 'app/layout.jsx'])
      quickStart.write(folder, `next/${name}`, name);
    await installAsShown(quickStart.command('next-typescript', 'install'), folder);
    const inTheWay = join(folder, 'data');
    writeFileSync(inTheWay, '');
    const app = start(`DATABASE_URL=file:data/shop.db ${quickStart.command('next')}`, folder);
    const page = await openPage(shopUrl, sandboxUrl, {}, app);
    const popup = new PaymentPopup(page, { locale: 'en' });
    const buy = page.getByRole('button', { name: 'Buy honey', exact: true });
    const expectWords = (words: string, patient = PATIENT) =>
      expectOn(page.getByRole('status').first(), app.output).toHaveText(words, patient);
    const countShipped = () => app.output.split('ship honey').length - 1;

    await buy.click();
    await expectWords('The shop cannot do this now. Try again in a moment.', { timeout: READY_MS });
    rmSync(inTheWay);
    await buy.click({ clickCount: 2 }); // impatient, and still one order
    await expectOn(popup.payButton).toContainText('92.50', { timeout: READY_MS });
    await popup.leave();
    await page.reload({ waitUntil: 'networkidle', timeout: READY_MS });
    await expectWords('You have an unfinished payment.');
    await buy.click();
    await popup.payByCard(TEST_CARDS.successful);
    await expectWords('Order paid.');
    await expect.poll(countShipped, PATIENT).toBe(1);

    await popup.expectClosed();
    const fail = (route: Route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 500 }) : route.continue();
    await page.route(`${shopUrl}/`, fail);
    await buy.click();
    await expectWords('The shop could not take the order. No payment was started.');
    await page.unroute(`${shopUrl}/`, fail);
    await popup.expectClosed();
    await buy.click(); // the first is paid, so the same goods are another order
    await popup.payByCard(TEST_CARDS.successful);
    await expect.poll(countShipped, PATIENT).toBe(2);

    const built = await runToEnd('npx next build', folder);
    expect(built.exitCode, built.output).toBe(0);
    await app.stop();
    const production = start(`npx next start --port ${new URL(shopUrl).port}`, folder);
    await vi.waitFor(() => fetch(shopUrl), { timeout: READY_MS });
    await expectStrangersRejected(shopUrl, {
      pid: production.pid,
      output: () => production.output,
      mostMb: MOST_MB_OF_NEXT,
    });
  },
  PATIENT_MS,
);
