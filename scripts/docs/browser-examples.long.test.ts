import { createHash, createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect as expectOn, type Page } from '@playwright/test';
import { PaymentPopup, TEST_CARDS, TEST_PHONES } from '@service-pay/sandbox/playwright';
import { signWebhook } from '@service-pay/server';
import { build } from 'vite';
import { describe, expect, test } from 'vitest';
import { expectEveryBlockRun } from './every-block.ts';
import { MarkedPage, type ShellProgram } from './marked-page.ts';
import {
  control,
  installAsShown,
  installExpress,
  openPage,
  openQuickStart,
  PATIENT,
  PATIENT_MS,
  setUpReader,
  start,
} from './test-quick-start.ts';

const KEY = 'pub_sandbox_demo';

/** Functions of a reader's page, in the words of the examples. They note how they are called. */
const YOURS = [
  ...['showCart', 'showPending', 'showResult', 'say'],
  ...['verify', 'confirmOnServer', 'report'],
];

const OPTIONS = `{
  key: '${KEY}', email: 'ada@example.com', reference: 'example-1', amount: '10.75', currency: 'ZMW',
}`;

setUpReader();

test('the two halves of the README are one program: it is paid by card, and resumes a payment that is not over', {
  timeout: PATIENT_MS,
}, async () => {
  const { shop, open } = await openShop();
  const page = await open('');
  const popup = new PaymentPopup(page, { locale: 'en' });
  const buy = page.getByRole('button', { name: 'Buy honey' });
  const status = page.getByRole('status').first();
  const expectShipped = (times: number) =>
    expect.poll(() => shop.output.split('ship honey').length - 1, PATIENT).toBe(times);

  await buy.click();
  await popup.payByCard(TEST_CARDS.successful);
  await expectOn(status, shop.output).toHaveText('paid', PATIENT);
  await expectShipped(1);

  await buy.click();
  await popup.payByPhone(TEST_PHONES.waits);
  await popup.expectPromptFor(TEST_PHONES.waits);
  await popup.leave('close-anyway');
  await expectOn(status).toHaveText('pending', PATIENT);
  await page.reload();
  await expectOn(status).toHaveText('unfinished', PATIENT);
  await buy.click();
  await popup.expectPromptFor(TEST_PHONES.waits);
  await popup.approveOnPhone();
  await expectOn(status).toHaveText('paid', PATIENT);
  await expectShipped(2);
});

describe('the page of docs/flow.md', () => {
  test('the page of docs/flow.md finds a payment again after a reload and in a second tab', {
    timeout: PATIENT_MS,
  }, async () => {
    const { folder, copy, open, sandboxUrl } = await openShop();
    copy('docs/flow.md').write(folder, 'public/shop.html');
    const page = await open('shop.html');
    const popup = new PaymentPopup(page, { locale: 'en' });
    const words = (on: Page) => on.getByRole('status').first();

    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await popup.payByPhone(TEST_PHONES.waits);
    await popup.expectPromptFor(TEST_PHONES.waits);
    await page.reload();
    await expectOn(words(page)).toHaveText('You have an unfinished payment.', PATIENT);
    const second = await page.context().newPage();
    await second.goto(page.url());
    await expectOn(words(second)).toHaveText('You have an unfinished payment.', PATIENT);
    await control(sandboxUrl, 'POST', `phones/${TEST_PHONES.waits.phone}/approve`);

    await expectOn(words(second)).toHaveText('Order paid.', PATIENT);
  });

  test('the page of docs/flow.md says that a payment failed, and tries again', {
    timeout: PATIENT_MS,
  }, async () => {
    const { folder, copy, open, sandboxUrl } = await openShop();
    copy('docs/flow.md').write(folder, 'public/shop.html');
    const page = await open('shop.html');
    const popup = new PaymentPopup(page, { locale: 'en' });
    const pay = page.getByRole('button', { name: 'Pay', exact: true });
    const words = page.getByRole('status').first();
    const placed = page.waitForResponse('**/api/orders');
    await pay.click();
    const { reference } = (await (await placed).json()).data;
    await popup.leave();
    const declined = { reference, amount: '92.50', card: TEST_CARDS.notEnoughFunds };
    for (let tries = 0; tries < 5; tries++) await control(sandboxUrl, 'POST', 'pay', declined);
    await page.reload();
    await expectOn(words).toHaveText('Payment failed. You can try again.', PATIENT);

    await pay.click();
    await popup.payByCard(TEST_CARDS.successful);

    await expectOn(words).toHaveText('Order paid.', PATIENT);
  });
});

