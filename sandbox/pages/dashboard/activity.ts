// The events of all payments, newest first.

import type { Happening } from '../../src/storage/history.ts';
import { curlButton } from '../parts/actions.ts';
import { FocusKeeper, PageElement } from '../parts/elements.ts';
import { html, repeat } from '../parts/lit.ts';
import { isNewDay, stepItem } from './step.ts';

const MOST_SHOWN = 200;

export const FIRST_SHOWN = 100;

export class ActivityFeed extends PageElement {
  #newest: Happening[] = [];

  constructor() {
    super();
    new FocusKeeper(this, 'ol');
  }

  add(happening: Happening) {
    this.#newest.unshift(happening);
    if (this.#newest.length > MOST_SHOWN) this.#newest.length = MOST_SHOWN;
    this.requestUpdate();
  }

  clear() {
    this.#newest = [];
    this.requestUpdate();
  }

  /** Renders once per frame, however many events arrive. */
  protected override async scheduleUpdate() {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    await super.scheduleUpdate();
  }

  override render() {
    return html`<p class="quiet" ?hidden=${this.#newest.length > 0}
        >Nothing has happened yet. Events appear here as they happen. Choose a collection to see
        its story.</p
      >
      <div class="actions"
        >${curlButton(
          'events as they happen',
          () => ({ method: 'GET', path: `/events?last=${FIRST_SHOWN}` }),
          'curl events',
        )}${curlButton(
          'every webhook',
          () => ({ method: 'GET', path: '/webhooks' }),
          'curl webhooks',
        )}</div
      >
      <ol class="timeline" tabindex="-1" aria-label="What happened last, newest first">
        ${repeat(
          this.#newest,
          ({ seq }) => seq,
          (happening, at) => {
            const newer = this.#newest[at - 1];
            return stepItem({
              happening,
              isLinked: !isSamePayment(happening, newer),
              isNewDay: isNewDay(happening, newer),
            });
          },
        )}
      </ol>`;
  }
}

function isSamePayment({ merchant, reference }: Happening, other: Happening | undefined) {
  return other?.merchant === merchant && other.reference === reference;
}

customElements.define('activity-feed', ActivityFeed);
