import { expect, test } from './host-page.ts';

const styled = (css: string) => ({ headers: {}, head: `<style>${css}</style>` });

test.describe('a card pays on a page with unusual styles', () => {
  for (const way of ['tag', 'element'] as const) {
    test(`a card pays on a page with everything unset, dialogs and frames hidden, by ${way} (T21)`, async ({
      buy,
    }) => {
      await buy({
        way,
        ...styled(`
          * { all: unset !important }
          dialog, iframe, [hidden], body > service-pay-layer, body > service-pay-popup { display: none !important }
          div, iframe, dialog { visibility: hidden !important; opacity: 0 !important; transform: scale(0) !important; pointer-events: none !important }
        `),
      });
    });

    test(`a card pays on a page with styles that create a containing block, a clip or a layer, by ${way} (T21)`, async ({
      buy,
    }) => {
      const styles = styled(`
        html { filter: grayscale(1); font-size: 62.5%; writing-mode: vertical-rl }
        body { transform: translateX(40px); filter: sepia(1); perspective: 100px; will-change: transform; contain: layout paint style; isolation: isolate; opacity: .9;
          clip-path: inset(0); mask-image: linear-gradient(#000, #000); backdrop-filter: blur(1px); height: 300px; overflow: hidden; pointer-events: none }
        body * { pointer-events: auto; content-visibility: auto; text-transform: uppercase; letter-spacing: 1em; cursor: none; user-select: none }
        body > service-pay-layer, body > service-pay-popup { content-visibility: hidden; clip-path: inset(50%); opacity: 0 }
      `);
      await buy({ way, ...styles }, { opens: 'by keyboard' });
    });
  }

  test('a card pays on a page with custom properties that the page registers under plain names, for something else (T21)', async ({
    buy,
  }) => {
    const names = [
      'accent',
      'bar',
      'keyboard',
      'radius',
      'sight',
      'soft',
      'surface',
      'text',
      'warning',
    ];
    await buy(
      styled(
        names
          .map(
            (name) =>
              `@property --${name} { syntax: '<integer>'; inherits: true; initial-value: 7 }`,
          )
          .join('\n'),
      ),
      {
        async whileOpen({ dialog }) {
          await expect(dialog.locator('.skeleton')).toHaveCSS(
            'background-color',
            'rgb(255, 255, 255)',
          );
          await expect(dialog.locator('.card')).toHaveCSS('border-top-left-radius', '16px');
        },
      },
    );
  });

  test('a root whose font is 62.5 % of the customer’s changes no size', async ({ buy }) => {
    await buy(styled('html { font-size: 62.5% }'), {
      async whileOpen({ dialog, frame }) {
        await expect(dialog.locator('.amount')).toHaveCSS('font-size', '30px');
        await expect(dialog.locator('.names bdi')).toHaveCSS('font-size', '13px');
        await expect(frame.locator('.total')).toHaveCSS('font-size', '30px');
      },
    });
  });

  test('a card pays on a page zoomed by CSS', async ({ buy }) => {
    await buy(styled('html { zoom: 2 } body { zoom: 1.25 }'), { hands: 'keyboard' });
  });

  test('a card pays on a page zoomed by CSS while the sheet is open', async ({
    page,
    popup,
    purchase,
    site,
  }) => {
    const zoomed = styled('@media (width < 900px) { html { zoom: 2 } }');
    await page.setViewportSize({ width: 1000, height: 800 });
    await purchase.open({}, `${site.url}${site.publish(zoomed)}`);
    await popup.expectOpen();

    await page.setViewportSize({ width: 800, height: 700 });

    await expect
      .poll(async () => {
        const { width, height } = (await popup.dialog.boundingBox())!;
        return width <= 800 && height <= 700;
      })
      .toBe(true);
  });

  test('a card pays on a page in quirks mode, with an old script', async ({ buy }) => {
    await buy({ doctype: '', root: '', headers: {} });
  });

  test('a card pays on a page from right to left, in Arabic', async ({ page, buy }) => {
    await buy(
      { root: 'lang="ar" dir="rtl"' },
      {
        async whileOpen({ dialog, close }) {
          const [card, button] = [(await dialog.boundingBox())!, (await close.boundingBox())!];
          expect(
            button.x,
            "Close is where the dialog's own language ends its lines",
          ).toBeGreaterThan(card.x + card.width / 2);
          expect(await page.evaluate(() => document.dir)).toBe('rtl');
        },
      },
    );
  });

  test('a card pays on a page with 10 000 nodes', async ({ buy }) => {
    test.slow();
    await buy({
      before: () => {
        for (let row = 0; row < 2_500; row++) {
          const line = document.body.appendChild(document.createElement('p'));
          line.append(
            document.createElement('b'),
            ` ${row} `,
            document.createElement('i'),
            document.createElement('u'),
          );
        }
      },
    });
  });

  test('a card pays on a page with neighbours at the highest z-index and in the top layer (T21)', async ({
    buy,
  }) => {
    await buy({
      ...styled(`
        .neighbour { position: fixed; inset: 0; z-index: 2147483647; background: rgb(255 0 0 / .2); pointer-events: none }
        [popover] { inset: 0; inline-size: 100vw; block-size: 100vh; margin: 0; border: 0; background: rgb(0 0 255 / .2); pointer-events: none }
      `),
      body: '{{button}}<div class="neighbour">Chat with us</div><div id="toast" popover="manual">Added to the cart</div>',
      after: () => document.querySelector<HTMLElement>('#toast')!.showPopover(),
    });
  });
});
