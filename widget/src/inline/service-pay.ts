import { chooseLanguage } from '@service-pay/contract/languages';
import type {
  Billing,
  Customer,
  PaymentRequest,
} from '@service-pay/contract/payment-request-schema';

import { append, buildNode } from './dom/build-node.ts';
import { css } from './dom/css.ts';
import { ReactiveBase } from './dom/reactive-base.ts';
import { invalidOptions, isServicePayError, ServicePayError } from './errors.ts';
import {
  ClosedEvent,
  ConfirmationPendingEvent,
  PaymentErrorEvent,
  SuccessEvent,
} from './events.ts';
import {
  checkPage,
  forgetAhead,
  loadAhead,
  logError,
  openPayment,
  readKey,
  readRequest,
} from './get-paid.ts';
import { languagesFor, loadMessages, messages } from './messages.ts';
import type { PaymentHandle, PaymentResult } from './payment.ts';
import { buttonStyles } from './popup/payment-popup.styles.ts';
import { removeFrames } from './popup/payment-popup.ts';
import { findService } from './service.ts';

const styles = css`
  ${buttonStyles}
  :host {
    display: inline-block;
  }
  :host([hidden]) {
    display: none;
  }
  button {
    --_fill: var(--service-pay-accent, #0b6b4f);
    padding: 0 24px;
    border-radius: var(--service-pay-radius, 10px);
    font: 600 medium/1.45 var(--service-pay-font, system-ui, sans-serif);
  }
`;

const text = (value: string | null) => value ?? undefined;
const list = (value: string | null) => value?.split(/\s+/).filter(Boolean);

/** Events that precede a press. */
const INTENTS = ['pointerenter', 'pointerdown', 'focusin'];

/** How long a page may take to put the element back that it moves. */
const MOVING_MS = 100;

/** Elements that show something without a text: all but those that editors leave behind (T158). */
const SHOWN = ':not(br,div,p,span,[slot])';

const NOTHING_TO_PAY =
  'this <service-pay> has no prepare, reference or amount. React sets no functions while it hydrates';

/**
 * The return value of `prepare`: options for `getPaid`, without callbacks. The element's own
 * properties fill in what it leaves out.
 */
export type PreparedRequest = Partial<Omit<PaymentRequest, 'amount'>> & {
  amount?: number | string;
};

/**
 * A button that takes one payment in a window over the page (specification 2.1; outcomes: section
 * 3).
 *
 * @tag service-pay
 * @slot - Your button. Without one, the element renders its own.
 * @fires {SuccessEvent} service-pay-success - The service reports the payment as paid. Let your server verify `event.reference`.
 * @fires {ClosedEvent} service-pay-close - The customer left while nothing was under way.
 * @fires {ConfirmationPendingEvent} service-pay-confirmation-pending - The customer left while a payment was under way.
 * @fires {PaymentErrorEvent} service-pay-error - An integration error; `event.error.code` says which.
 * @csspart button - The button that the element renders.
 * @csspart dialog - The popup itself: a card, or a sheet on phones. The form draws its surface.
 * @csspart backdrop - The layer that dims the page behind the popup.
 * @csspart close - The popup's Close button.
 * @cssprop [--service-pay-accent=#0b6b4f] - Buttons and focus rings, on the page and in the form.
 * @cssprop [--service-pay-radius=16px] - Corners, on the page and in the form.
 * @cssprop [--service-pay-font=system-ui] - Font names, on the page and in the form.
 */
export class ServicePayElement extends ReactiveBase {
  static readonly styles: unknown = styles;
  static readonly properties: object = {
    publicKey: { attribute: 'public-key', converter: text },
    email: { converter: text },
    reference: { converter: text },
    amount: { converter: text },
    currency: { converter: text },
    label: { converter: text },
    bearer: { converter: text },
    channels: { converter: list },
    locale: { converter: text },
    serviceUrl: { attribute: 'service-url', converter: text },
    customer: { attribute: false },
    billing: { attribute: false },
    prepare: { attribute: false },
  };

  /** Your public key. */
  declare publicKey: string | undefined;
  /** The customer's e-mail address. */
  declare email: string | undefined;
  /** Your reference, new for every payment. Create it on your server. */
  declare reference: string | undefined;
  /** Amount in major units: `"10.75"` is ten kwacha and 75 ngwee, never `1075`. */
  declare amount: number | string | undefined;
  /** Three capital letters. Default: your currency at the service. */
  declare currency: string | undefined;
  /** Text above the amount in the popup. */
  declare label: string | undefined;
  /** Who pays the fee, `merchant` or `customer`, unless your setting at the provider decides. */
  declare bearer: string | undefined;
  /** Channels to offer. Default: all your channels. As an attribute: space-separated names. */
  declare channels: readonly string[] | undefined;
  /** Language of the popup, unless the customer has chosen one. Default: your page's. */
  declare locale: string | undefined;
  /** Address of the payment service, for pages that do not load its script by a tag. */
  declare serviceUrl: string | undefined;
  /** Customer data that prefills the form. */
  declare customer: Customer | undefined;
  /** Billing address that prefills the form. */
  declare billing: Billing | undefined;
  /** Places the order on your server. Called on the click, while the popup opens. Rejecting with an `AbortError` closes the popup. */
  declare prepare: (() => Promise<PreparedRequest>) | undefined;

