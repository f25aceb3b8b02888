// biome-ignore-all lint/suspicious/noConfusingLabels: PACKAGE marks what inline.js leaves out.
// biome-ignore-all lint/correctness/noUnusedLabels: vite.config.ts drops PACKAGE from inline.js.
import { chooseLocale } from '@service-pay/contract/languages';
import { type Callbacks, readPaymentOptions } from '@service-pay/contract/payment-request';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';

import { append, buildNode, remove } from './dom/build-node.ts';
import { Layer } from './dom/layer.ts';
import { after } from './dom/timers.ts';
import { whenBody } from './dom/when-body.ts';
import { invalidOptions, ServicePayError } from './errors.ts';
import { FrameLink } from './frame/frame-link.ts';
import { languagesFor } from './messages.ts';
import { Payment, type PaymentHandle, type PaymentResult, type UnopenedPlan } from './payment.ts';
import { findService } from './service.ts';

/** The same members, except that `undefined` counts as absent (D27). */
type Lenient<Members> = {
  [Name in keyof Members]: undefined extends Members[Name]
    ? Members[Name] | undefined
    : Members[Name];
};

/**
 * The options of `getPaid` (specification 2.1). `amount` is in major units, as a number or
 * a decimal string (D6).
 */
export type PaymentOptions = Lenient<Omit<PaymentRequest, 'amount'> & Callbacks> & {
  amount: number | string;
};

const WAITING_MS = 5 * 60_000;

const PRESSABLE = 'button,a,input,[tabindex]';

let current: Payment | undefined;

let stub: ((plan: UnopenedPlan) => PaymentHandle) | undefined;

/** The preloaded frame, and the element that preloaded it, if one did. */
let ahead:
  | { link: FrameLink; place: HTMLElement; life: AbortController; host: Element | undefined }
  | undefined;

/** Replaces every popup until the returned function is called, for `@service-pay/widget/testing`. */
export function stubPayments(instead: NonNullable<typeof stub>): () => void {
  stub = instead;
  return () => {
    if (stub === instead) stub = undefined;
  };
}

/**
 * Opens the payment popup over the page (specification 2.1, 4.1). Calls exactly one of the three
 * callbacks, once, after the popup has closed (D1, D2). Throws `ServicePayError` and opens nothing:
 * `invalid_options` with every broken rule (D4), `already_open` if a popup for something else is
 * open (D11), `not_configured` (D22), `load_failed` if the page cannot show a popup at all (D20).
 */
export function getPaid(options: PaymentOptions): PaymentHandle {
  checkPage();
  const { request, callbacks } = readRequest(options);
  return openPayment({
    service: findService(),
    key: request.key,
    locale: request.locale,
    source: request,
    host: undefined,
    settled: (result) => void callBack(callbacks, result),
    failed: logError,
  });
}

/**
 * Loads the checkout frame before the first press, hidden. It learns the public key and nothing
 * about the customer, and waits for five minutes. Does nothing while a popup is open. Throws as
 * `getPaid` does if no popup could be shown, or if `key` is not a public key.
 */
export function preload({
  key,
  serviceUrl,
}: {
  key: string;
  serviceUrl?: string | undefined;
}): void {
  loadAhead(key, serviceUrl);
}

export function loadAhead(key: unknown, serviceUrl?: string, host?: Element): void {
  checkPage();
  const service = findService(serviceUrl);
  const publicKey = readKey(key);
  PACKAGE: if (stub) return;
  if (current || findAhead(service, publicKey)) return;
  dropAhead();
  const link = new FrameLink(service, publicKey);
  const hidden = buildNode('div', { inert: '' }, buildNode('slot', {}));
  // Hides the frame in a way that still lays it out (B7).
  hidden.style.cssText = 'position:fixed;left:-999px;visibility:hidden';
  const place = Layer.build(hidden, link.frame);
  const life = new AbortController();
  ahead = { link, place, life, host };
  after(WAITING_MS, life.signal, dropAhead);
  whenBody(life.signal, () => append(document.body, place));
}

/** Returns the preloaded frame if it is for this key and can be used. */
function findAhead(service: string, key: string | undefined): FrameLink | undefined {
  if (!ahead?.place.isConnected || ahead.link.isSilent) return undefined;
  return ahead.link.service === service && ahead.link.key === key ? ahead.link : undefined;
}

export function forgetAhead(host: Element): void {
  if (ahead?.host === host) dropAhead();
}

/**
 * Reads a public key that is sent before the other options are known. Throws `invalid_options`,
 * also for a secret key, which is never sent (T7).
 */
