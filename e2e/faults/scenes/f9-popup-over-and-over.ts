import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from '@playwright/test';
import { startSandbox } from '@service-pay/sandbox';
import { buildStaleWidget } from '../../../scripts/build/built-widget.ts';
import { requireBrowser } from '../../../scripts/programs/find-browser.ts';
import { countLeft, measureLeaks, watchLeaks } from '../../lab/leaks.ts';
import { Findings, type Harness, type HarnessOptions, type HarnessResult } from '../harness.ts';

const CYCLES = { short: 20, full: 1_000 };
const WIDGET = fileURLToPath(new URL('../../../widget/dist', import.meta.url));
const OPTIONS = { key: 'pub_sandbox_demo', email: 'mary@example.com', amount: 10, currency: 'ZMW' };
const PAID = 'paid-before';

/**
 * F9: the popup is opened and closed over and over, in every way there is.
 * `e2e/popup/cut-off.spec.ts` and `e2e/shop/histories.spec.ts` cut the network and kill the tab at
 * each step. No database takes part, so one is named.
 */
export const F9: Harness = {
  id: 'F9',
  what: 'popup opened and closed over and over',
  databases: ['sqlite'],
  run: runF9,
  broken: [
    {
      name: 'leaves-a-listener',
      script: `{
        const open = HTMLDialogElement.prototype.showModal;
        HTMLDialogElement.prototype.showModal = function () {
          document.addEventListener('keydown', () => this.isConnected);
          return open.call(this);
        };
      }`,
    },
    {
      name: 'calls-back-twice',
      script: `{
        const { getPaid } = window.ServicePay;
        const twice = (callback) => callback && ((...values) => (callback(...values), callback(...values)));
        window.ServicePay = { ...window.ServicePay, getPaid: (options) => getPaid({ ...options, onClose: twice(options.onClose), onSuccess: twice(options.onSuccess) }) };
      }`,
    },
  ],
};

export async function runF9(options: HarnessOptions): Promise<HarnessResult> {
  const findings = new Findings('F9', options);
  await buildStaleWidget();
  const widgetDist = mkdtempSync(join(tmpdir(), 'popup-'));
  cpSync(WIDGET, widgetDist, { recursive: true });
  if (options.script) breakScript(join(widgetDist, 'js/v1/inline.js'), options.script);
  const sandbox = await startSandbox({ widgetDist, historyLimit: 1 });
  const site = await serveMerchant(`${sandbox.url}/js/v1/inline.js`);
  // Without a compiler: the browser compiles whenever it likes, and keeps memory for that.
  const browser = await chromium.launch({
    executablePath: requireBrowser(),
    args: ['--no-sandbox', '--disable-gpu', '--js-flags=--jitless'],
  });
  try {
    await sandbox.control.putCollection({
      reference: PAID,
      amount: '10.00',
      currency: OPTIONS.currency,
    });
    const page = await browser.newPage();
    await watchLeaks(page);
    await page.goto(site.url);
    const report = await measureLeaks(page, CYCLES[options.scale], {
      options: OPTIONS,
      paid: PAID,
    });
    const { opened, outcomes } = await readOutcomes(page);
    findings.require('popups opened by call', opened, Math.floor(CYCLES[options.scale] * 0.8));
    findings.limit(
      'popups without exactly one outcome',
      outcomes.filter((calls) => calls !== 1).length,
      0,
    );
    for (const [kind, count] of countLeft(report)) findings.limit(`${kind} left behind`, count, 0);
    const { untouched, after } = report;
    findings.figures['heap kB left'] = Math.round((after.heapBytes - untouched.heapBytes) / 1_000);
    return findings.result();
  } finally {
    await browser.close();
    site.close();
    await sandbox.close();
    rmSync(widgetDist, { recursive: true });
  }
}

/** Removes the compressed copies, which the browser would be served unchanged. */
function breakScript(path: string, script: string): void {
  appendFileSync(path, `\n;${script}`);
  for (const copy of ['.br', '.gz']) rmSync(path + copy);
}

function readOutcomes(page: Page): Promise<{ opened: number; outcomes: number[] }> {
  return page.evaluate(() => {
    const { outcomes } = window as unknown as { outcomes: number[] };
    return { opened: outcomes.length, outcomes };
  });
}

/** Runs in the merchant's page after the service's script: counts the callbacks of each popup. */
function countOutcomes(): void {
  const page = window as unknown as {
    outcomes: number[];
    ServicePay: { getPaid(options: object): unknown };
  };
  const service = page.ServicePay;
  const outcomes: number[] = [];
  page.outcomes = outcomes;
  page.ServicePay = {
    ...service,
    getPaid(options) {
      const number = outcomes.push(0) - 1;
      const count = () => {
        outcomes[number]! += 1;
      };
      return service.getPaid({
        ...options,
        onSuccess: count,
        onClose: count,
        onConfirmationPending: count,
      });
    },
  };
}

async function serveMerchant(scriptUrl: string): Promise<{ url: string; close(): void }> {
  const html = `<!doctype html><html lang="en"><title>A merchant</title><body><h1>A merchant</h1><script src="${scriptUrl}"></script><script>(${countOutcomes})()</script></body></html>`;
  const server = createServer(
    (_request, response) =>
      void response.setHeader('content-type', 'text/html; charset=utf-8').end(html),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => void server.close(),
  };
}
