import { cutToShown } from '@service-pay/contract/payment-request';
import { html, type LitElement, nothing, type TemplateResult } from 'lit';

import type { FieldProblems } from '../flow/call-failure.ts';
import { isSending, isTimeShort, type Known, screenOf } from '../flow/payment-state.ts';
import type { FirstWords } from '../language/messages/messages.ts';
import type { SayEvent } from '../parts/field.ts';
import { warningIcon } from '../parts/icons.ts';
import {
  type Alert,
  findAlert,
  findAnnouncement,
  type SessionCopy,
} from '../screens/screen-copy.ts';

/** Announces what changes while the focus stays: in an alert, or unseen. */
export class Announcements {
  readonly #host: LitElement;
  #said = '';
  #isSwitched = false;
  /** Stays while something is sent, so that Pay does not move. */
  #alert: Alert | undefined;
  #wasSending = false;
  #problems: FieldProblems = {};
  /** The place of the alert, of two. In the other one it is inserted, and so announced again. */
  #place = 0;

  constructor(host: LitElement) {
    this.#host = host;
  }

  /** Announces a text. Repeated words are only read again if the region was empty in between. */
  readonly say = async ({ text }: Pick<SayEvent, 'text'>): Promise<void> => {
    this.#set('');
    await this.#host.updateComplete;
    this.#set(text);
  };

  sayLanguage(): void {
    this.#set('');
    this.#isSwitched = true;
  }

  /** Forgets what was said of the form before, and the language once something else happens. */
  learn(known: Known, before: Known): void {
    const isOther =
      known.problems !== before.problems ||
      isTimeShort(known) !== isTimeShort(before) ||
      screenOf(known) !== screenOf(before);
    if (isOther) this.#set('');
    if (isOther || isSending(known)) this.#isSwitched = false;
  }

  renderAlert(
    known: Known,
    words: FirstWords,
    copy?: SessionCopy,
  ): readonly (TemplateResult | typeof nothing)[] {
    const isSent = isSending(known);
    if (!isSent) {
      const isUnsent = known.wire.unsent && known.problems !== this.#problems;
      if (this.#wasSending || isUnsent) this.#place = 1 - this.#place;
      this.#alert = findAlert(known, words, copy);
    }
    this.#wasSending = isSent;
    this.#problems = known.problems;
    const alert = this.#alert ? renderCallout(this.#alert, isSent) : nothing;
    return this.#place ? [nothing, alert] : [alert, nothing];
  }

  /** Returns what is announced unseen. */
  find(known: Known, words: FirstWords, copy?: SessionCopy): string {
    return findAnnouncement(known, words, {
      said: this.#said,
      isSwitched: this.#isSwitched,
      copy,
    });
  }

  #set(text: string): void {
    this.#said = text;
    this.#host.requestUpdate();
  }
}

function renderCallout({ title, text, reason, isQuoted }: Alert, isPast: boolean): TemplateResult {
  return html`
    <div class=${isPast ? 'opening past' : 'opening'}>
      <div class="callout" role="alert" data-reason=${reason ?? nothing}>
        ${warningIcon}
        <p>
          <strong>${title}</strong>
          ${reason && isQuoted ? renderReason(reason) : nothing}
          ${text}
        </p>
      </div>
    </div>
  `;
}

/** The service's own words, which are English in every language. */
function renderReason(reason: string): TemplateResult {
  return html`<bdi class="reason" lang="en">${cutToShown(reason)}</bdi>`;
}
