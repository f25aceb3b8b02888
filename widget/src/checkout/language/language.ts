import { chooseLanguage, directionOf, type Language } from '@service-pay/contract/languages';
import type { LitElement } from 'lit';

import type { Clock } from '../flow/clock.ts';
import { type Catalogue, ENGLISH } from './messages/messages.ts';

/** How long a first screen waits for its words. */
const WORDS_AWAITED_MS = 2_000;

/** What the choice of a language needs from outside. */
export interface SpokenLanguageDeps {
  clock: Clock;
  /** The language and region asked for. */
  locale: string;
  /** Brings the words of a locale; may reject, and then the frame goes on in the words it has. */
  loadCatalogue: (locale: string) => Promise<Catalogue>;
  /** Given each language that the frame begins to speak other than it was asked to. */
  tell: (language: Language) => void;
}

/**
 * What a frame speaks: the language asked for as soon as its words are here, then whatever the
 * customer switches to. Its element is drawn anew with each change.
 */
export class SpokenLanguage {
  catalogue = ENGLISH;
  /**
   * The words of the language asked for are on their way, and nobody needs to read others before.
   */
  isAwaited = false;

  readonly #host: LitElement;
  #deps!: SpokenLanguageDeps;
  #wanted = '';
  #told: Language = 'en';

  constructor(host: LitElement) {
    this.#host = host;
  }

  /**
   * The first language comes beside the session; should it be long in coming, the payment does not
   * wait for it.
   */
  async begin(deps: SpokenLanguageDeps): Promise<void> {
    this.#deps = deps;
    const language = chooseLanguage([deps.locale]);
    turn(language);
    this.#told = language;
    this.#await(language !== 'en');
    const stop = deps.clock.after(WORDS_AWAITED_MS, () => this.#await(false));
    await this.speak(deps.locale);
    stop();
    this.#await(false);
  }

  /**
   * Another language, as soon as its words are here; nothing that is typed, shown or focused
   * changes but its words.
   */
  async speak(locale: string): Promise<void> {
    this.#wanted = locale;
    const catalogue = await this.#deps.loadCatalogue(locale).catch(() => this.catalogue);
    if (locale !== this.#wanted || !this.#host.isConnected) return;
    const { language } = catalogue;
    this.catalogue = catalogue;
    turn(language);
    document.title = catalogue.words.title;
    if (language !== this.#told) this.#deps.tell(language);
    this.#told = language;
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
