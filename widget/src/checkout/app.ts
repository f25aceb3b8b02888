import {
  type FrameMessage,
  LEAVE_ANSWER_MS,
  type LeaveWay,
} from '@service-pay/contract/frame-messages';
import type { Language } from '@service-pay/contract/languages';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import { html, LitElement, nothing, type TemplateResult } from 'lit';

import './screens/pay-form.ts';
import { appStyles } from './app-styles.ts';
import { CheckoutFlow, type Extension } from './flow/checkout-flow.ts';
import type { Checkout } from './flow/client.ts';
import type { NewAttempt } from './flow/new-attempt.ts';
import {
  isAskedToStay,
  isSending,
  type Known,
  NOTHING_KNOWN,
  type Payable,
  payableOf,
  type Question,
  questionOf,
  type Screen,
  screenOf,
} from './flow/payment-state.ts';
import type { SuccessCount } from './flow/success-count.ts';
import { SpokenLanguage, type SpokenLanguageDeps } from './language/language.ts';
import type { FirstWords, Messages } from './language/messages/messages.ts';
import { formatMoney } from './language/money-text.ts';
import { Reporter } from './page/reporter.ts';
import type { SayEvent } from './parts/field.ts';
import { clockIcon } from './parts/icons.ts';
import { reactive } from './parts/reactive.ts';
import { whileConnected } from './parts/while-connected.ts';
import { type Drafts, KeptDrafts } from './screens/drafts.ts';
import { type Acts, renderEnd } from './screens/end.ts';
import type { PayForm } from './screens/pay-form.ts';
import { findAlert, findMerchant, findUnreachable } from './screens/screen-copy.ts';
import { Announcements } from './shell/announcements.ts';
import { StepFocus } from './shell/focus.ts';
import { renderHead, type ShopFacts } from './shell/head.ts';
import { renderLastLine } from './shell/last-line.ts';
import { StepLayers } from './shell/layers.ts';
import { pressOnce } from './shell/press-once.ts';
import { base, tokens } from './styles/base.ts';

export interface AppDeps extends Omit<SpokenLanguageDeps, 'report'> {
  checkout: Checkout;
  newId: () => string;
  request: PaymentRequest;
  /** Names the shop where there is no session, as after a rejection. */
  facts?: ShopFacts | undefined;
  preview?: Payable | undefined;
  isUnconfirmed?: boolean;
  /** The browser's own language, to be offered to a customer who has not chosen one. */
  offered?: Language | undefined;
  keepLanguage?: (language: Language) => void;
  /** Sends the page a message. For `money`, the result settles once the page has taken it in. */
  send: (message: FrameMessage) => unknown;
}

/** One payment in its frame: shows the screen that follows from what is known. */
export class CheckoutApp extends LitElement {
  static override styles = [tokens, base, appStyles];

  @reactive deps!: AppDeps;

  /** Loaded before the service's first response is returned. */
  @reactive screens: typeof import('./screens/later-screens.ts') | undefined;

  @reactive private known: Known = NOTHING_KNOWN;
  @reactive private isTestOpen = false;

  readonly #reporter = new Reporter((message) => this.deps.send(message));
  readonly #language = new SpokenLanguage(this);
  readonly #layers = new StepLayers(this);
  readonly #announcements = new Announcements(this);
  readonly #focus = new StepFocus(this, this.#reporter);
  #flow!: CheckoutFlow;
  #drafts!: KeptDrafts;
  /** Closes the popup some seconds after success (D2). */
  #count: SuccessCount | undefined;
  #repliedAt = 0;