describe('the options of docs/flow.md', () => {
  const SHORTEST = "const flow = createPaymentFlow({ api: '/api' });";

  test.each([
    ['functions', (code: string) => `${code}\nconst flow = createPaymentFlow({ api });`],
    ['headers', (code: string) => `document.cookie = 'csrftoken=t0k3n';\n${code}`],
  ])(
    'the %s of docs/flow.md pay like the base of the routes',
    { timeout: PATIENT_MS },
    async (name, toSetup) => {
      const { folder, copy, open } = await openShop();
      const flow = copy('docs/flow.md');
      const shown = flow.file('public/shop.html');
      const setup = toSetup(flow.example(name));
      expect(shown).toContain(SHORTEST);
      writeFileSync(
        join(folder, 'public/shop.html'),
        shown.replace(SHORTEST, () => setup),
      );
      const page = await open('shop.html');
      const verified = page.waitForRequest('**/api/payments/*/verify');

      await page.getByRole('button', { name: 'Pay', exact: true }).click();
      await new PaymentPopup(page, { locale: 'en' }).payByCard(TEST_CARDS.successful);

      await expectOn(page.getByRole('status').first()).toHaveText('Order paid.', PATIENT);
      const token = (await verified).headers()['x-csrftoken'];
      expect(token).toBe(name === 'headers' ? 't0k3n' : undefined);
    },
  );
});

describe('the element of docs/embedding.md', () => {
  test('the element of docs/embedding.md takes a payment and reports it to the listeners', {
    timeout: PATIENT_MS,
  }, async () => {
    const { copy, show } = await openShop();
    const embedding = copy('docs/embedding.md');
    const page = await show(embedding.example('element'), embedding.example('listeners'));
    const popup = new PaymentPopup(page, { locale: 'en' });
    const pay = page.getByRole('button', { name: 'Pay ZMW 10.75' });

    await pay.click();
    await popup.leave();
    await expectCall(page, ['showCart']);
    await pay.click();
    await popup.payByCard(TEST_CARDS.successful);

    await expectCall(page, ['verify', 'made-by-your-server']);
  });

  test('the element of docs/embedding.md places its order at the press, beside the page of the script tag', {
    timeout: PATIENT_MS,
  }, async () => {
    const { copy, show, shop } = await openShop();
    const embedding = copy('docs/embedding.md');
    const element = "const element = document.querySelector('service-pay');\n";
    const script = element + embedding.example('prepare');
    const page = await show(
      embedding.example('element') +
        copy('README.md')
          .file('public/index.html')
          .replace(/(?=<\/script>\s*$)/, script)
          .replace("querySelector('button')", "querySelector('body > button')"),
    );

    await page.getByRole('button', { name: 'Pay ZMW 10.75' }).click();
    await new PaymentPopup(page, { locale: 'en' }).payByCard(TEST_CARDS.successful);

    await expectOn(page.getByRole('status').first()).toHaveText('paid', PATIENT);
    await expect.poll(() => shop.output, PATIENT).toContain('ship honey');
  });
});

describe('from the npm package', () => {
  test.each([
    ['widget/README.md', 'setup', 'widget/README.md', 'Buy'],
    ['docs/embedding.md', 'npm', 'docs/embedding.md', 'Pay ZMW 10.75'],
  ])(
    'the element of %s takes a payment',
    async (page, setup, markup, name) => {
      const { copy, show, bundle } = await openShop();
      const element = copy(markup)
        .example('element')
        .replace(/<script .*<\/script>\n/, '');
      const shown = await show(element, await bundle(copy(page).example(setup)));

      await shown.getByRole('button', { name }).click();

      const popup = new PaymentPopup(shown, { locale: 'en' });
      await popup.payByCard(TEST_CARDS.successful);
      await popup.expectSuccessful();
    },
    PATIENT_MS,
  );

  test('the loader of docs/embedding.md opens the popup', { timeout: PATIENT_MS }, async () => {
    const { copy, show, bundle } = await openShop();
    const loader = copy('docs/embedding.md').example('loader');
    const page = await show('', await bundle(`const options = ${OPTIONS};\n${loader}`));

    await new PaymentPopup(page, { locale: 'en' }).expectOpen({ amount: '10.75' });
  });

  test('useIsHydrated of docs/embedding.md gives a hydrated element its prepare', {
    timeout: PATIENT_MS,
  }, async () => {
    const { copy, show, bundle } = await openShop();
    await installAsShown('npm install react@19 react-dom@19');
    const app = (key: string) => `
      import { configure } from '@service-pay/widget';
      import '@service-pay/widget/define';
      import { createElement as h } from 'react';
      import { hydrateRoot } from 'react-dom/client';
      import { renderToString } from 'react-dom/server';
      ${copy('docs/embedding.md').example('hydrated')}
      configure({ serviceUrl: 'https://pay.example' });
      const prepare = async () => (${OPTIONS});
      const Buy = () =>
        h('service-pay', { key: ${key}, 'public-key': '${KEY}', prepare }, h('button', { type: 'button' }, 'Buy'));
      const App = () => h('div', {}, h(Buy));
      const root = document.querySelector('#root');
      root.innerHTML = renderToString(h(App));
      root.addEventListener('service-pay-error', ({ error }) => report(error.code));
      hydrateRoot(root, h(App));`;
    const press = async (key: string) => {
      const page = await show('<div id="root"></div>', await bundle(app(key)));
      await page.getByRole('button', { name: 'Buy' }).click();
      return page;
    };

    await expectCall(await press("'always'"), ['report', 'invalid_options']);
    const page = await press('String(useIsHydrated())');
    await new PaymentPopup(page, { locale: 'en' }).expectOpen({ amount: '10.75' });
  });
});

