// The list of scenarios, with search.

import type { ScenarioList as Scenarios } from '../../src/control/outputs.ts';
import { action, describeFailure } from '../parts/actions.ts';
import { find, PageElement } from '../parts/elements.ts';
import { html, nothing, repeat } from '../parts/lit.ts';
import { send } from '../parts/sandbox-client.ts';
import { offerMerchants } from './merchants.ts';

export type Scenario = Scenarios['scenarios'][number];

export class ScenarioList extends PageElement {
  #known: Scenarios | undefined;
  #failure = '';
  #search = '';

  async refresh() {
    try {
      this.show((await send<Scenarios>({ method: 'GET', path: '/scenarios' })).data);
    } catch (error) {
      this.#failure = describeFailure(error);
      this.requestUpdate();
    }
  }

  show(list: Scenarios) {
    this.#known = list;
    this.#failure = '';
    find('armed-scenario').hidden = list.armed === null;
    this.requestUpdate();
  }

  open() {
    this.#search = '';
    offerMerchants(this.#merchant(), 'any merchant');
    void this.refresh();
  }

  override render() {
    const { scenarios = [], armed = null } = this.#known ?? {};
    const wanted = this.#search.trim().toLowerCase();
    const found = scenarios.filter((one) => textOf(one).includes(wanted));
    return html`<p>${this.#failure || this.#state()}</p>
      <div class="actions" ?hidden=${armed === null}
        >${action({
          label: 'Disarm',
          call: () => ({ method: 'DELETE', path: '/scenarios' }),
          said: 'No scenario is armed.',
          after: () => {
            this.querySelector('input')?.focus();
            void this.refresh();
          },
        })}</div
      >
      <form @submit=${(event: Event) => event.preventDefault()}>
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

  #onSearch = ({ target }: InputEvent) => {
    this.#search = (target as HTMLInputElement).value;
    this.requestUpdate();
  };

  #merchant() {
    return this.querySelector<HTMLSelectElement>('select')!;
  }

  #item({ name, summary, steps, shop }: Scenario, isArmed: boolean) {
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

function textOf({ name, summary, steps }: Scenario) {
  return [name, summary, ...steps].join('\n').toLowerCase();
}

customElements.define('scenario-list', ScenarioList);
