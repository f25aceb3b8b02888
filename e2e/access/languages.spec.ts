import type { Page } from '@playwright/test';
import { expect, test } from '../stack.ts';
import { Announcements } from '../support/announcements.ts';
import { PAID } from '../support/expect-ending.ts';

const WORDS = {
  fr: { dialog: /^Paiement/, frame: 'Paiement sécurisé' },
  pt: { dialog: /^Pagamento/, frame: 'Pagamento seguro' },
  sw: { dialog: /^Malipo/, frame: 'Malipo salama' },
  ar: { dialog: /^الدفع/, frame: 'دفع آمن' },
} as const;

const popupIn = (page: Page, language: keyof typeof WORDS) => ({
  dialog: page.getByRole('dialog', { name: WORDS[language].dialog }),
  frame: page.frameLocator(`iframe[title="${WORDS[language].frame}"]`),
});

function noteLanguageFiles(page: Page): string[] {
  const requested: string[] = [];
  page.on('request', (request) => {
    const [, language] =
      /\/(?:words\/|assets\/)(fr|pt|sw|ar)\b/.exec(new URL(request.url()).pathname) ?? [];
    if (language) requested.push(language);
  });
  return requested;
}

test.describe('paying in another language', () => {
  test('a whole purchase by card in French, by the option (D23)', async ({ page, purchase }) => {
    await purchase.open({ locale: 'fr-FR' });
    const { dialog, frame } = popupIn(page, 'fr');
    await expect(dialog).toHaveAttribute('lang', 'fr');
    await expect(page.getByRole('button', { name: 'Fermer le paiement' })).toBeVisible();
    await frame.getByLabel('Numéro de carte').fill('4000 0000 0000 0002');
    await frame.getByLabel('Date d’expiration').fill('12/34');
    await frame.getByLabel('Code de sécurité').fill('123');
    await frame.getByLabel('Nom sur la carte').fill('Mary Banda');
    await frame.getByRole('button', { name: /^Payer [\d\s]+,\d\d ZMW$/ }).click();
    await expect(frame.getByRole('alert')).toContainText(
      /Carte refusée par la banque\.\s+Votre compte n’a pas été débité\./,
    );
    await frame.getByLabel('Numéro de carte').fill('4242 4242 4242 4242');
    await frame.getByLabel('Code de sécurité').fill('123');
    await frame.getByRole('button', { name: /^Payer/ }).click();

    await purchase.expectEnding(PAID);
  });

  test('a whole purchase by mobile money in Arabic, by the page’s own language, from right to left (D23)', async ({
    page,
    purchase,
    site,
  }) => {
    await page.goto(site.url);
    await page.evaluate(() => {
      document.documentElement.lang = 'ar';
    });

    await purchase.open();
    const { dialog, frame } = popupIn(page, 'ar');
    await expect(dialog).toHaveAttribute('dir', 'rtl');
    await frame.getByRole('radio', { name: 'محفظة إلكترونية' }).check();
    await frame.getByRole('radio', { name: 'MTN' }).check();
    await frame.getByLabel('رقم الهاتف').fill('0961111111');

    const { x, width } = (await dialog.boundingBox())!;
    const close = (await page.getByRole('button', { name: 'إغلاق الدفع' }).boundingBox())!;
    expect(close.x + close.width).toBeLessThan(x + width / 4);
    for (const start of ['.merchant bdi', '.total > span']) {
      const box = (await frame.locator(start).boundingBox())!;
      expect(box.x + box.width, start).toBeGreaterThan(x + (width * 3) / 4);
    }
    await expect(frame.locator('html')).toHaveAttribute('dir', 'rtl');

    await frame.getByRole('button', { name: /^ادفع/ }).click();
    await expect(frame.getByRole('heading', { name: 'وافق على الدفع من هاتفك' })).toBeVisible();

    await purchase.expectEnding(PAID);
  });

  test.describe('in a browser that speaks French', () => {
    test.use({ locale: 'fr-FR' });

    test('the popup offers French on an English page, and opens in it from then on', async ({
      page,
      popup,
      shop,
      site,
    }) => {
      // This browser blocks the storage of another site's frames.
      await site.pay(page, { ...(await shop.order()), locale: 'en' }, site.sameSiteUrl);
      await popup.frame.getByRole('button', { name: 'Français' }).click();

      const { frame } = popupIn(page, 'fr');
      await expect(frame.getByRole('combobox', { name: 'Langue' })).toBeFocused();
      await expect(frame.getByRole('button', { name: 'Français' })).toHaveCount(0);
      await page.reload();
      await site.pay(page, { ...(await shop.order()), locale: 'en' }, site.sameSiteUrl);

      await expect(frame.getByLabel('Numéro de carte')).toBeVisible();
      await expect(page.getByRole('button', { name: 'Fermer le paiement' })).toBeVisible();
    });
  });

  test('a customer who switches keeps what was typed, page and frame follow, and only that language is loaded (D23, T28)', async ({
    page,
    popup,
    purchase,
  }) => {
    const requested = noteLanguageFiles(page);

    await purchase.open();
    await popup.fillCard('4242 4242 4242 4242');
    const choice = popup.frame.getByRole('combobox', { name: 'Language' });
    expect(requested).toEqual([]);
    await choice.focus();
    const announced = await Announcements.in(page);
    await choice.selectOption({ label: 'Kiswahili' });
    await announced.expectAmong('politely: Malipo sasa yanaonyeshwa kwa Kiswahili.');

    const { frame } = popupIn(page, 'sw');
    await expect(frame.getByLabel('Namba ya kadi')).toHaveValue('4242 4242 4242 4242');
    await expect(frame.getByRole('combobox', { name: 'Lugha' })).toBeFocused();
    await expect(page.getByRole('button', { name: 'Funga malipo' })).toBeVisible();
    expect(requested.sort()).toEqual(['sw', 'sw']);

    // A frame that reloads loses the typed text, but not the customer's language.
    await page.frames()[1]!.evaluate(() => location.reload());
    await expect(frame.getByLabel('Namba ya kadi')).toHaveValue('');
    await frame.getByLabel('Namba ya kadi').fill('4242 4242 4242 4242');
    await frame.getByLabel('Mwisho wa matumizi').fill('12/34');
    await frame.getByLabel('Namba ya usalama').fill('123');
    await frame.getByLabel('Jina kwenye kadi').fill('Mary Banda');
    await frame.getByRole('button', { name: /^Lipa/ }).click();

    await purchase.expectEnding(PAID);
  });

  test('a language that cannot be loaded leaves English on both sides, and the payment goes on', async ({
    page,
    popup,
    purchase,
  }) => {
    await page.route(/\/checkout\/v1\/assets\/pt-/, (route) => route.abort());

    await purchase.open({ locale: 'pt-MZ' });
    await expect(popup.close).toBeVisible();
    await popup.payByCard('4242 4242 4242 4242');

    await purchase.expectEnding(PAID);
  });

  test('a frame that does not load is reported in Portuguese, and Try again loads it (D13)', async ({
    page,
    purchase,
  }) => {
    const frames = /\/checkout\/v1\/\?/;
    await page.route(frames, (route) => route.abort());

    await purchase.open({ locale: 'pt' });
    const { dialog, frame } = popupIn(page, 'pt');
    await expect(dialog.getByRole('alert')).toContainText('Não lhe foi cobrado nada.');
    await page.unroute(frames);
    await dialog.getByRole('button', { name: 'Tentar de novo' }).click();

    await frame.getByLabel('Número do cartão').fill('4242 4242 4242 4242');
    await frame.getByLabel('Data de validade').fill('12/34');
    await frame.getByLabel('Código de segurança').fill('123');
    await frame.getByLabel('Nome no cartão').fill('Mary Banda');
    await frame.getByRole('button', { name: /^Pagar/ }).click();
    await purchase.expectEnding(PAID);
  });
});
