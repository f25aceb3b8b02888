import type { FrameMessage } from '@service-pay/contract/frame-messages';
import { chooseLanguage, type Language } from '@service-pay/contract/languages';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import { remove } from './dom/build-node.ts';
import { after, afterPaint } from './dom/timers.ts';
import { whenBody } from './dom/when-body.ts';
import { invalidOptions, isServicePayError, ServicePayError } from './errors.ts';
import { FrameLink } from './frame/frame-link.ts';
import { adviceOn, diagnose, type LoadFailure } from './frame/load-failure.ts';
import { languagesFor, loadMessages } from './messages.ts';
import type { Outcome } from './outcome.ts';
import { PaymentCourse } from './payment-course.ts';
import { PaymentPopup } from './popup/payment-popup.ts';
import { readTheme } from './popup/theme.ts';
import { isUnconfirmed, keepUnconfirmed } from './unconfirmed-payments.ts';

const LONG_WAIT_MS = 1_200;

const SLOW_MS = 8_000;

/** Where the sheet is at the foot of the screen, as in its styles. */
const AT_FOOT = '(width<40em),(height<30em)';

/**
 * The result of a popup. `reference` is undefined only if it was closed before `prepare` returned
 * one (D21).
 */
export interface PaymentResult {
  outcome: Outcome;
  reference: string | undefined;
}

/** An open popup (D3). */
export interface PaymentHandle {
  /** Undefined until `prepare` has returned one (D21). */
  readonly reference: string | undefined;
  /** Closes the popup at once, without a question, with what is known. Does nothing if it is closed. */
  close(): void;
  /** The result. Never rejects. */
  readonly result: Promise<PaymentResult>;
}

export interface PaymentPlan {
  service: string;
  key: string | undefined;
  locale: string | undefined;
  /** The request, or a function that gets it while the popup already shows (D21). */
  source: PaymentRequest | (() => Promise<PaymentRequest>);
  host: Element | undefined;
  /** The pressed button, if the browser did not focus it. */
  pressed: Element | null | undefined;
  link: FrameLink | undefined;
  /** Called once, after the popup has closed. */
  settled: (result: PaymentResult) => void;
  /** Called for each error that a developer must fix; the popup stays and tells the customer. */
  failed: (error: ServicePayError) => void;
}

export type UnopenedPlan = Omit<PaymentPlan, 'link' | 'pressed'>;

/** One payment from the first paint to its outcome: connects the popup, the frame and the page. */
export class Payment {
  readonly handle: PaymentHandle;
  readonly plan: PaymentPlan;
  request: PaymentRequest | undefined;

  readonly #life = new AbortController();
  readonly #popup: PaymentPopup;
  #resolve!: (result: PaymentResult) => void;
  readonly #course: PaymentCourse;
  #link: FrameLink | undefined;
  #language: Language | undefined;
  #stopWait: (() => void) | undefined;
  #isPreparing = false;
  #isShown = false;
  /** Reports the result. Defined from the end of the payment until the popup has left the page. */
  #tell: (() => void) | undefined;

