import type { FrameMessage } from '@service-pay/contract/frame-messages';
import { cutToShown } from '@service-pay/contract/payment-request';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';

import './end-screen.ts';
import './pay-form.ts';
import { appStyles } from './app-styles.ts';
import type { NewAttempt } from './card-draft.ts';
import type { Checkout } from './checkout-client.ts';
import type { Clock } from './clock.ts';
import type { FieldProblems } from './field.ts';
import { clockIcon, warningIcon } from './icons.ts';
import type { Language } from './messages/messages.ts';
import { formatMoney } from './money-text.ts';
import { PageTeller } from './page-teller.ts';
import { buildDrafts, type Drafts } from './pay-form.ts';
import { PaymentFlow } from './payment-flow.ts';
import {
  isAskedToStay,
  isLongWait,
  type Known,
  type Payable,
  payableOf,
  type Screen,
  screenOf,
  secondsLeft,
} from './payment-state.ts';
import { reactive } from './reactive.ts';
import { findAlert, findEnd } from './spoken.ts';
import { base, tokens } from './styles.ts';

const NO_PROBLEMS: FieldProblems = {};

/** What the frame as a whole needs from outside. */
export interface AppDeps {
  checkout: Checkout;
  clock: Clock;
  /** A fresh UUID for each attempt. */
  newId: () => string;
  request: PaymentRequest;
  /** What is sure of the payment before there is a session. */
  preview?: Payable | undefined;
  language: Language;
  /** Says something to the page. What it gives for `money` is settled once the page has taken that in. */
  send: (message: FrameMessage) => unknown;
}

/** One payment in its frame: shows the screen that follows from what is known, moves the focus, announces, and tells the page. */
@customElement('checkout-app')
export class CheckoutApp extends LitElement {
  static override styles = [tokens, base, appStyles];

  /** Set once, before the element is connected. */
  @reactive deps!: AppDeps;

  @reactive private known: Known = {};

  #flow!: PaymentFlow;
  #drafts!: Drafts;
  #teller!: PageTeller;
  #hasBegun = false;
  #view = '';

