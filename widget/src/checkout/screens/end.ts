import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';

import { reactive } from '../parts/property.ts';
import { base, screenStyles } from '../styles/base.ts';

/** One thing a customer can do on a screen. */
export interface Action {
  name: string;
  act: () => void;
}

/**
 * Says how things stand and what can be done: an end, or the question before leaving. The first
 * action is the one we advise.
 */
@customElement('end-screen')
export class EndScreen extends LitElement {
  static override styles = [base, screenStyles];

  @reactive sign: TemplateResult | undefined;
  /** How the sign is meant; the words say the same. */
  @reactive tone: '' | 'wrong' | 'waiting' = '';
  @reactive heading = '';
  @reactive text = '';
  @reactive actions: readonly Action[] = [];

  /** Puts the focus on what is being said. */
  focusStart(): void {
    this.renderRoot.querySelector('h1')?.focus();
  }

  protected override render(): TemplateResult {
    return html`
      <div class="screen">
        <div class="sign ${this.tone}">${this.sign ?? nothing}</div>
        <h1 tabindex="-1" aria-describedby="text">${this.heading}</h1>
        <p id="text"><bdi>${this.text}</bdi></p>
      </div>
      <div class="actions">
        ${this.actions.map(
          ({ name, act }, index) =>
            html`<button type="button" class=${index ? 'second' : nothing} @click=${act}>${name}</button>`,
        )}
      </div>
    `;
  }
}
