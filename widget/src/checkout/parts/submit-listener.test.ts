import { expect, fixture, html } from '@open-wc/testing';
import type { LitElement } from 'lit';

import { loadBrands } from '../card/brand.ts';
import { buildCardDraft } from '../card/draft.ts';
import '../card/form.ts';
import type { MobileMoneyForm } from '../mobile-money/form.ts';
import '../screens/later-screens.ts';
import { by, press, typeInto } from '../test/hands.ts';
import { NETWORKS } from '../test/stand-in-checkout.ts';

let sent = 0;
const send = () => (sent += 1);

/** Each form of the frame, filled in, with the name of its button. */
const FORMS: Record<string, () => Promise<[LitElement, string]>> = {
  async card() {
    const form = await fixture<LitElement>(
      html`<card-form .draft=${buildCardDraft({})} .now=${'2026-11-20T10:00:00.000Z'} .amount=${'ZMW 10.00'} .pay=${send}></card-form>`,
    );
    await typeInto(by(form, 'Card number'), '4242424242424242');
    await typeInto(by(form, 'Expiry date'), '12/34');
    await typeInto(by(form, 'Security code'), '123');
    await typeInto(by(form, 'Name on card'), 'Mary Banda');
    return [form, 'Pay'];
  },
  async phone() {
    const form = await fixture<MobileMoneyForm>(
      html`<mobile-money-form .networks=${NETWORKS} .draft=${{ phone: '', operator: '', isChosen: false }} .amount=${'ZMW 10.00'} .pay=${send}></mobile-money-form>`,
    );
    await typeInto(by(form, 'Phone number'), '0961111111');
    return [form, 'Pay'];
  },
  async code() {
    const form = await fixture<LitElement>(
      html`<code-form .codesLeft=${3} .confirm=${send}></code-form>`,
    );
    await typeInto(by(form, 'One-time code'), '000000');
    return [form, 'Confirm'];
  },
};

describe('a form of the frame', () => {
  before(loadBrands);

  beforeEach(() => {
    sent = 0;
  });

  for (const [name, show] of Object.entries(FORMS)) {
    for (const isSandboxed of [false, true]) {
      const where = isSandboxed ? ' where the page blocks submission (T127)' : '';

      it(`a form of the frame acts once for each press and each Enter, and on requestSubmit(): ${name}${where}`, async () => {
        const [element, button] = await show();
        const form = element.shadowRoot!.querySelector('form')!;
        if (isSandboxed)
          element.shadowRoot!.addEventListener(
            'submit',
            (event) => {
              event.preventDefault();
              event.stopPropagation();
            },
            true,
          );

        await press(element, button);
        expect(sent).to.equal(1);
        // Browsers turn Enter into this press.
        form.querySelector<HTMLButtonElement>('[type=submit]')!.click();
        await press(element, button);
        expect(sent).to.equal(3);
        if (isSandboxed) return;
        form.requestSubmit();
        form.requestSubmit();
        await press(element, button);
        expect(sent).to.equal(6);
      });
    }

    it(`a form of the frame keeps its button, and sends nothing more while something is on its way (T42): ${name}`, async () => {
      const [element] = await show();
      Object.assign(element, { isSending: true });
      await element.updateComplete;
      const submit = element.shadowRoot!.querySelector<HTMLButtonElement>('[type=submit]')!;

      submit.click();
      await element.updateComplete;

      expect([sent, submit.disabled]).to.deep.equal([0, false]);
    });
  }
});
