import { chooseLanguage } from '@service-pay/contract/languages';
import type {
  Billing,
  Customer,
  PaymentRequest,
} from '@service-pay/contract/payment-request-schema';

import { buildNode } from './build-node.ts';
import { isServicePayError, ServicePayError } from './errors.ts';
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
  openPayment,
  readKey,
  readRequest,
} from './get-paid.ts';
import { languagesFor, loadMessages, messages } from './messages.ts';
import type { PaymentHandle, PaymentResult } from './payment.ts';
import { dialogStyles } from './payment-dialog.styles.ts';
import { findService } from './service.ts';
import { buildSheet, css } from './style-sheet.ts';

const styles = css`
  :host {
    display: inline-block;
  }
  :host([hidden]) {
    display: none;
  }
  slot button {
    --service-pay-fill: var(--service-pay-accent, #0b6b4f);
    padding: 0 24px;
    border-radius: var(--service-pay-radius, 10px);
    font: 600 16px/1.45 var(--service-pay-font, system-ui, sans-serif);
    outline-offset: 2px;
  }
`;

/** Each attribute and its property. */
const ATTRIBUTES = {
  'public-key': 'publicKey',
  email: 'email',
  reference: 'reference',
  amount: 'amount',
  currency: 'currency',
  label: 'label',
  bearer: 'bearer',
  channels: 'channels',
  locale: 'locale',
  'service-url': 'serviceUrl',
} as const;

/**
 * What a customer does who is about to press. A finger that comes down, or the keyboard's focus,
 * says more than a mouse passing by.
 */
const INTENTS = ['pointerenter', 'pointerdown', 'focusin'];

/** One for all elements, made with the first. */
let sheet: CSSStyleSheet | undefined;

/**
 * What `prepare` gives: options for `getPaid`, without callbacks. What it leaves out, the element's
 * own properties say.
 */
export type PreparedRequest = Partial<Omit<PaymentRequest, 'amount'>> & {
  amount?: number | string;
};

/**
 * A button that takes one payment in a window over the page (specification 2.1; outcomes: section
 * 3).
 *
 * @tag service-pay
 * @slot - The button to press. Without one the element renders its own.
 * @fires {SuccessEvent} service-pay-success - The service says paid. Ask your server to verify `event.reference`.
 * @fires {ClosedEvent} service-pay-close - The customer left without paying.
 * @fires {ConfirmationPendingEvent} service-pay-confirmation-pending - The customer left before the result was known.
 * @fires {PaymentErrorEvent} service-pay-error - Something a developer must mend; `event.error.code` says what.
 * @csspart button - The button the element renders itself.
 * @csspart dialog - The card, or on phones the sheet, of the popup.
 * @csspart backdrop - What dims the page behind the popup.
 * @csspart close - The popup's Close button.
 * @cssprop [--service-pay-accent=#0b6b4f] - Buttons and focus rings, here and in the frame.
 * @cssprop [--service-pay-radius=12px] - Corners, here and in the frame.
 * @cssprop [--service-pay-font=system-ui] - Names of fonts, here and in the frame.
 */
export class ServicePayElement extends (globalThis.HTMLElement ?? class {}) {
  static readonly observedAttributes = Object.keys(ATTRIBUTES);

  /** The merchant's public key (specification 2.1). */
  declare publicKey: string | undefined;
  /** The customer's e-mail address. */
  declare email: string | undefined;
  /** New for every payment, best made by your server. */
  declare reference: string | undefined;
  /**
   * What to pay, in whole currency units: `"10.75"` is ten and three quarters (specification 2.1,
   * D6).
   */
  declare amount: number | string | undefined;
  /** Three capital letters; without it the merchant's default (D8). */
  declare currency: string | undefined;
  /** What the popup says above the amount. */
  declare label: string | undefined;
  /** Who bears the fee, `merchant` or `customer`, unless the dashboard says (D36). */
  declare bearer: string | undefined;
  /**
   * The channels offered, all of the merchant's where empty. As an attribute: names between blanks.
   */
  declare channels: readonly string[] | undefined;
  /** The language of the popup; without it the page's (D23). */
  declare locale: string | undefined;
  /** Where the payment service is, for pages that do not load its script by a tag (D22). */
  declare serviceUrl: string | undefined;
  /** Who pays, as a prefill. */
  declare customer: Customer | undefined;
  /** The customer's billing address, as a prefill. */
  declare billing: Billing | undefined;
  /**
   * Called on the press, while the popup already shows, so that your server makes the order (D21).
   */
  declare prepare: (() => Promise<PreparedRequest>) | undefined;

  readonly #values: Record<string, unknown> = {};
  #handle: PaymentHandle | undefined;
  #wasOpened = false;