describe('getPaid', () => {
  test.each([
    [
      'docs/options-and-outcomes.md',
      'call',
      `const order = ${OPTIONS};`,
      ['showResult', 'example-1'],
    ],
    ['docs/migrate/paystack.md', 'after', '', ['confirmOnServer', 'order-1']],
    ['docs/migrate/flutterwave.md', 'after', '', ['confirmOnServer', 'order-1']],
    [
      'docs/migrate/script-tag.md',
      'order',
      `const [key, cart] = ['key-1', { sku: 'honey' }];
       const onSuccess = ({ reference }) => verify(reference.length > 20);
       const [onClose, onConfirmationPending] = [showCart, showPending];`,
      ['verify', true],
    ],
  ])(
    'getPaid of %s takes a payment',
    { timeout: PATIENT_MS },
    async (name, example, before, call) => {
      const { copy, show, scriptTag } = await openShop();
      const page = await show(scriptTag, `${before}\n${copy(name).example(example)}`);

      await new PaymentPopup(page, { locale: 'en' }).payByCard(TEST_CARDS.successful);

      await expectCall(page, call);
    },
  );

  test('getPaid of docs/options-and-outcomes.md reports the outcome, and errors by their code', {
    timeout: PATIENT_MS,
  }, async () => {
    const { copy, show, scriptTag } = await openShop();
    const examples = copy('docs/options-and-outcomes.md');
    const before = `const options = ${OPTIONS};\n`;
    const page = await show(
      scriptTag,
      `${before}${examples.example('handle')}\nsay(outcome, reference);`,
    );
    await new PaymentPopup(page, { locale: 'en' }).leave();
    await expectCall(page, ['say', 'closed', 'example-1']);

    const wrong = before.replace('10.75', '-1');
    const broken = await show(scriptTag, wrong + examples.example('errors'));

    const message = expect.stringMatching(/^amount must be above 0/);
    await expectCall(broken, ['report', 'invalid_options', [{ path: 'amount', message }]]);
  });

  test('getPaid of docs/embedding.md goes on to a result page', {
    timeout: PATIENT_MS,
  }, async () => {
    const { copy, show, scriptTag } = await openShop();
    const script = `const options = ${OPTIONS};\n${copy('docs/embedding.md').example('redirect')}`;
    const page = await show(scriptTag, script);

    await new PaymentPopup(page, { locale: 'en' }).payByCard(TEST_CARDS.successful);

    await page.waitForURL('**/payments/return?reference=example-1', PATIENT);
  });

  test('docs/embedding.md notices a blocked script', { timeout: PATIENT_MS }, async () => {
    const { copy, show, scriptTag } = await openShop();
    const blocked = copy('docs/embedding.md').example('blocked');

    const page = await show(scriptTag.replace('inline.js', 'none.js'), blocked);

    await expectCall(page, ['say', expect.stringMatching(/^Payments are blocked here\./)]);
  });
});

test('docs/styling.md colours the form, and styles the parts around it', {
  timeout: PATIENT_MS,
}, async () => {
  const { copy, show } = await openShop();
  const styling = copy('docs/styling.md');
  const css = styling.example('properties') + styling.example('parts');
  const element = copy('docs/embedding.md')
    .example('element')
    .replace(/\s*<button .*\s*/, '');
  const page = await show(`<style>${css}</style>${element}`);
  const popup = new PaymentPopup(page, { locale: 'en' });
  const button = page.getByRole('button', { name: 'Pay' });

  await expectOn(button).toHaveCSS('text-transform', 'uppercase');
  await expectOn(button).toHaveCSS('padding-inline', '32px');
  await button.click();

  await expectOn(popup.payButton).toHaveCSS('background-color', 'rgb(124, 58, 237)', PATIENT);
  const backdrop = page.locator('service-pay-popup [part=backdrop]');
  await expectOn(backdrop).toHaveCSS('background-color', 'rgba(30, 0, 60, 0.6)');
});