export function readKey(key: unknown): string {
  const { request, problems } = readPaymentOptions({ key });
  const wrong = problems.filter(({ path }) => path === 'key');
  if (wrong.length) throw invalidOptions(...wrong);
  return request.key;
}

/** Prints an error that has no caller to throw to, with what `prepare` threw. */
export function logError({ message, cause }: ServicePayError): void {
  console.error(message, ...(cause ? [cause] : []));
}

export function readRequest(options: unknown): { request: PaymentRequest; callbacks: Callbacks } {
  const { request, callbacks, problems, unknown } = readPaymentOptions(options);
  if (unknown.length)
    console.warn(`ServicePay: unknown options are ignored: ${unknown.join(', ')}.`);
  if (problems.length) throw invalidOptions(...problems);
  request.locale = chooseLocale(languagesFor(request.locale));
  return { request, callbacks };
}

/**
 * Opens the page's one popup, or returns the handle of the popup open for the same payment (D11).
 * Throws `already_open` and `load_failed`.
 */
export function openPayment(plan: UnopenedPlan): PaymentHandle {
  PACKAGE: if (stub) return stub(plan);
  current?.makeWay();
  const pressed = focusPressed(plan.host);
  if (current) {
    const open = current.request;
    if (!isSame(current, plan))
      throw new ServicePayError(
        'already_open',
        `a popup is open for ${open?.reference ?? 'another order'}`,
      );
    console.warn(
      `ServicePay: ${open?.reference ?? 'this order'} is open already; new callbacks are ignored.`,
    );
    current.focus();
    return current.handle;
  }
  const link = findAhead(plan.service, plan.key);
  const settled = (result: PaymentResult) => {
    current = undefined;
    plan.settled(result);
  };
  current = new Payment({ ...plan, link, pressed, settled });
  dropAhead(link);
  return current.handle;
}

function isSame({ request, plan }: Payment, { source, host }: UnopenedPlan): boolean {
  if (typeof source === 'function') return plan.host === host;
  return (
    request?.reference === source.reference &&
    request.amount === source.amount &&
    request.currency === source.currency
  );
}

/**
 * Focuses and returns what is being pressed, if the browser has not: Safari never does, others do
 * not if the page disabled it.
 */
function focusPressed(host: Element | undefined): Element | null | undefined {
  if (document.activeElement !== document.body) return undefined;
  const pressed = host
    ? (host.querySelector<HTMLElement>(PRESSABLE) ?? host.shadowRoot?.querySelector(PRESSABLE))
    : (window.event?.target as HTMLElement | null | undefined)?.closest?.<HTMLElement>(PRESSABLE);
  pressed?.focus({ preventScroll: true });
  return pressed;
}

function dropAhead(inUse?: FrameLink): void {
  if (ahead?.link !== inUse) ahead?.link.end();
  ahead?.life.abort();
  remove(ahead?.place);
  ahead = undefined;
}

/**
 * Throws `load_failed` if a payment could not be made here, or not safely (T19). Called first,
 * since other APIs may be missing there.
 */
export function checkPage(): void {
  PACKAGE: {
    if (typeof document === 'undefined')
      throw new ServicePayError('load_failed', 'only a browser can open a payment');
    if (stub) return;
    if (/jsdom|happydom/i.test(navigator.userAgent))
      throw new ServicePayError(
        'load_failed',
        'use @service-pay/widget/testing in jsdom or happy-dom',
      );
  }
  const dialog = (self as Partial<typeof globalThis>).HTMLDialogElement;
  if (!dialog?.prototype.showModal || !('adoptedStyleSheets' in document)) {
    throw new ServicePayError('load_failed', 'this browser is too old to show the popup');
  }
  const { origin, isSecureContext, location } = self;
  if (isSecureContext && origin !== 'null') return;
  const kind =
    location.protocol === 'file:'
      ? 'a file'
      : isSecureContext
        ? 'a frame sandboxed without allow-same-origin'
        : 'not on https:';
  throw new ServicePayError('load_failed', `no payment can be made in this page: it is ${kind}`);
}

/** Calls the outcome's callback. Its errors are reported as the page's own (D2, T12). */
async function callBack(
  callbacks: Callbacks,
  { outcome, reference }: PaymentResult,
): Promise<void> {
  try {
    if (outcome === 'success') await callbacks.onSuccess?.({ reference: reference! });
    else if (outcome === 'closed') await callbacks.onClose?.();
    else await callbacks.onConfirmationPending?.();
  } catch (error) {
    reportError(error);
  }
}
