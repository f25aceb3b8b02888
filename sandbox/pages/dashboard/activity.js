// The events of all payments, newest first.

import { curlButton } from '../parts/actions.js';
import { FocusKeeper, PageElement } from '../parts/elements.js';
import { html, repeat } from '../parts/lit.js';
import { happeningItem } from './story.js';

/** @import { Happening } from '../../src/history/history.ts' */

const MOST_SHOWN = 200;

export const FIRST_SHOWN = 100;

export class ActivityFeed extends PageElement {
  /** @type {Happening[]} */
  #newest = [];

  constructor() {
    super();
    new FocusKeeper(this, 'ol');
  }

  /** @param {Happening} happening */
  add(happening) {
    this.#newest.unshift(happening);
    if (this.#newest.length > MOST_SHOWN) this.#newest.length = MOST_SHOWN;
    this.requestUpdate();
  }

  clear() {
    this.#newest = [];
    this.requestUpdate();
  }

  /**
   * Renders once per frame, however many events arrive.
   * @protected
   * @override
   */
  async scheduleUpdate() {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    await super.scheduleUpdate();
  }

  /** @override */
  render() {
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
          (happening, at) =>
            happeningItem({ happening, isLinked: !isSamePayment(happening, this.#newest[at - 1]) }),
        )}
      </ol>`;
  }
}

function isSamePayment(
  /** @type {Happening} */ { merchant, reference },
  /** @type {Happening | undefined} */ other,
) {
  return other?.merchant === merchant && other.reference === reference;
}

customElements.define('activity-feed', ActivityFeed);