test('the pinned script of docs/security.md runs only if its bytes match integrity.json', {
  timeout: PATIENT_MS,
}, async () => {
  const { copy, show, sandboxUrl } = await openShop();
  await show('');
  const response = await fetch(`${sandboxUrl}/js/v1/integrity.json`);
  const { file, integrity } = (await response.json()) as { file: string; integrity: string };
  const pinned = copy('docs/security.md')
    .example('pinned')
    .replace(/\/js\/[\d.]+\/inline\.js/, file);
  const isThere = async (hash: string) =>
    (await show(pinned.replace('sha384-…', hash))).evaluate(() => 'ServicePay' in window);

  expect(await isThere(integrity)).toBe(true);
  expect(await isThere(integrity.replace(/.{4}$/, 'AAAA'))).toBe(false);
});

test.each(["'nonce-abc'", "'nonce-abc' 'strict-dynamic'"])(
  'tags with a nonce open the popup under %s, and what they import needs none',
  {
    timeout: PATIENT_MS,
  },
  async (sources) => {
    const { show, sandboxUrl, scriptTag } = await openShop();
    const policy = `default-src 'none'; script-src ${sources}; frame-src ${sandboxUrl}; connect-src 'self' ${sandboxUrl}`;
    const page = await show(`
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    ${scriptTag.replace('<script', '<script nonce="abc"')}
    <button type="button">Pay</button>
    <script nonce="abc" type="module">
      import { createPaymentFlow } from '${sandboxUrl}/js/v1/flow.js';
      const flow = createPaymentFlow({ api: '/api' });
      document.querySelector('button').onclick = () => flow.pay(async () => (${OPTIONS}));
    </script>`);

    await page.getByRole('button', { name: 'Pay' }).click();

    await new PaymentPopup(page, { locale: 'en' }).expectOpen({ amount: '10.75' });
  },
);

test('docs/migrate/paystack.md signs as the service does', () => {
  const [apiToken, rawBody] = ['sec_sandbox_demo', '{"event":"x"}'];
  const context = { createHash, createHmac, secretKey: 'sk_test', apiToken, rawBody };

  const signature = runInNewContext(
    new MarkedPage('docs/migrate/paystack.md').example('signature'),
    context,
  );

  expect(signature).toBe(signWebhook(rawBody, apiToken));
});

expectEveryBlockRun([
  ...['README.md', 'widget/README.md', 'docs/embedding.md', 'docs/flow.md'],
  ...['docs/options-and-outcomes.md', 'docs/styling.md', 'docs/security.md'],
  ...['docs/migrate/paystack.md', 'docs/migrate/flutterwave.md', 'docs/migrate/script-tag.md'],
]);

/** Starts the shop of the README, and opens pages beside its own. */
async function openShop() {
  const { quickStart, folder, ports, shopUrl, sandboxUrl } = await openQuickStart('README.md');
  quickStart.write(folder, '');
  await installExpress(quickStart);
  const shop: ShellProgram = start(quickStart.command('shop'), folder);
  const words = { ...ports, 'https://pay.example': sandboxUrl, 'pub_…': KEY };
  const open = (path: string) => openPage(`${shopUrl}/${path}`, sandboxUrl, {}, shop);
  let count = 0;
  return {
    ...{ folder, shop, shopUrl, sandboxUrl, open },
    scriptTag: `<script src="${sandboxUrl}/js/v1/inline.js"></script>`,
    copy: (page: string) => new MarkedPage(page, words),
    /** Opens a page of the shop with this markup and module. */
    show(markup: string, script = ''): Promise<Page> {
      const name = `page-${count++}.html`;
      const yours = `
        window.calls = [];
        for (const name of ${JSON.stringify(YOURS)}) window[name] = (...words) => calls.push([name, ...words]);`;
      const page = `<!doctype html>
        <meta charset="utf-8" /><meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," /><script>${yours}</script>
        ${markup}<script type="module">${script}</script>`;
      writeFileSync(join(folder, 'public', name), page);
      return open(name);
    },
    /** Bundles a module with the installed packages. */
    async bundle(code: string): Promise<string> {
      const entry = join(folder, `entry-${count++}.js`);
      writeFileSync(entry, code.replaceAll('https://pay.example', sandboxUrl));
      const lib = { entry, formats: ['es' as const] };
      const [built] = (await build({
        root: folder,
        configFile: false,
        publicDir: false,
        logLevel: 'error',
        define: { 'process.env.NODE_ENV': '"production"' },
        build: {
          write: false,
          lib,
          target: 'esnext',
          rolldownOptions: { output: { codeSplitting: false } },
        },
      })) as { output: { code: string }[] }[];
      return built!.output[0]!.code;
    },
  };
}

/** Waits until one of the reader's functions was called with these words. */
async function expectCall(page: Page, call: readonly unknown[]): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { calls: unknown[] }).calls), PATIENT)
    .toContainEqual(call);
}
