import type { Attempt, MerchantFacts } from '@service-pay/contract/checkout-api';
import {
  type FrameMessage,
  LEAVE_ANSWER_MS,
  type LeaveWay,
} from '@service-pay/contract/frame-messages';
import type { Language } from '@service-pay/contract/languages';
import { cutToShown } from '@service-pay/contract/payment-request';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import { SERVICE_NAME } from '@service-pay/contract/service-name';
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';

import './screens/pay-form.ts';
import { appStyles } from './app-styles.ts';
import { CheckoutFlow } from './flow/checkout-flow.ts';
import type { Checkout } from './flow/client.ts';
import type { NewAttempt } from './flow/new-attempt.ts';
import {
  isAskedToStay,
  isNotArrived,
  isSending,
  isStuck,
  isTimeShort,
  type Known,
  NOTHING_KNOWN,
  type Payable,
  payableOf,
  type Question,
  questionOf,
  type Screen,
  screenOf,
  sentOf,
} from './flow/payment-state.ts';
import type { SuccessCount } from './flow/success-count.ts';
import { SpokenLanguage, type SpokenLanguageDeps } from './language/language.ts';
import type { Messages } from './language/messages/messages.ts';
import { formatMoney } from './language/money-text.ts';
import { Reporter } from './page/reporter.ts';
import { type SayEvent, showField } from './parts/field.ts';
import { clockIcon, isLogo, lockIcon, warningIcon } from './parts/icons.ts';
import { reactive } from './parts/property.ts';
import { type Acts, renderEnd } from './screens/end.ts';
import { buildDrafts, type Drafts, isTyped, type PayForm } from './screens/pay-form.ts';
import {
  type Alert,
  findAlert,
  findAnnouncement,
  findMerchant,
  findUnreachable,
} from './screens/screen-copy.ts';
import { base, tokens } from './styles/base.ts';

/** How long a step fades out over the next one, as in `appStyles`. */
const FADE_MS = 120;

/** The layer of the question. Steps take turns in the two before it. */
const QUESTION_LAYER = 2;

/** The longest amounts, in characters, at full size and at the next one. */
const AMOUNT_FITS = { large: 14, small: 20 } as const;

export interface AppDeps extends Omit<SpokenLanguageDeps, 'report'> {
  checkout: Checkout;
  newId: () => string;
  request: PaymentRequest;
  /** Names the shop where there is no session, as after a refusal. */
  facts?: Pick<MerchantFacts, 'merchantName' | 'merchant' | 'isTest'> | undefined;
  preview?: Payable | undefined;
  isUnconfirmed?: boolean;
  /** The browser's own language, to be offered to a customer who has not chosen one. */
  offered?: Language | undefined;
  keepLanguage?: (language: Language) => void;
  /** Sends the page a message. For `money`, the result settles once the page has taken it in. */
  send: (message: FrameMessage) => unknown;
}

/**
 * One payment in its frame: shows the screen that follows from what is known, moves the focus,
 * announces changes and informs the page.
 */
@customElement('checkout-app')
export class CheckoutApp extends LitElement {
  static override styles = [tokens, base, appStyles];

  @reactive deps!: AppDeps;

  /** Loaded before the service's first answer is given. */
  @reactive screens: typeof import('./screens/lazy.ts') | undefined;

  @reactive private known: Known = NOTHING_KNOWN;
  @reactive private isSwitched = false;
  @reactive private isTestOpen = false;

  @reactive private said = '';

  /** Seconds until success closes (D2). */
  @reactive private secondsShown: number | undefined;

