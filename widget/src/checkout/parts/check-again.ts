import { html, type LitElement, nothing, type TemplateResult } from 'lit';
import type { Messages } from '../language/messages/messages.ts';
import { renderButton } from './button.ts';
import { SayEvent } from './field.ts';

type Host = LitElement & { words: Messages; look: () => unknown };

/** The button that asks the service now, and what came of it. */
export class CheckAgain {
  readonly #host: Host;
  #isChecking = false;
  #hasChecked = false;

  constructor(host: Host) {
    this.#host = host;
  }

  render(): TemplateResult {
    const { words } = this.#host;
    return html`
      ${this.#hasChecked ? html`<p class="quiet news">${words.noNews}</p>` : nothing}
      ${renderButton({
        name: words.checkAgain,
        act: this.#check,
        className: 'second',
        isBusy: this.#isChecking,
      })}
    `;
  }

  readonly #check = async (): Promise<void> => {
    if (this.#isChecking) return;
    this.#isChecking = true;
    this.#host.requestUpdate();
    await this.#host.look();
    this.#isChecking = false;
    this.#hasChecked = true;
    this.#host.requestUpdate();
    this.#host.dispatchEvent(new SayEvent(this.#host.words.noNews));
  };
}