  constructor() {
    super();
    pressOnce(this, {
      view: () => this.#focus.view,
      onEscape: (at) => this.leave('escape', at),
    });
    whileConnected(this, (signal) => {
      document.addEventListener('visibilitychange', this.#comeBack, { signal });
      window.addEventListener('online', this.#comeBack, { signal });
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const { checkout, clock, newId, preview, isUnconfirmed = false, request } = this.deps;
    this.#drafts = new KeptDrafts(request);
    this.#flow = new CheckoutFlow({
      checkout,
      clock,
      newId,
      watch: (deps) => this.screens!.watchAttempt(deps),
      preview,
      isUnconfirmed,
      isHidden: () => document.hidden,
      isOnline: () => navigator.onLine,
      onChange: (known) => this.#learn(known),
    });
    void this.#flow.open();
    void this.#language.begin({
      ...this.deps,
      report: (language) => this.deps.send({ type: 'language', language }),
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#flow.stop();
  }

  /**
   * Closes the popup or asks whether to leave (D15). On that question, Close leaves and Escape goes
   * back; a press beside the sheet does nothing. Nor does a press `at` a time (in epoch
   * milliseconds) when the reply to the previous one could not be seen.
   */
  leave(by?: LeaveWay, at = Number.POSITIVE_INFINITY): void {
    // If the clocks differ by more than this, `at` is ignored: such a page could never close.
    if (at < this.#repliedAt && at > this.#repliedAt - LEAVE_ANSWER_MS) {
      this.deps.send({ type: 'stay' });
      return;
    }
    const isAsked = isAskedToStay(this.known);
    if (!isAsked) this.#focus.leave();
    if (isAsked && by === 'escape') this.#stay();
    const mayClose = isAsked && by ? by === 'close' : this.#flow.leave(this.#isTyped(by));
    this.#repliedAt = Date.now();
    this.deps.send({ type: mayClose ? 'close' : 'stay' });
  }

  /** Close is rarely pressed by mistake. */
  #isTyped(by: LeaveWay | undefined): boolean {
    const isSure = by === undefined || by === 'close';
    return this.#screen === 'form' && this.#drafts.isTyped(isSure);
  }

  refocus(): void {
    this.#focus.refocus();
  }

  repeatReports(): void {
    this.#reporter.repeat();
  }

  protected override updated(): void {
    if (this.#screen === 'success')
      this.#count ??= new this.screens!.SuccessCount(this, this.#focus.shown!);
    const alert = findAlert(this.known, this.#words, this.screens)?.key;
    const step = [...this.#step, questionOf(this.known)] as const;
    const isStuck = this.screens?.isStuck(this.known) ?? false;
    this.#focus.follow(step, [isStuck, alert]);
  }

  #learn(known: Known): unknown {
    const noted = this.#reporter.learn(known);
    this.#drafts.learn(known);
    this.screens?.updateDrafts(this.#drafts.now, known, this.known);
    this.#announcements.learn(known, this.known);
    this.known = known;
    return noted;
  }

  readonly #comeBack = (): void => {
    if (!document.hidden) this.#flow.lookNow();
  };

  readonly #toggleTest = (): void => {
    this.isTestOpen = !this.isTestOpen;
  };

  readonly #fill = async (drafts: Drafts): Promise<void> => {
    this.#drafts.now = drafts;
    this.isTestOpen = false;
    await this.updateComplete;
    const form = this.#focus.shown as PayForm;
    await form.updateComplete;
    form.focusPay();
  };

  readonly #pay = (attempt: NewAttempt): void => {
    this.#drafts.send();
    void this.#flow.submit(attempt);
  };