  readonly #language = new SpokenLanguage(this);
  #flow!: CheckoutFlow;
  #drafts!: Drafts;
  /** The forms' content when an attempt was last sent, without the security code. */
  #sent: Drafts | undefined;
  #reporter!: Reporter;
  #count: SuccessCount | undefined;
  /** Stays while something is sent, so that Pay does not move. */
  #alert: Alert | undefined;
  #hasBegun = false;
  #answeredAt = 0;
  /** The focused element before the question, and the one to return to if the customer stays. */
  #left: Element | null | undefined;
  #back: Element | null | undefined;
  /** Two steps and the question. What was shown before fades out over what is shown now. */
  readonly #layers: (TemplateResult | typeof nothing)[] = [nothing, nothing, nothing];
  #step = '';
  #stepLayer = 0;
  #shownLayer = 0;
  /** The place that has the focus, and what may change there without moving it. */
  #view: readonly unknown[] = [];
  #pressed = this.#view;
  #life = new AbortController();

  override connectedCallback(): void {
    super.connectedCallback();
    const { checkout, clock, newId, preview, isUnconfirmed = false, request } = this.deps;
    this.#drafts = buildDrafts(request);
    this.#reporter = new Reporter(this.deps.send);
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
    this.#life = new AbortController();
    const { signal } = this.#life;
    document.addEventListener('visibilitychange', this.#comeBack, { signal });
    window.addEventListener('online', this.#comeBack, { signal });
    window.addEventListener('focus', this.#enter, { signal });
    window.addEventListener('resize', this.#keepInSight, { signal });
    this.#height.observe(this);
    window.addEventListener('keydown', this.#handleKey, { signal });
    window.addEventListener('click', this.#dropRepeated, { signal, capture: true });
    void this.#flow.open();
    void this.#language.begin({
      ...this.deps,
      report: (language) => this.deps.send({ type: 'language', language }),
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#life.abort();
    this.#height.disconnect();
    this.#count?.stop();
    this.#flow.stop();
  }

  /**
   * Closes the popup or asks whether to leave (D15). On that question, Close leaves and Escape goes
   * back; a press beside the sheet does nothing. Nor does a press `at` a time (in epoch milliseconds)
   * when the answer to the previous one could not be seen.
   */
  leave(by?: LeaveWay, at = Number.POSITIVE_INFINITY): void {
    // A page whose clock is further off could never leave otherwise.
    if (at < this.#answeredAt && at > this.#answeredAt - LEAVE_ANSWER_MS) {
      this.deps.send({ type: 'stay' });
      return;
    }
    const isAsked = isAskedToStay(this.known);
    if (!isAsked) this.#left = this.#active;
    if (isAsked && by === 'escape') this.#stay();
    const mayClose =
      isAsked && by
        ? by === 'close'
        : this.#flow.leave(this.#screen === 'form' && isTyped(this.#drafts, this.#startFor(by)));
    this.#answeredAt = Date.now();
    this.deps.send({ type: mayClose ? 'close' : 'stay' });
  }

  /**
   * The content that counts as untouched: what the shop knew. Close, which is rarely pressed by
   * mistake, may also discard what was sent and declined (D16).
   */
  #startFor(by: LeaveWay | undefined): Drafts {
    const isSure = by === undefined || by === 'close';
    return (isSure && this.#sent) || buildDrafts(this.deps.request);
  }

  /** Returns the focus to where it was, or to the start (D11). */
  refocus(): void {
    const active = this.#active;
    if (active instanceof HTMLElement) active.focus();
    else this.#shown?.focusStart();
  }

  get #active(): Element | null | undefined {
    let active = this.shadowRoot?.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    return active;
  }

  repeatReports(): void {
    this.#reporter.repeat();
  }

  protected override willUpdate(): void {
    const step = this.#place.join();
    if (step !== this.#step) this.#stepLayer = 1 - this.#stepLayer;
    this.#step = step;
    const shown = questionOf(this.known) ? QUESTION_LAYER : this.#stepLayer;
    if (shown === this.#shownLayer) return;
    this.#shownLayer = shown;
    if (this.#reporter.isShown && !matchMedia('(prefers-reduced-motion: reduce)').matches)
      this.deps.clock.after(FADE_MS, this.#clearLayers);
    else this.#clearLayers();
  }

  readonly #clearLayers = (): void => {
    for (const layer of this.#layers.keys())
      if (layer !== this.#stepLayer && layer !== this.#shownLayer) this.#layers[layer] = nothing;
    this.requestUpdate();
  };

  protected override updated(): void {
    const screen = this.#screen;
    if (screen === 'success') this.#startCount();
    const alert = findAlert(this.known, this.#words, this.screens)?.key;
    const place = [...this.#place, questionOf(this.known)];
    const view = [...place, isStuck(this.known), alert];
    if (view.every((part, index) => part === this.#view[index])) return;
    const isElsewhere = place.some((part, index) => part !== this.#view[index]);
    this.#view = view;
    if (screen !== 'loading') void this.#arrive(isElsewhere);
  }

  /** Lets the page take its skeleton away and focuses what is new, once a new view is drawn. */
  async #arrive(isElsewhere: boolean): Promise<void> {
    await this.#shown?.updateComplete;
    if (!this.isConnected) return;
    if (this.#reporter.isShown || document.hasFocus()) this.#beginFocus(isElsewhere);
    this.#reporter.show();
  }

  /**
   * Focuses the start of a step. Where only an alert comes or goes, the focus stays; one that comes is
   * announced by itself, so the focus is never moved to it. On touch screens the keyboard opens only on
   * request.
   */
  #beginFocus(isElsewhere = true): void {
    const alert = this.renderRoot.querySelector('.step:not([inert]) [role=alert]');
    const { activeElement } = this.shadowRoot!;
    const isFirstForm = this.#screen === 'form' && !this.#hasBegun;
    const isKept =
      alert || !isElsewhere
        ? activeElement && !activeElement.closest('[inert]')
        : isFirstForm && matchMedia('(pointer: coarse)').matches;
    if (this.#hasBegun && isElsewhere) this.#shown?.scrollIntoView();
    if (this.#back?.isConnected) (this.#back as HTMLElement).focus();
    else if (!isKept) this.#shown?.focusStart(alert !== null);
    this.#back = undefined;
    alert?.scrollIntoView({ block: 'nearest' });
    this.#hasBegun = true;
  }

  get #shown(): (LitElement & { focusStart(atHeading?: boolean): void }) | null {
    return this.renderRoot.querySelector('.step:not([inert]) > :last-child');
  }

  #startCount(): void {
    this.#count ??= new this.screens!.SuccessCount(
      this.deps.clock,
      [document, this.renderRoot, this.#shown!.renderRoot],
      () => {
        this.secondsShown = this.#count?.secondsLeft;
        if (!this.secondsShown) this.deps.send({ type: 'stay' });
      },
      this.#close,
    );
    this.secondsShown = this.#count.secondsLeft;
  }

  /** Selects the channel and the network of the last attempt (D60). */
  #resume({ channel, prompt }: Attempt): void {
    this.#drafts.channel ||= channel;
    if (prompt && !this.#drafts.phone.isChosen) this.#drafts.phone.operator = prompt.operator;
  }

  #learn(known: Known): unknown {
    const isTaken = this.#reporter.learn(known);
    const { attempt } = known.service.session ?? {};
    if (attempt && !this.known.service.session) this.#resume(attempt);
    const needsBilling = Object.values(known.problems).some(
      ({ code }) => code === 'billing-required',
    );
    if (
      known.problems !== this.known.problems ||
      isTimeShort(known) !== isTimeShort(this.known) ||
      screenOf(known) !== this.#screen
    )
      this.said = '';
    if (sentOf(this.known) && !sentOf(known) && !needsBilling) this.#drafts.card.securityCode = '';
    if (known.wire.unsent || isNotArrived(known)) this.#sent = undefined;
    this.known = known;
    this.isSwitched = false;
    return isTaken;
  }

  readonly #comeBack = (): void => {
    if (!document.hidden) this.#flow.lookNow();
  };

  /** Focuses the start when the frame gets the focus, unless Tab has already focused something. */
  readonly #enter = (): void => {
    this.deps.clock.after(0, () => {
      if (
        this.#reporter.isShown &&
        this.isConnected &&
        document.hasFocus() &&
        !this.shadowRoot?.activeElement
      )
        this.#beginFocus();
    });
  };

  /** Keeps the focused field visible, above an on-screen keyboard and as its message opens. */
  readonly #keepInSight = (): void => {
    const active = this.#active;
    if (active?.matches('input, select')) showField(active);
  };

  readonly #height = new ResizeObserver(this.#keepInSight);

  readonly #handleKey = (event: KeyboardEvent): void => {
    const isEscape = event.key === 'Escape';
    // A key held down presses once.
    if (event.isComposing || !(isEscape || (event.key === 'Enter' && event.repeat))) return;
    event.preventDefault();
    if (isEscape && !event.repeat)
      this.leave('escape', Date.now() - performance.now() + event.timeStamp);
  };

  /** The second click of a double click belongs to the screen of the first, not to what follows it. */
  readonly #dropRepeated = (event: MouseEvent): void => {
    if (event.detail < 2) this.#pressed = this.#view;
    if (this.#pressed === this.#view) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  /** Announces a text. Repeated words are only read again if the region was empty in between. */
  readonly #say = async ({ text }: SayEvent): Promise<void> => {
    this.said = '';
    await this.updateComplete;
    this.said = text;
  };

  readonly #fill = async (drafts: Drafts): Promise<void> => {
    this.#drafts = drafts;
    this.isTestOpen = false;
    await this.updateComplete;
    const form = this.renderRoot.querySelector<PayForm>('.step:not([inert]) > pay-form');
    await form?.updateComplete;
    form?.focusPay();
  };

  readonly #pay = (attempt: NewAttempt): void => {
    const { card, phone } = this.#drafts;
    this.#sent = { ...this.#drafts, card: { ...card, securityCode: '' }, phone: { ...phone } };
    void this.#flow.submit(attempt);
  };

  readonly #toggleTest = (): void => {
    this.isTestOpen = !this.isTestOpen;
  };

  readonly #extend = async (): Promise<boolean> => {
    if (!(await this.#flow.extend())) return false;
    await this.updateComplete;
    this.#shown?.focusStart(true);
    this.said = this.#words.moreTimeGiven;
    return true;
  };

  readonly #switch = async (locale: string): Promise<void> => {
    const before = this.#language.catalogue.language;
    await this.#language.speak(locale);
    const { language } = this.#language.catalogue;
    this.isSwitched = language !== before;
    if (!this.isSwitched) return;
    this.said = '';
    this.deps.keepLanguage?.(language);
  };

  readonly #stay = (): void => {
    this.#back = this.#left;
    this.#flow.keepWaiting();
  };

  readonly #close = (): void => void this.deps.send({ type: 'close' });

  get #words(): Messages {
    return this.#language.catalogue.words;
  }

  /** Another prompt or code begins like another screen. */
  get #place(): readonly unknown[] {
    const screen = this.#screen;
    const isTurn = screen === 'prompt' || screen === 'code';
    return [screen, isTurn && this.known.service.session?.attempt?.id];
  }

  get #screen(): Screen {
    return this.#language.isAwaited ? 'loading' : screenOf(this.known);
  }

  protected override render(): TemplateResult {
    const screen = this.#screen;
    return html`
      ${this.#renderHead(screen)}
      <div class="body" @say=${this.#say}>
        ${this.isTestOpen && screen === 'form' ? html`<test-numbers .words=${this.#words} .payable=${payableOf(this.known)!} .drafts=${this.#drafts} .fill=${this.#fill}></test-numbers>` : nothing}
        ${this.#renderLayers(screen)}
      </div>
      ${screen === 'loading' ? nothing : this.#renderLastLine()}
      <p class="unseen" role="status">${screen === 'loading' ? nothing : findAnnouncement(this.known, this.#words, { said: this.said, isSwitched: this.isSwitched, copy: this.screens })}</p>
    `;
  }

  #renderLayers(screen: Screen): readonly TemplateResult[] {
    const question = questionOf(this.known);
    this.#layers[this.#stepLayer] =
      html`${screen === 'loading' ? nothing : this.#renderAlert()}${screen === 'form' ? this.screens?.renderCancelled(this.known, this.#words) : nothing}${this.#renderScreen(screen)}`;
    if (question) this.#layers[QUESTION_LAYER] = this.#renderQuestion(question);
    return this.#layers.map((content, layer) => {
      const isLeft = layer !== this.#shownLayer;
      return html`<div class="step" ?hidden=${isLeft} ?inert=${isLeft}>${content}</div>`;
    });
  }

  #renderHead(screen: Screen): TemplateResult {
    const { request } = this.deps;
    const amount = this.#amount;
    const payable = payableOf(this.known);
    const shop = payable ?? this.deps.facts;
    const isBrief = !['form', 'code', 'loading', 'unreachable'].includes(screen);
    // Only a wait shows the amount here: success shows it in the receipt, and an end takes none.
    const isWait = isBrief && !['success', 'over', 'refused'].includes(screen);
    const label = isWait ? this.#nameWait(screen) : payable?.label || request.label;
    const size = isBrief ? 'brief' : sizeOf(amount);
    const name = cutToShown(shop?.merchantName ?? '');
    return html`
      <div class="head ${size}">
        <div class="who">
          ${name ? this.#renderTile(name, shop?.merchant?.logo) : nothing}
          <div class="names">
            ${name ? html`<p class="merchant"><bdi>${name}</bdi></p>` : nothing}
            ${label ? html`<p class="label"><bdi>${cutToShown(label)}</bdi></p>` : nothing}
          </div>
        </div>
        ${shop?.isTest ? this.#renderBadge(screen) : nothing}
        ${isBrief ? nothing : this.#renderTotal(amount)}
      </div>
    `;
  }

  /** The amount, and before a bank the card. */
  #nameWait(screen: Screen): string {
    const { attempt } = this.known.service.session ?? {};
    const card = screen === 'challenge' && attempt && this.screens?.showInstrument(attempt);
    return [this.#keptAmount, card].filter(Boolean).join('\u2003');
  }

  #renderTile(name: string, logo?: string): TemplateResult {
    return isLogo(logo)
      ? html`<img class="tile" src=${logo} alt="" />`
      : html`<span class="tile" aria-hidden="true">${[...name][0]}</span>`;
  }

  #renderBadge(screen: Screen): TemplateResult {
    const badge = html`<span class="badge">${this.#words.testMode}</span>`;
    return screen === 'form'
      ? html`<button class="test" type="button" aria-expanded=${this.isTestOpen} @click=${this.#toggleTest}>${badge}</button>`
      : html`<span class="test">${badge}</span>`;
  }

  #renderTotal(amount: string): TemplateResult {
    if (!amount) return html`<p class="total"><span class="bone line"></span></p>`;
    const payable = payableOf(this.known);
    const currency = payable?.currency ?? this.deps.request.currency ?? '';
    const [before, after] = amount.split(currency);
    return html`<p class="total">
      ${payable?.bearer === 'customer' ? html`<span class="of">${this.#words.total}</span> ` : nothing}<span>${before}<small>${currency}</small>${after}</span>
    </p>`;
  }

  /** Says here that sending takes long, so that nothing moves for it. */
  #renderLastLine(): TemplateResult {
    const { sending, action, isSlow } = this.known;
    const [before, after] = this.#words.securedBy.split(SERVICE_NAME);
    const isLate = isSlow && (sending || action?.repeats) && !sentOf(this.known)?.isUnsure;
    return html`<div class="last">
      ${isLate ? html`<p class="late">${clockIcon}<span>${this.#words.stillSending}</span></p>` : html`<p>${lockIcon}<span>${before}<b>${SERVICE_NAME}</b>${after}</span></p>`}
      <language-switch .catalogue=${this.#language.catalogue} .offered=${this.deps.offered} .choose=${this.#switch}></language-switch>
    </div>`;
  }

  #renderAlert(): TemplateResult | typeof nothing {
    if (!isSending(this.known)) this.#alert = findAlert(this.known, this.#words, this.screens);
    const alert = this.#alert;
    if (!alert) return nothing;
    return html`<div class=${isSending(this.known) ? 'opening past' : 'opening'}><div class="callout" role="alert" data-reason=${alert.reason ?? nothing}>
      ${warningIcon}
      <p>
        <strong>${alert.title}</strong>
        ${alert.reason && alert.title === this.#words.declined ? html`<bdi class="reason" lang="en">${cutToShown(alert.reason)}</bdi>` : nothing}
        ${alert.text}
      </p>
    </div></div>`;
  }

  #renderScreen(screen: Screen): TemplateResult {
    const words = this.#words;
    const { service, problems, wire } = this.known;
    const payable = payableOf(this.known);
    switch (screen) {
      case 'loading':
        return html`<div role="status"><span class="unseen">${this.#language.isAwaited ? nothing : words.loading}</span>${BONES}</div>`;
      case 'form':
        return html`${isTimeShort(this.known) ? html`<more-time .words=${words} .ask=${service.session!.extensionsLeft ? this.#extend : undefined}></more-time>` : nothing}<pay-form
          .catalogue=${this.#language.catalogue}
          .payable=${{ ...payable!, merchantName: findMerchant(payable) }}
          .drafts=${this.#drafts}
          .problems=${problems}
          .isSending=${isSending(this.known)}
          .isOffline=${!!wire.unsent}
          .renderBilling=${this.screens?.renderBilling}
          .pay=${this.#pay}
        ></pay-form>`;
      case 'unreachable':
        return renderEnd(findUnreachable(this.known, words), this.#acts);
      default:
        return this.screens!.renderSession({
          known: this.known,
          flow: this.#flow,
          catalogue: this.#language.catalogue,
          amount: this.#keptAmount,
          email: this.deps.request.email,
          acts: this.#acts,
        });
    }
  }

  get #acts(): Acts {
    const words = this.#words;
    return {
      again: { name: words.tryAgain, act: () => void this.#flow.open() },
      done: {
        name: words.done,
        act: this.#close,
        note: this.secondsShown
          ? words.backIn(findMerchant(payableOf(this.known)), this.secondsShown)
          : '\u00a0', // keeps its line, for the press that stops the count
      },
      back: { name: words.backToShop, act: this.#close },
    };
  }

  #renderQuestion(question: Question): TemplateResult {
    const words = this.#words;
    const { title, text, stay, leave } =
      question === 'typed' ? words.leavingTyped : words.leaving[question];
    return html`<end-screen
      .content=${{ sign: clockIcon, tone: 'waiting', title, text }}
      .actions=${[{ name: stay, act: this.#stay }, { name: leave, act: this.#close }]}
    ></end-screen>`;
  }

  /** The amount, which does not wrap. */
  get #keptAmount(): string {
    return this.#amount.replaceAll(' ', '\u00a0');
  }

  get #amount(): string {
    const { request } = this.deps;
    const { total = request.amount, currency = request.currency } = payableOf(this.known) ?? {};
    return currency ? formatMoney(total, currency, this.#language.catalogue.locale) : '';
  }
}

const BONES = [0, 1, 2, 3, 4].map(() => html`<div class="bone"></div>`);

function sizeOf(amount: string): string {
  if (amount.length > AMOUNT_FITS.small) return 'wide widest';
  return amount.length > AMOUNT_FITS.large ? 'wide' : '';
}