  readonly #button = buildNode('button', { part: 'button' }, messages.pay);
  readonly #slot = buildNode('slot', {}, this.#button);
  readonly #content = new MutationObserver(() => this.#chooseButton());
  #handle: PaymentHandle | undefined;
  #wasOpened = false;

  constructor() {
    super();
    this.#slot.addEventListener('click', (event) => {
      // A button in a form would submit the form and leave the page.
      event.preventDefault();
      this.pay();
    });
    for (const type of INTENTS)
      this.addEventListener(type, () => this.#expectPress(), { passive: true });
  }

  override createRenderRoot(): HTMLElement | DocumentFragment {
    const root = super.createRenderRoot();
    append(root, this.#slot);
    return root;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (!this.#handle) removeFrames(this);
    // Now, since code may call pay() in the same task.
    this.performUpdate();
    this.#chooseButton();
    this.#content.observe(this, { childList: true, characterData: true, subtree: true });
  }

  override updated(changed: ReadonlyMap<PropertyKey, unknown>): void {
    if (changed.has('locale')) void this.#speak();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    forgetAhead(this);
    this.#content.disconnect();
    setTimeout(() => this.isConnected || this.#handle?.close(), MOVING_MS);
  }

  /**
   * Opens the popup as a click does, and returns its handle: the existing one if the popup is open.
   * Never throws: an error is printed and dispatched as `service-pay-error`, and closes the handle.
   */
  pay(): PaymentHandle {
    const { prepare, publicKey } = this;
    this.#wasOpened = true;
    try {
      checkPage();
      if (!this.isConnected)
        throw new ServicePayError('load_failed', 'this <service-pay> is not in the document');
      if (!prepare && this.reference === undefined && this.amount === undefined)
        throw invalidOptions({ path: 'prepare', message: NOTHING_TO_PAY });
      this.#handle = openPayment({
        service: findService(this.serviceUrl),
        key: prepare && publicKey ? readKey(publicKey) : publicKey,
        locale: this.locale,
        source: prepare
          ? async () => readRequest({ ...this.#options, ...(await prepare()) }).request
          : readRequest(this.#options).request,
        host: this,
        settled: (result) => this.#dispatchOutcome(result),
        failed: (error) => this.#fail(error),
      });
      return this.#handle;
    } catch (error) {
      this.#fail(error);
      const { reference } = this;
      return {
        reference,
        close: () => undefined,
        result: Promise.resolve({ outcome: 'closed', reference }),
      };
    }
  }

  /**
   * Loads the payment form before the click, hidden. It learns your public key, but nothing about
   * the customer.
   */
  preload(): void {
    try {
      loadAhead(this.publicKey, this.serviceUrl, this);
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * Preloads the frame when the first press is likely; afterwards the browser has the files. Errors
   * wait for the press.
   */
  #expectPress(): void {
    if (this.#wasOpened) return;
    try {
      loadAhead(this.publicKey, this.serviceUrl, this);
    } catch (error) {
      if (!isServicePayError(error)) throw error;
    }
  }

  get #options(): Record<string, unknown> {
    const names = Object.keys(ServicePayElement.properties) as (keyof this)[];
    const { publicKey, serviceUrl, prepare, ...options } = Object.fromEntries(
      names.map((name) => [name, this[name]]),
    );
    return { key: publicKey, ...options };
  }

  #chooseButton(): void {
    const isGiven = /[^\s\u200b]/.test(this.textContent) || this.querySelector(SHOWN);
    // Nothing can be put into a slot of another name, which therefore shows the element's own button.
    this.#slot.name = isGiven ? '' : 'own';
    void this.#speak();
  }

  async #speak(): Promise<void> {
    // The script configures its service after it has defined this element.
    await undefined;
    const button = this.#button;
    const language = chooseLanguage(languagesFor(this.locale));
    if (!this.isConnected || !this.#slot.name || button.lang === language) return;
    try {
      const service = findService(this.serviceUrl);
      button.lang = language;
      const words = await loadMessages(service, language);
      if (button.lang !== language) return;
      button.lang = words.lang;
      button.textContent = words.pay;
    } catch (error) {
      if (!isServicePayError(error)) throw error;
    }
  }

  #dispatchOutcome({ outcome, reference }: PaymentResult): void {
    this.#handle = undefined;
    this.#dispatch(
      outcome === 'success'
        ? new SuccessEvent(reference!)
        : outcome === 'closed'
          ? new ClosedEvent()
          : new ConfirmationPendingEvent(),
    );
  }

  #fail(error: unknown): void {
    if (!isServicePayError(error)) throw error;
    logError(error);
    this.#dispatch(new PaymentErrorEvent(error));
  }

  /** Dispatches on the document too if the event cannot bubble there (T129). */
  #dispatch(event: Event): void {
    const { isConnected } = this;
    this.dispatchEvent(event);
    if (!isConnected) this.ownerDocument.dispatchEvent(event);
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'service-pay': ServicePayElement;
  }
}