  readonly #extend = async (): Promise<Extension> => {
    const extension = await this.#flow.extend();
    if (extension !== 'given') return extension;
    await this.updateComplete;
    this.#focus.shown?.focusStart(true);
    void this.#announcements.say({ text: this.#allWords.moreTimeGiven });
    return extension;
  };

  /** Announces what a step says, unless another has taken its place. */
  readonly #say = (event: SayEvent): void => {
    if (!(event.target as Element).closest('[inert]')) void this.#announcements.say(event);
  };

  readonly #switch = async (locale: string): Promise<void> => {
    const before = this.#language.catalogue.language;
    await this.#language.speak(locale);
    const { language } = this.#language.catalogue;
    if (language === before) return;
    this.#announcements.sayLanguage();
    this.deps.keepLanguage?.(language);
  };

  readonly #stay = (): void => {
    this.#focus.stay();
    this.#flow.keepWaiting();
  };

  readonly #close = (): void => void this.deps.send({ type: 'close' });

  get #words(): FirstWords {
    return this.#language.catalogue.words;
  }

  /** Called only with a session, which the later screens precede. */
  get #allWords(): Messages {
    return this.screens!.allWords(this.#words);
  }

  get #screen(): Screen {
    return this.#language.isAwaited ? 'loading' : screenOf(this.known);
  }

  /** Another prompt or code begins like another screen. */
  get #step(): readonly [Screen, unknown] {
    const screen = this.#screen;
    const isTurn = screen === 'prompt' || screen === 'code';
    return [screen, isTurn && this.known.service.session?.attempt?.id];
  }

  get #amount(): string {
    const { request } = this.deps;
    const { total = request.amount, currency = request.currency } = payableOf(this.known) ?? {};
    return currency ? formatMoney(total, currency, this.#language.catalogue.locale) : '';
  }

  get #announced(): string {
    return this.#announcements.find(this.known, this.#words, this.screens);
  }

  protected override render(): TemplateResult {
    const { known, screens } = this;
    const screen = this.#screen;
    const isLoading = screen === 'loading';
    return html`
      ${renderHead({
        request: this.deps.request,
        facts: this.deps.facts,
        screen,
        words: this.#words,
        payable: payableOf(known),
        amount: this.#amount,
        wait: screens?.describeWait(known, this.#amount),
        isTestOpen: this.isTestOpen,
        toggleTest: this.#toggleTest,
      })}
      <div class="body" @say=${this.#say}>
        ${this.isTestOpen && screen === 'form' ? this.#renderTestNumbers() : nothing}
        ${this.#layers.render({
          step: this.#step.join(),
          content: isLoading ? this.#renderLoading() : this.#renderStep(screen),
          question: this.#renderQuestion(questionOf(known)),
          isSeen: this.#reporter.isShown,
        })}
      </div>
      ${isLoading ? nothing : this.#renderLastLine()}
      <p class="unseen" role="status">${isLoading ? nothing : this.#announced}</p>
    `;
  }

  #renderTestNumbers(): TemplateResult {
    return html`<test-numbers
      .words=${this.#words}
      .payable=${payableOf(this.known)!}
      .drafts=${this.#drafts.now}
      .fill=${this.#fill}
    ></test-numbers>`;
  }

  #renderLastLine(): TemplateResult {
    return renderLastLine(this.known, this.#language.catalogue, this.deps.offered, this.#switch);
  }

  #renderLoading(): TemplateResult {
    const name = this.#language.isAwaited ? nothing : this.#words.loading;
    return html`<div role="status"><span class="unseen">${name}</span>${BONES}</div>`;
  }

  #renderStep(screen: Screen): TemplateResult {
    const { known, screens } = this;
    return html`
      ${this.#announcements.renderAlert(known, this.#words, screens)}
      ${screens?.renderNews(known, this.#words, this.#extend)}
      ${this.#renderScreen(screen)}
    `;
  }

  #renderScreen(screen: Screen): TemplateResult {
    if (screen === 'form') return this.#renderForm();
    if (screen === 'unreachable')
      return renderEnd(findUnreachable(this.known, this.#words), this.#acts);
    return this.screens!.renderSession({
      known: this.known,
      flow: this.#flow,
      catalogue: this.#language.catalogue,
      amount: this.#amount,
      email: this.deps.request.email,
      acts: this.#acts,
      secondsLeft: this.#count?.secondsLeft,
    });
  }

  #renderForm(): TemplateResult {
    const { known } = this;
    const payable = payableOf(known)!;
    return html`<pay-form
      .catalogue=${this.#language.catalogue}
      .payable=${{ ...payable, merchantName: findMerchant(payable) }}
      .drafts=${this.#drafts.now}
      .problems=${known.problems}
      .isSending=${isSending(known)}
      .isOffline=${!!known.wire.unsent}
      .renderBilling=${this.screens?.renderBilling}
      .pay=${this.#pay}
    ></pay-form>`;
  }

  #renderQuestion(question: Question | undefined): TemplateResult | undefined {
    if (!question) return undefined;
    const { title, text, stay, leave } =
      question === 'typed' ? this.#words.leavingTyped : this.#allWords.leaving[question];
    return html`<end-screen
      .content=${{ sign: clockIcon, tone: 'waiting', title, text }}
      .actions=${[{ name: stay, act: this.#stay }, { name: leave, act: this.#close }]}
    ></end-screen>`;
  }

  get #acts(): Acts {
    const words = this.#words;
    return {
      again: { name: words.tryAgain, act: () => void this.#flow.open() },
      back: { name: words.backToShop, act: this.#close },
    };
  }
}

customElements.define('checkout-app', CheckoutApp);

const BONES = [0, 1, 2, 3, 4].map(() => html`<div class="bone"></div>`);