  static {
    // On the prototype, where frameworks look for the name or for a setter. What was set before the
    // upgrade stands before them, and stays.
    for (const name of [...Object.values(ATTRIBUTES), 'customer', 'billing', 'prepare']) {
      Object.defineProperty(ServicePayElement.prototype, name, {
        get(this: ServicePayElement) {
          return this.#values[name];
        },
        set(this: ServicePayElement, value: unknown) {
          this.#values[name] = value;
        },
        configurable: true,
        enumerable: true,
      });
    }
  }

  constructor() {
    super();
    const button = buildNode('button', { type: 'button', part: 'button' }, messages.pay);
    const slot = buildNode('slot', {}, button);
    slot.addEventListener('click', (event) => {
      // The popup is what the press does: a button in a form would send the form and leave the
      // page.
      event.preventDefault();
      this.pay();
    });
    for (const type of INTENTS)
      this.addEventListener(type, (event) => this.#expectPress(event), { passive: true });
    const root = this.attachShadow({ mode: 'open' });
    // A browser too old for it is told so by the press, not by an element that cannot be made.
    if ('adoptedStyleSheets' in root) {
      sheet ??= buildSheet(dialogStyles + styles);
      root.adoptedStyleSheets = [sheet];
    }
    root.append(slot);
  }

  attributeChangedCallback(
    attribute: keyof typeof ATTRIBUTES,
    _before: string | null,
    text: string | null,
  ): void {
    if (attribute === 'channels') this.channels = text?.split(/\s+/).filter(Boolean);
    else this[ATTRIBUTES[attribute]] = text ?? undefined;
    if (attribute === 'locale') void this.#speak();
  }

  connectedCallback(): void {
    void this.#speak();
  }

  disconnectedCallback(): void {
    forgetAhead(this);
    this.#handle?.close();
  }

  /**
   * Opens the popup, as a press does, and gives its handle; the open one where it is open. Throws
   * nothing: what is wrong comes as `service-pay-error`, and the handle is of a popup closed
   * already.
   */
  pay(): PaymentHandle {
    const { prepare, publicKey } = this;
    this.#wasOpened = true;
    try {
      checkPage();
      if (!this.isConnected)
        throw new ServicePayError('load_failed', 'this <service-pay> is not in the document');
      this.#handle = openPayment({
        service: findService(this.serviceUrl),
        key: prepare && publicKey ? readKey(publicKey) : publicKey,
        locale: this.locale,
        source: prepare
          ? async () => readRequest({ ...this.#options, ...(await prepare()) }).request
          : readRequest(this.#options).request,
        host: this,
        settled: (result) => this.#tell(result),
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
   * Loads the checkout frame ahead of the press, hidden; it learns the public key and nothing of
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
   * Loads the frame ahead by what a customer does, before the first press: later ones find the
   * files kept. What is wrong, the press says.
   */
  #expectPress({ type }: Event): void {
    if (this.#wasOpened || (type === 'pointerenter' && isNetworkSpared())) return;
    try {
      loadAhead(this.publicKey, this.serviceUrl, this);
    } catch (error) {
      if (!isServicePayError(error)) throw error;
    }
  }

  get #options(): Record<string, unknown> {
    const {
      publicKey: key,
      email,
      reference,
      amount,
      currency,
      label,
      bearer,
      channels,
      locale,
      customer,
      billing,
    } = this;
    return {
      key,
      email,
      reference,
      amount,
      currency,
      label,
      bearer,
      channels,
      locale,
      customer,
      billing,
    };
  }

  /** Puts the element's own button, where it is used, into the customer's language. */
  async #speak(): Promise<void> {
    // The script says where its service is only after it has defined this element.
    await undefined;
    const slot = this.shadowRoot!.querySelector('slot')!;
    const button = slot.querySelector('button')!;
    const language = chooseLanguage(languagesFor(this.locale));
    if (!this.isConnected || slot.assignedNodes().length || button.lang === language) return;
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

  #tell({ outcome, reference }: PaymentResult): void {
    this.#handle = undefined;
    this.dispatchEvent(
      outcome === 'success'
        ? new SuccessEvent(reference!)
        : outcome === 'closed'
          ? new ClosedEvent()
          : new ConfirmationPendingEvent(),
    );
  }

  #fail(error: unknown): void {
    if (!isServicePayError(error)) throw error;
    this.dispatchEvent(new PaymentErrorEvent(error));
  }
}

/** Whether the customer asks to be sent little, or the network carries little. */
function isNetworkSpared(): boolean {
  const { connection } = navigator as {
    connection?: { saveData?: boolean; effectiveType?: string };
  };
  return !!connection?.saveData || !!connection?.effectiveType?.endsWith('2g');
}

declare global {
  interface HTMLElementTagNameMap {
    'service-pay': ServicePayElement;
  }
}
