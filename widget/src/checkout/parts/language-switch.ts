import { LANGUAGES, type Language } from '@service-pay/contract/languages';
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { Catalogue } from '../language/messages/messages.ts';
import { base } from '../styles/base.ts';
import { chevronIcon, globeIcon } from './later-icons.ts';
import { reactive } from './reactive.ts';

const NAMES: Record<Language, string> = {
  en: 'English',
  fr: 'Français',
  pt: 'Português',
  sw: 'Kiswahili',
  ar: 'العربية',
};

export class LanguageSwitch extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        align-items: center;
        display: flex;
      }
      button.plain {
        font-size: 0.8125rem;
        inline-size: auto;
        min-block-size: 44px;
        padding-inline: 4px;
        outline-offset: -4px;
      }
      div {
        align-items: center;
        display: flex;
        position: relative;
      }
      .icon {
        block-size: 16px;
        inline-size: 16px;
        inset-inline-start: 4px;
        pointer-events: none;
        position: absolute;
      }
      select + .icon {
        inset-inline: auto 4px;
      }
      select {
        appearance: none;
        background: none;
        min-block-size: 44px;
        /* Visible in forced colours only. */
        border: 1px solid transparent;
        border-radius: var(--field-radius);
        color: inherit;
        cursor: pointer;
        field-sizing: content;
        font: inherit;
        /* iOS zooms in on a smaller one. */
        font-size: 1rem;
        padding-inline: 26px;
      }
      /* Clear of Pay above and of the edge below. */
      select:focus-visible {
        outline-offset: -4px;
      }
      select:active {
        background: var(--soft);
      }
      /* Without room for both, the menu has that language, too. */
      @media (max-width: 20em) {
        button.plain {
          display: none;
        }
      }
      option {
        background: var(--surface);
        color: var(--text);
      }
    `,
  ];

  @reactive catalogue!: Catalogue;
  /** The browser's own language. */
  @reactive offered: Language | undefined;
  /** Resolves once the language is shown, or cannot be loaded. */
  @reactive choose: (language: string) => Promise<void> = async () => {};

  #hasChosen = false;

  /** The pressed button goes, so the menu gets the focus. */
  readonly #takeOffer = async (): Promise<void> => {
    await this.#choose(this.offered!);
    this.renderRoot.querySelector('select')?.focus();
  };

  async #choose(language: string): Promise<void> {
    this.#hasChosen = true;
    await this.choose(language);
    this.requestUpdate();
    await this.updateComplete;
  }

  readonly #change = async ({ target }: { target: HTMLSelectElement }): Promise<void> => {
    await this.#choose(target.value);
    target.value = this.catalogue.language;
  };

  protected override render(): TemplateResult {
    const { language, words } = this.catalogue;
    const { offered } = this;
    const isOffered = offered && offered !== language && !this.#hasChosen;
    return html`
      ${
        isOffered
          ? html`<button
              type="button"
              class="second plain"
              lang=${offered}
              @click=${this.#takeOffer}
            >${NAMES[offered]}</button>`
          : nothing
      }
      <div>
        ${globeIcon}
        <select aria-label=${words.language} autocomplete="off" @change=${this.#change}>
          ${LANGUAGES.map(
            (each) => html`<option
              value=${each}
              lang=${each}
              .selected=${each === language}
            >${NAMES[each]}</option>`,
          )}
        </select>
        ${chevronIcon}
      </div>
    `;
  }
}

customElements.define('language-switch', LanguageSwitch);