  override connectedCallback(): void {
    super.connectedCallback();
    const { checkout, clock, newId, preview, request } = this.deps;
    this.#drafts = buildDrafts(request);
    this.#teller = new PageTeller(this.deps.send);
    this.#flow = new PaymentFlow({
      checkout,
      clock,
      newId,
      preview,
      isHidden: () => document.hidden,
      onChange: (known) => this.#learn(known),
    });
    document.addEventListener('visibilitychange', this.#comeBack);
    window.addEventListener('online', this.#comeBack);
    window.addEventListener('focus', this.#enter);
    window.addEventListener('keydown', this.#escape);
    void this.#flow.open();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('visibilitychange', this.#comeBack);
    window.removeEventListener('online', this.#comeBack);
    window.removeEventListener('focus', this.#enter);
    window.removeEventListener('keydown', this.#escape);
    this.#flow.stop();
  }

  /** The customer wants to leave: the popup may close, or the question is asked (D15). */
  leave(): void {
    this.deps.send({ type: this.#flow.leave() ? 'close' : 'stay' });
  }

  /** Puts the focus back where it was, or where it would begin (D11). */
  refocus(): void {
    let active = this.shadowRoot?.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    if (active instanceof HTMLElement) active.focus();
    else this.#step?.focusStart();
  }

  /** Tells a page that has opened the channel anew what the channel before was told. */
  tellAgain(): void {
    this.#teller.tellAgain();
  }

  protected override updated(): void {
    const screen = screenOf(this.known);
    const view = `${isAskedToStay(this.known) ? 'question' : screen} ${findAlert(this.known, this.deps.language.words)?.key}`;
    if (view === this.#view) return;
    this.#view = view;
    if (screen !== 'loading') void this.#arrive();
  }

  /** Once a new view stands: the page may take its skeleton away, and the focus goes to what is new. */
  async #arrive(): Promise<void> {
    await this.#step?.updateComplete;
    if (!this.isConnected) return;
    if (this.#teller.isShown || document.hasFocus()) this.#beginFocus();
    this.#teller.show();
  }

  /** Where a customer begins: what went wrong, else the screen's own start. A touch screen's keyboard comes up only when asked for. */
  #beginFocus(): void {
    const alert = this.renderRoot.querySelector<HTMLElement>('[role=alert]');
    alert?.focus();
    alert?.scrollIntoView({ block: 'nearest' });
    const isFirstForm = this.#view.startsWith('form') && !this.#hasBegun;
    if (!alert && !(isFirstForm && matchMedia('(pointer: coarse)').matches)) this.#step?.focusStart();
    this.#hasBegun = true;
  }

  get #step(): (LitElement & { focusStart(): void }) | null {
    return this.renderRoot.querySelector(isAskedToStay(this.known) ? '.question' : '.step > :last-child');
  }

  #learn(known: Known): unknown {
    const isTaken = this.#teller.learn(known);
    const needsBilling = Object.values(known.problems ?? {}).some(({ code }) => code === 'billing-required');
    if (this.known.sending && !known.sending && !needsBilling) this.#drafts.card.securityCode = '';
    this.known = known;
    return isTaken;
  }

  readonly #comeBack = (): void => {
    if (!document.hidden) this.#flow.lookNow();
  };

  /** The page holds the focus back until the frame is shown; once it comes, it goes where a customer begins. */
  readonly #enter = (): void => {
    if (this.#teller.isShown && !this.shadowRoot?.activeElement) this.#beginFocus();
  };

  readonly #escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.preventDefault();
    this.leave();
  };

  readonly #pay = (attempt: NewAttempt): void => void this.#flow.submit(attempt);

  readonly #confirm = (code: string): void => void this.#flow.sendCode(code);

  readonly #look = (): void => this.#flow.lookNow();

  readonly #close = (): void => void this.deps.send({ type: 'close' });

  protected override render(): TemplateResult {
    const screen = screenOf(this.known);
    const isAsked = isAskedToStay(this.known);
    return html`
      ${this.#renderHead()}
      <div class="body">
        <div class="step" ?hidden=${isAsked}>${this.#renderAlert()}${this.#renderScreen(screen)}</div>
        ${isAsked ? this.#renderQuestion() : nothing}
      </div>
      <p class="unseen" role="status">${this.#announcement(screen)}</p>
    `;
  }

  #renderHead(): TemplateResult {
    const { request, language } = this.deps;
    const payable = payableOf(this.known);
    const name = payable?.label || request.label || payable?.merchantName || '';
    return html`
      <div class="head">
        <p class="label">
          <bdi>${cutToShown(name)}</bdi>${payable?.isTest ? html`<span class="badge">${language.words.testMode}</span>` : nothing}
        </p>
        <p class="total">
          ${payable ? this.#total : request.currency ? formatMoney(request.amount, request.currency, language.locale) : html`<span class="bone line"></span>`}
        </p>
      </div>
    `;
  }

  #renderAlert(): TemplateResult | typeof nothing {
    const alert = findAlert(this.known, this.deps.language.words);
    if (!alert) return nothing;
    return html`<div class="alert" role="alert" tabindex="-1">
      ${warningIcon}
      <p><strong><bdi>${cutToShown(alert.title)}</bdi></strong> ${alert.text}</p>
    </div>`;
  }

  #renderScreen(screen: Screen): TemplateResult {
    const { language } = this.deps;
    const { words } = language;
    const { session, problems = NO_PROBLEMS } = this.known;
    const payable = payableOf(this.known);
    switch (screen) {
      case 'loading':
        return html`<div role="status"><span class="unseen">${words.loading}</span>${BONES}</div>`;
      case 'form':
        return html`<pay-form
          .language=${language}
          .payable=${{ ...payable!, merchantName: cutToShown(payable!.merchantName) }}
          .drafts=${this.#drafts}
          .problems=${problems}
          .isSending=${isSending(this.known)}
          .pay=${this.#pay}
        ></pay-form>`;
      case 'code':
        return html`<code-form
          .words=${words}
          .problems=${problems}
          .codesLeft=${session?.attempt?.codesLeft ?? null}
          .isSending=${this.known.isSendingCode ?? false}
          .confirm=${this.#confirm}
        ></code-form>`;
      case 'success':
      case 'over':
      case 'unreachable':
      case 'refused':
        return this.#renderEnd();
      default:
        return html`<waiting-screen
          .words=${words}
          .kind=${screen}
          .attempt=${session?.attempt ?? undefined}
          .amount=${this.#total}
          .secondsLeft=${secondsLeft(this.known)}
          .isLong=${isLongWait(this.known)}
          .isCut=${this.known.isCut ?? false}
          .look=${this.#look}
        ></waiting-screen>`;
    }
  }

  #renderEnd(): TemplateResult {
    const { words } = this.deps.language;
    const { sign, tone, title, text, actions } = findEnd(
      this.known,
      words,
      this.#total,
      cutToShown(this.known.session?.merchantName ?? ''),
    );
    const all = {
      again: { name: words.tryAgain, act: () => void this.#flow.open() },
      done: { name: words.done, act: this.#close },
      back: { name: words.backToShop, act: this.#close },
    };
    return html`<end-screen
      .sign=${sign}
      .tone=${tone}
      .heading=${title}
      .text=${text}
      .actions=${actions.map((name) => all[name])}
    ></end-screen>`;
  }

  #renderQuestion(): TemplateResult {
    const { words } = this.deps.language;
    return html`<end-screen
      class="question"
      .sign=${clockIcon}
      .tone=${'waiting'}
      .heading=${words.leavingTitle}
      .text=${words.leavingText}
      .actions=${[{ name: words.keepWaiting, act: () => this.#flow.keepWaiting() }, { name: words.closeAnyway, act: this.#close }]}
    ></end-screen>`;
  }

  /** What is said aloud although the focus stays where it is. */
  #announcement(screen: Screen): string {
    const { words } = this.deps.language;
    if (isSending(this.known) && screen === 'form') return words.sending;
    if (['form', 'success', 'over', 'refused', 'unreachable', 'loading'].includes(screen)) return '';
    if (this.known.isCut) return words.unsureText;
    return isLongWait(this.known) ? (screen === 'prompt' ? words.stillWaiting : words.stillConfirming) : '';
  }

  get #total(): string {
    const payable = payableOf(this.known);
    return payable ? formatMoney(payable.total, payable.currency, this.deps.language.locale) : '';
  }
}

/** Whether an attempt is on its way, or will be as soon as it can. */
function isSending({ sending, isHeld }: Known): boolean {
  return sending !== undefined || Boolean(isHeld);
}

const BONES = [0, 1, 2, 3, 4].map(() => html`<div class="bone"></div>`);