  constructor(plan: PaymentPlan) {
    this.plan = plan;
    this.#link = plan.link;
    const result = new Promise<PaymentResult>((resolve) => {
      this.#resolve = resolve;
    });
    const reference = () => this.request?.reference;
    this.handle = {
      get reference() {
        return reference();
      },
      close: () => this.#course.learn('close'),
      result,
    };
    this.#popup = PaymentPopup.build(
      {
        leave: (by) => this.#course.leave(by, Date.now()),
        retry: () => this.#retry(),
        removed: () => {
          this.#course.learn('close');
          this.#tell?.();
        },
      },
      this.#life.signal,
    );
    this.#course = new PaymentCourse({
      send: (message) => this.#link?.send(message),
      after: (ms, act) => after(ms, this.#life.signal, act),
      stay: () => this.#popup.focusFrame(),
      end: (outcome) => this.#settle(outcome),
    });
    if (typeof plan.source !== 'function') this.#accept(plan.source);
    else void this.#speak(chooseLanguage(languagesFor(plan.locale)));
    whenBody(this.#life.signal, () => this.#show());
  }

  /** Ends if its element is gone, and reports a result that waits until the popup has left the page. */
  makeWay(): void {
    if (this.plan.host?.isConnected === false) this.#course.learn('close');
    if (this.#tell) remove(this.#popup);
  }

  focus(): void {
    this.#popup.focusFrame();
    this.#link?.send({ type: 'focus' });
  }

  #show(): void {
    this.#popup.show(this.plan.host, this.plan.pressed);
    this.#showSkeleton();
    const options = { __proto__: null, signal: this.#life.signal };
    window.addEventListener('online', () => this.#isUnloaded && this.#retry(), options);
    matchMedia(AT_FOOT).addEventListener('change', () => this.#open(), options);
    if (this.#link) this.#mount();
    else afterPaint(this.#life.signal, () => this.#link || this.#mount());
    if (typeof this.plan.source === 'function') void this.#prepare(this.plan.source);
  }

  async #prepare(source: () => Promise<PaymentRequest>): Promise<void> {
    this.#isPreparing = true;
    try {
      const request = await source();
      if (this.#course.known.outcome) return;
      this.#accept(request);
      if (this.#link?.key === request.key) this.#open();
      else this.#mount();
    } catch (cause) {
      if (this.#course.known.outcome) return;
      if (Object(cause).name === 'AbortError') return this.#course.learn('close');
      this.#popup.showNotice('prepareFailed');
      const message = 'prepare() rejected or threw';
      this.plan.failed(
        isServicePayError(cause)
          ? cause
          : new ServicePayError('prepare_failed', message, { cause }),
      );
    } finally {
      this.#isPreparing = false;
    }
  }

  #accept(request: PaymentRequest): void {
    this.request = request;
    if (isUnconfirmed(this.#name)) {
      this.#course.learn('unknown');
      if (this.#course.known.frame === 'lost') this.#popup.showNotice('unconfirmed');
    }
    this.#popup.preview = request;
    void this.#speak(chooseLanguage([request.locale]));
  }

  /** Changes the direction at once, and the words as soon as they have loaded. */
  async #speak(language: Language): Promise<void> {
    if (language === this.#language) return;
    this.#language = language;
    this.#popup.language = language;
    const words = await loadMessages(this.plan.service, language);
    if (language === this.#language) this.#popup.words = words;
  }

  #switch(language: Language): void {
    if (this.request) this.request.locale = language;
    void this.#speak(language);
  }

  /**
   * Puts the preloaded frame or a new one into the popup. Waits for `prepare` if the key is not
   * known.
   */
  #mount(): void {
    const key = this.request?.key ?? this.plan.key;
    if (!key) return;
    if (this.#link?.key !== key || !this.#popup.hold(this.#link.frame)) {
      this.#link?.end();
      this.#link = new FrameLink(this.plan.service, key);
      this.#popup.hold(this.#link.frame);
    }
    const link = this.#link;
    this.#isShown = false;
    link.watch({
      ready: () => this.#course.learn('ready'),
      said: (message) => this.#receive(message),
      failed: (why) => void this.#lose(link, why),
    });
    this.#open();
  }

  #open(): void {
    const { request } = this;
    if (request)
      this.#link?.open(() => ({
        request,
        theme: readTheme(this.#popup.computedStyle),
        unconfirmed: this.#isUnconfirmed,
      }));
  }

  #receive(message: FrameMessage): void {
    const isBack = this.#course.known.frame === 'lost';
    if (message.type === 'shown') this.#isShown = true;
    if (message.type === 'height') this.#popup.height = message.px;
    if (message.type === 'shown' || (isBack && this.#isShown)) this.#popup.showFrame();
    if (message.type === 'language') this.#switch(message.language);
    if (message.type === 'unknown-key') this.#rejectKey();
    this.#course.read(message);
    // Stored before the frame gets `noted`, and so before anything that may move money is sent.
    if (message.type === 'money') keepUnconfirmed(this.#name, this.#isUnconfirmed);
  }

  async #lose(link: FrameLink, failure: LoadFailure): Promise<void> {
    const isUnclear = failure === 'slow' || failure === 'refused';
    const why = isUnclear ? await diagnose(this.plan.service, failure) : failure;
    if (this.#course.known.outcome || link !== this.#link || !link.isSilent) return;
    const isFirst = this.#course.known.frame !== 'lost';
    this.#course.learn('lost');
    if (this.#course.known.outcome || !isFirst || this.#course.known.money === 'paid') return;
    this.#popup.showNotice(this.#isUnconfirmed ? 'unconfirmed' : why);
    this.plan.failed(new ServicePayError('load_failed', adviceOn(why, this.plan.service)));
  }

  /** Reports a key that the service does not know to the page's developer (T37). */
  #rejectKey(): void {
    const { service } = this.plan;
    const message = `the key ${this.request?.key.slice(0, 16)}… is unknown to the service at ${service}: use your public key for this service, or load the script of the service that issued it`;
    this.plan.failed(invalidOptions({ path: 'key', message }));
  }

  #showSkeleton(): void {
    const { signal } = this.#life;
    this.#popup.showSkeleton();
    this.#stopWait?.();
    this.#stopWait = after(LONG_WAIT_MS, signal, () => {
      this.#popup.status = 'loading';
      this.#stopWait = after(SLOW_MS - LONG_WAIT_MS, signal, () => {
        if (!this.#isUnconfirmed) this.#popup.status = 'slowLoading';
      });
    });
  }

  /** Nothing has been typed or sent, so that loading again needs no press. */
  get #isUnloaded(): boolean {
    return this.#course.known.frame === 'lost' && !this.#isShown && !this.#isUnconfirmed;
  }

  #retry(): void {
    this.#showSkeleton();
    if (this.#course.known.frame === 'lost') {
      this.#course.learn('retry');
      this.#link?.end();
      this.#link = undefined;
      this.#mount();
    }
    const { source } = this.plan;
    if (!this.request && !this.#isPreparing && typeof source === 'function')
      void this.#prepare(source);
  }

  get #name(): string {
    return `${this.plan.service}/${this.request?.reference}`;
  }

  get #isUnconfirmed(): boolean {
    return this.#course.known.money !== 'none';
  }

  /** Handle, callback and event report the same outcome once the popup has gone (D1, D2). */
  #settle(outcome: Outcome): void {
    this.#life.abort();
    this.#link?.end();
    const result = { outcome, reference: this.request?.reference };
    this.#tell = () => {
      this.#tell = undefined;
      this.#resolve(result);
      this.plan.settled(result);
    };
    if (!this.#popup.isConnected) this.#tell();
  }
}
