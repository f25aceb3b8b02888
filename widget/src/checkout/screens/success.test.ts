import { expect, fixture, html } from '@open-wc/testing';

import { deep } from '../test/hands.ts';

describe('receipt', () => {
  it('shows a reference of a shop in one line on a narrow phone', async () => {
    const copy = { name: 'Copy reference', done: 'Copied' };
    const rows = [
      { name: 'Paid to', value: 'Demo Shop' },
      { name: 'Reference', value: 'shop-mwscgcxbTw3vYz0aKqLmN8oP', copy },
    ];
    const receipt = await fixture(
      html`<div style="inline-size: 320px; font-family: system-ui">
        <success-screen .rows=${rows}></success-screen>
      </div>`,
    );

    for (const value of deep(receipt, 'bdi')) {
      const range = document.createRange();
      range.selectNodeContents(value);
      expect(range.getClientRects(), value.textContent).to.have.length(1);
    }
  });
});
