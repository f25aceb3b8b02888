// The list of scenarios, with search.

import { action, describeFailure } from '../parts/actions.js';
import { find, PageElement } from '../parts/elements.js';
import { html, nothing, repeat } from '../parts/lit.js';
import { ask } from '../parts/sandbox-client.js';
import { offerMerchants } from './merchants.js';

/**
 * @import { ScenarioList as Scenarios } from '../../src/control/types.ts'
 * @typedef {Scenarios['scenarios'][number]} Scenario
 */

export class ScenarioList extends PageElement {
  /** @type {Scenarios | undefined} */
  #known;
  #failure = '';
  #search = '';

  async refresh() {
    try {
      const { data } = await ask({ method: 'GET', path: '/scenarios' });
      this.#known = data;
      this.#failure = '';
      find('armed-scenario').hidden = data.armed === null;
    } catch (error) {
      this.#failure = describeFailure(error);
    }
    this.requestUpdate();
  }

  open() {
    this.#search = '';
    offerMerchants(this.#merchant(), 'any merchant');
    void this.refresh();
  }

  /** @override */
  render() {
    const { scenarios = [], armed = null } = this.#known ?? {};
    const wanted = this.#search.trim().toLowerCase();
    const found = scenarios.filter((one) => textOf(one).includes(wanted));
    return html`<p>${this.#failure || this.#state()}</p>
      <div class="actions" ?hidden=${armed === null}
        >${action({
          label: 'Disarm',
          call: () => ({ method: 'DELETE', path: '/scenarios' }),
          said: 'No scenario is armed.',
          after: () => void this.refresh(),
        })}</div
      >
      <form @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
        <div class="fields">
          <label
            >Search
            <input
              type="search"
              autocomplete="off"
              placeholder="verify, late, declined …"
              .value=${this.#search}
              @input=${this.#onSearch}
          /></label>
          <label>For the next payment of <select name="merchant"></select></label>
        </div>
      </form>
      <p class="quiet" role="status" ?hidden=${found.length > 0 || !scenarios.length}
        >No scenario matches.</p
      >
      <ul class="rows">
        ${repeat(
          found,
          ({ name }) => name,
          (scenario) => this.#item(scenario, scenario.name === armed),
        )}
      </ul>`;
  }

  #state() {
    const { armed = null, armedFor = null } = this.#known ?? {};
    if (armed === null) return 'No scenario is armed.';
    const whose = armedFor === null ? 'the next payment' : `the next payment of ${armedFor}`;
    return `Armed for ${whose}: ${armed}.`;
  }

  /** @param {InputEvent} event */
  #onSearch = ({ target }) => {
    this.#search = /** @type {HTMLInputElement} */ (target).value;
    this.requestUpdate();
  };

  #merchant() {
    return /** @type {HTMLSelectElement} */ (this.querySelector('select'));
  }

  /** @param {Scenario} scenario @param {boolean} isArmed */
  #item({ name, summary, steps, shop }, isArmed) {
    return html`<li class="scenario">
      <p><code>${name}</code>${isArmed ? html`<span class="tag">armed</span>` : nothing}</p>
      <p class="quiet">${summary}</p>
      <details>
        <summary>How to see it</summary>
        <ol class="steps">
          ${steps.map((step) => html`<li>${step}</li>`)}
        </ol>
        <p><strong>A correct shop:</strong> ${shop}</p>
      </details>
      ${action({
        label: `Arm ${name}`,
        call: () => {
          const { value: merchant } = this.#merchant();
          return {
            method: 'POST',
            path: `/scenarios/${encodeURIComponent(name)}`,
            ...(merchant && { body: { merchant } }),
          };
        },
        said: `${name} is armed for the next payment.`,
        after: () => void this.refresh(),
      })}
    </li>`;
  }
}

/** @param {Scenario} scenario */
function textOf({ name, summary, steps }) {
  return [name, summary, ...steps].join('\n').toLowerCase();
}

customElements.define('scenario-list', ScenarioList);
