import { buildMoneyFormat, FULL_SIZE_FITS } from '@service-pay/contract/money-format';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';

import { append, buildNode } from '../dom/build-node.ts';
import type { Messages } from '../messages.ts';

export type Preview = Pick<PaymentRequest, 'label' | 'amount' | 'currency' | 'locale'>;

interface Shown {
  words: Messages;
  preview: Preview | undefined;
  status: keyof Messages | undefined;
  notice: keyof Messages | undefined;
}

/** Failures that no new try can change, and those that are tried again without a press. */
const WITHOUT_RETRY: (keyof Messages)[] = ['policy', 'outdated', 'offline'];

/**
 * The sheet's content until the frame is ready: label and amount where the frame will draw them,
 * and in place of the rest bars, or a notice if the frame cannot load.
 */
export class Skeleton {
  readonly node: HTMLElement;
  readonly #label = buildNode('bdi', {});
  readonly #amount = buildNode('div', { class: 'amount' }, bar());
  readonly #status = buildNode('p', { role: 'status' });
  readonly #title = buildNode('strong', {});
  readonly #text = buildNode('p', {});
  readonly retry = buildNode('button', {});
  readonly back = buildNode('button', {});

  constructor() {
    const names = buildNode('div', { class: 'names' }, bar(), this.#label);
    this.node = buildNode(
      'div',
      { class: 'skeleton' },
      buildNode('div', { class: 'head' }, bar(), names, this.#amount),
      buildNode('div', { class: 'bars' }, bar(), bar(), bar(), bar(), bar(), bar(), bar()),
      this.#status,
      buildNode(
        'div',
        { class: 'notice', role: 'alert' },
        this.#title,
        this.#text,
        this.retry,
        this.back,
      ),
    );
  }

  drawAmount({ amount, currency, locale = 'en' }: Preview): void {
    if (!currency) return;
    const text = buildMoneyFormat(locale, currency, amount).format(amount as `${number}`);
    const [before = '', after = ''] = text.split(currency);
    this.#amount.classList.toggle('long', text.length > FULL_SIZE_FITS);
    this.#amount.textContent = '';
    append(
      this.#amount,
      buildNode('bdi', { dir: 'ltr' }, before, buildNode('small', {}, currency), after),
    );
  }

  /** Shows a notice, whose first sentence is its title, or the bars and a status. */
  draw({ words, preview, status, notice }: Shown): void {
    this.#label.textContent = preview?.label ?? '';
    this.#status.textContent = status ? words[status] : '';
    this.node.classList.toggle('stopped', !!notice);
    const [title = '', ...text] = notice ? words[notice].split('. ') : [];
    this.#title.textContent = title;
    this.#text.textContent = text.join('. ');
    this.retry.textContent = words.retry;
    this.retry.hidden = WITHOUT_RETRY.includes(notice!);
    this.back.textContent = words.back;
  }
}

function bar(): HTMLElement {
  return buildNode('i', {});
}
