import { chooseLanguage, directionOf, type Language } from '@service-pay/contract/languages';
import type { LitElement } from 'lit';

import type { Clock } from '../flow/clock.ts';
import { type Catalogue, ENGLISH } from './messages/messages.ts';

/** The longest that a first screen waits for its words. */
const WORDS_AWAITED_MS = 2_000;

export interface SpokenLanguageDeps {
  clock: Clock;
  locale: string;
  /** The page's locale, if the customer's is another. */
  requested?: string;
  /** Loads the words of a locale. If it rejects, the frame keeps the words it has. */
  loadCatalogue: (locale: string) => Promise<Catalogue>;
  /** Called each time the frame changes to a language other than the requested one. */
  report: (language: Language) => void;
}

/**
 * The frame's language: the requested one as soon as its words have loaded, then any that the
 * customer switches to. Redraws its element with each change.
 */
export class SpokenLanguage {
  catalogue = ENGLISH;
  isAwaited = false;

  readonly #host: LitElement;
  #deps!: SpokenLanguageDeps;
  #wanted = '';
  #reported: Language = 'en';

  constructor(host: LitElement) {
    this.#host = host;
  }

  /** Loads the first language beside the session. The payment does not wait for it for long. */
  async begin(deps: SpokenLanguageDeps): Promise<void> {
    this.#deps = deps;
    const language = chooseLanguage([deps.locale]);
    turn(language);
    this.#reported = chooseLanguage([deps.requested ?? deps.locale]);
    this.#await(language !== 'en');
    const stop = deps.clock.after(WORDS_AWAITED_MS, () => {
      turn(this.catalogue.language);
      this.#await(false);
    });
    await this.speak(deps.locale);
    stop();
    this.#await(false);
  }

  async speak(locale: string): Promise<void> {
    this.#wanted = locale;
    const catalogue = await this.#deps.loadCatalogue(locale).catch(() => this.catalogue);
    if (locale !== this.#wanted || !this.#host.isConnected) return;
    const { language } = catalogue;
    this.catalogue = catalogue;
    turn(language);
    document.title = catalogue.words.title;
    if (language !== this.#reported) this.#deps.report(language);
    this.#reported = language;
    this.#host.requestUpdate();
  }

  #await(isAwaited: boolean): void {
    this.isAwaited = isAwaited;
    this.#host.requestUpdate();
  }
}

function turn(language: Language): void {
  document.documentElement.lang = language;
  document.documentElement.dir = directionOf(language);
}
