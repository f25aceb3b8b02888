import { expect, fixture, html } from '@open-wc/testing';

import type { Row, Success } from './success.ts';
import './success.ts';
import { deep } from '../test/hands.ts';

const contentOf = (rows: readonly Row[]): Success => ({
  sign: html``,
  tone: 'done',
  title: 'Payment successful',
  text: '',
  amount: 'ZMW 10.00',
  rows,
});

describe('receipt', () => {
  it('the receipt shows a reference of a shop in one line on a narrow phone', async () => {
    const copy = { name: 'Copy reference', done: 'Copied' };
    const rows = [
      { name: 'Paid to', value: 'Demo Shop' },
      { name: 'Reference', value: 'shop-mwscgcxbTw3vYz0aKqLmN8oP', copy },
    ];
    const receipt = await fixture(
      html`<div style="inline-size: 360px; font-family: system-ui">
        <success-screen .content=${contentOf(rows)}></success-screen>
      </div>`,
    );

    const values = deep(receipt, 'dd > bdi');
    expect(values).to.have.length(2);
    for (const value of values) {
      const range = document.createRange();
      range.selectNodeContents(value);
      expect(range.getClientRects(), value.textContent).to.have.length(1);
    }
  });

  for (const hasBeenActive of [true, false])
    it(`the receipt ${hasBeenActive ? 'ticks once' : 'does not tick'} in a frame that was ${hasBeenActive ? '' : 'never '}touched`, async () => {
      const ticks: unknown[] = [];
      const standIns = {
        userActivation: { hasBeenActive },
        vibrate: (pattern: unknown) => ticks.push(pattern),
      };
      for (const [name, value] of Object.entries(standIns))
        Object.defineProperty(navigator, name, { value, configurable: true });

      await fixture(html`<success-screen .content=${contentOf([])}></success-screen>`);

      for (const name of Object.keys(standIns)) Reflect.deleteProperty(navigator, name);
      expect(ticks).to.deep.equal(hasBeenActive ? [10] : []);
    });
});
