import { expect, fixture, html } from '@open-wc/testing';

import './define.ts';
import type { ServicePayElement } from './service-pay.ts';
import { find, findSoon, serviceOrigin, until } from './test/stand-in-frame.ts';

describe('a popup whose prepare failed', () => {
  it('a popup whose prepare failed keeps the focus when Try again is pressed, though that button is gone', async () => {
    const { error } = console;
    console.error = () => undefined;
    const element = await fixture<ServicePayElement>(html`
      <service-pay
        service-url=${serviceOrigin}
        public-key="pub_sandbox_demo"
        email="ann@example.com"
      ></service-pay>
    `);
    let calls = 0;
    element.prepare = () =>
      ++calls === 1 ? Promise.reject(new Error('no stock')) : new Promise(() => undefined);
    element.pay();
    await findSoon('.stopped [role=alert]');
    await findSoon('iframe');
    const retry = find<HTMLButtonElement>('.notice button')!;
    retry.focus();

    retry.click();
    await until(() => !retry.checkVisibility(), 'the notice stays');
    // A browser takes the focus from a hidden button as it draws the next frame.
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    expect(active?.localName).to.equal('dialog');
    element.remove();
    await until(() => !find('dialog'), 'a dialog is left');
    console.error = error;
  });
});
