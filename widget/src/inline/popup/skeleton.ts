import { buildMoneyFormat } from '@service-pay/contract/money-format';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';

import { append, buildNode } from '../dom/build-node.ts';

export type Preview = Pick<PaymentRequest, 'label' | 'amount' | 'currency' | 'locale'>;

/**
 * The sheet's content until the frame is ready: label and amount where the frame will draw them,
 * and bars in place of the rest.
 */
export class Skeleton {
  readonly node: HTMLElement;
  readonly #label = buildNode('bdi', {});
  readonly #amount = buildNode('div', { class: 'amount' }, bar());
  readonly #status = buildNode('p', { role: 'status' });

  constructor() {
    const names = buildNode('div', { class: 'names' }, bar(), this.#label);
    this.node = buildNode(
      'div',
      { class: 'over skeleton' },
      buildNode('div', { class: 'head' }, bar(), names, this.#amount),
      buildNode('div', { class: 'bars' }, bar(), bar(), bar(), bar(), bar(), bar(), bar()),
      this.#status,
    );
  }

  set label(text: string) {
    this.#label.textContent = text;
  }

  drawAmount({ amount, currency, locale = 'en' }: Preview): void {
    if (!currency) return;
    const text = buildMoneyFormat(locale, currency, amount).format(amount as `${number}`);
    const [before = '', after = ''] = text.split(currency);
    // As in the frame.
    this.#amount.classList.toggle('long', text.length > 14);
    this.#amount.textContent = '';
    append(
      this.#amount,
      buildNode('bdi', { dir: 'ltr' }, before, buildNode('small', {}, currency), after),
    );
  }

  set status(text: string) {
    this.#status.textContent = text;
  }
}

function bar(): HTMLElement {
  return buildNode('i', {});
}
