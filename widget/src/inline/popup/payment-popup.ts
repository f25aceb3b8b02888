import { type PropertyValues, ReactiveElement } from '@lit/reactive-element';
import type { LeaveWay } from '@service-pay/contract/frame-messages';
import { directionOf, type Language } from '@service-pay/contract/languages';

import { append, buildNode, remove } from '../dom/build-node.ts';
import {
  deepActiveElement,
  focusFirst,
  lockScroll,
  shieldPage,
  withAncestors,
} from '../dom/page-behind.ts';
import { register } from '../dom/register.ts';
import { after } from '../dom/timers.ts';
import { type Messages, messages } from '../messages.ts';
import { popupStyles } from './payment-popup.styles.ts';
import { type Preview, Skeleton } from './skeleton.ts';

const TAG = 'service-pay-popup';

const DOUBLE_CLICK_MS = 500;

const LEAVING_MS = 200;

/** After the first frames of the sheet, and after a form loaded ahead has come on a slow phone. */
const AMOUNT_AFTER_MS = 300;

/**
 * Events in the popup that the page must not see: its shortcuts, focus traps, clickable cards and
 * menus that close on an outside press would react to them (T21).
 */
const PRIVATE_EVENTS = [
  'click',
  'pointerdown',
  'mousedown',
  'touchstart',
  'focusin',
  'focusout',
  'keydown',
  'keyup',
];

/** A property without an attribute. */
const BY_CODE = { attribute: false };

export interface PopupListener {
  leave(by: LeaveWay): void;
  retry(): void;
  /** The popup has left the page: after its end, or by the page's own code. */
  removed(): void;
}

/**
 * The sheet over the page: a modal `<dialog>` with the frame, a skeleton until the frame is ready,
 * or a notice if it cannot load. It never closes by itself, whatever the browser does on Escape or
 * back (T20). Aborting the signal closes it and releases nodes, listeners, scroll lock and focus. One
 * that `build` did not make comes from a snapshot of the page, and removes itself (T125).
 */
export class PaymentPopup extends ReactiveElement {
  static override styles = popupStyles;
  static override properties = {
    frame: BY_CODE,
    isReady: BY_CODE,
    language: BY_CODE,
    notice: BY_CODE,
    preview: BY_CODE,
    status: BY_CODE,
    words: BY_CODE,
  };

  declare protected frame: HTMLIFrameElement | undefined;
  declare protected isReady: boolean | undefined;
  /** Sets the direction at once; the words follow when they have loaded. */
  declare language: Language;
  declare notice: keyof Messages | undefined;
  declare preview: Preview | undefined;
  declare status: keyof Messages | undefined;
  declare words: Messages;

  readonly #listener: PopupListener | undefined;
  readonly #signal: AbortSignal;
  readonly #skeleton = new Skeleton();
  readonly #backdrop = buildNode('div', { class: 'backdrop', part: 'backdrop' });
  readonly #close = buildNode('button', { class: 'close', part: 'close' });
  readonly #card = buildNode(
    'div',
    { class: 'card', part: 'dialog' },
    buildNode('slot', { name: TAG }),
    this.#skeleton.node,
    this.#close,
  );
  readonly #dialog = buildNode(
    'dialog',
    { closedby: 'none', tabindex: '-1' },
    this.#backdrop,
    this.#card,
  );
  readonly #sight = new ResizeObserver(() => this.#stayInSight());
  #shownAt = 0;

  private constructor(listener?: PopupListener, signal = AbortSignal.abort()) {
    super();
    this.#listener = listener;
    this.#signal = signal;
    this.language = 'en';
    this.words = messages;
  }

  static register(): void {
    register(TAG, PaymentPopup as unknown as CustomElementConstructor);
  }

  /** Builds a popup without showing it. */
  static build(listener: PopupListener, signal: AbortSignal): PaymentPopup {
    PaymentPopup.register();
    return new PaymentPopup(listener, signal);
  }

  protected override createRenderRoot(): HTMLElement | DocumentFragment {
    const root = super.createRenderRoot();
    append(root, this.#dialog);
    return root;
  }

  override connectedCallback(): void {
    if (this.#signal.aborted) {
      remove(this);
      return;
    }
    super.connectedCallback();
    this.performUpdate();
    this.#dialog.removeAttribute('open');
    // Otherwise focused, and pressed by a key still held down on the page's own button.
    this.#close.inert = true;
    this.#dialog.showModal();
    this.#dialog.focus();
    this.#close.inert = false;
  }

  /** `moveBefore` keeps dialog, focus and frame as they are. */
  connectedMoveCallback(): void {}

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    const { host } = this.getRootNode() as ShadowRoot;
    // An open popup in an element closes with that, which may only be on the move.
    if (this.isConnected || (host && !this.#signal.aborted)) return;
    remove(this.frame);
    this.#listener?.removed();
  }

  /**
   * Shows the popup: in the shadow root of `host` if that is rendered, so that its parts can be
   * styled, otherwise at the end of the body. Focus later returns to `pressed`, or to where it is
   * now.
   */
  show(host: Element | undefined, pressed?: Element | null): void {
    this.#shownAt = performance.now();
    const before = withAncestors(pressed ?? deepActiveElement());
    // Measured before anything changes, so that the page is laid out only once.
    const isRendered = host?.shadowRoot && host.getClientRects().length;
    this.#fitScreen(isRendered ? host : document.body);
    const unlock = lockScroll();
    this.#listen();
    // Hides a copy without this shadow root.
    this.hidden = true;
    append(this, buildNode('slot', { name: TAG, slot: TAG }));
    if (host) removeFrames(host);
    if (isRendered) this.setAttribute('exportparts', 'dialog, backdrop, close');
    append(isRendered ? host!.shadowRoot! : document.body, this);
    this.#watchBack();
    this.#sight.observe(this.#dialog);
    this.#signal.addEventListener('abort', () => {
      this.#sight.disconnect();
      unlock();
      this.#dialog.close();
      const leavingMs = this.#leave();
      const focused = focusFirst(before);
      // The page may have disabled the pressed button until its callbacks, which come later.
      setTimeout(() => deepActiveElement() === focused && focusFirst(before), leavingMs);
    });
  }

  /** The height of the frame's content, in CSS pixels. */
  set height(px: number | undefined) {
    if (px) this.#set('content', `${px}px`);
  }

  /** The popup's style, with the custom properties of page and element. */
  get computedStyle(): CSSStyleDeclaration {
    return getComputedStyle(this.#dialog);
  }

  /**
   * Puts the frame under the skeleton, in place of the previous frame: as a child of the popup, or
   * of the host around it, since Chromium fills in saved cards only in frames that it finds outside
   * shadow roots. Returns false if the browser cannot move a frame that has loaded elsewhere without
   * reloading it.
   */
  hold(frame: HTMLIFrameElement): boolean {
    const { host = this } = this.getRootNode() as ShadowRoot;
    const holder = host as HTMLElement & { moveBefore?: Node['insertBefore'] };
    const move = frame.isConnected ? 'moveBefore' : 'insertBefore';
    if (!holder[move]) return false;
    if (this.frame !== frame) remove(this.frame);
    frame.slot = TAG;
    frame.hidden = true;
    holder[move](frame, null);
    this.#sight.observe(frame);
    this.frame = frame;
    this.performUpdate();
    return true;
  }

  showSkeleton(): void {
    this.isReady = false;
    this.notice = undefined;
    this.status = undefined;
  }

  showFrame(): void {
    this.isReady = true;
    this.notice = undefined;
  }

  focusFrame(): void {
    this.frame?.focus();
  }

  showNotice(notice: keyof Messages): void {
    this.isReady = false;
    this.notice = notice;
  }

  protected override update(changed: PropertyValues): void {
    super.update(changed);
    const { words, preview, isReady, frame } = this;
    const label = preview?.label;
    // A browser styles everything in the dialog again, also for the same value.
    if (changed.has('words')) this.#dialog.lang = words.lang;
    if (changed.has('language')) this.#dialog.dir = directionOf(this.language);
    this.#dialog.setAttribute('aria-label', label ? `${words.dialog}: ${label}` : words.dialog);
    this.#close.setAttribute('aria-label', words.close);
    // A page's first number format takes as long as the sheet, and a loaded frame needs none.
    if (preview && (changed.has('preview') || changed.get('isReady')))
      after(AMOUNT_AFTER_MS, this.#signal, () => {
        if (!this.isReady) this.#skeleton.drawAmount(preview);
      });
    if (frame) {
      frame.title = words.frame;
      frame.inert = !isReady;
    }
    this.#skeleton.node.hidden = !!isReady;
    const isOther = changed.has('isReady') || changed.has('frame') || changed.has('notice');
    const start = isReady ? frame : this.#dialog;
    const active = deepActiveElement();
    // A browser lays the page out before each call.
    if (isOther && active !== this.#close && active !== start) start?.focus();
    this.#skeleton.draw(this);
    this.#set('stopped', this.notice ? `${this.#skeleton.node.offsetHeight}px` : '');
  }

  /** Slides the popup away over the page. Returns the time until it is gone. */
  #leave(): number {
    if (!this.isConnected) return 0;
    const leavingMs = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : LEAVING_MS;
    shieldPage(leavingMs);
    this.#dialog.inert = true;
    // A popover stays above the page, as the modal dialog was.
    this.#dialog.popover = 'manual';
    this.#dialog.showPopover?.();
    if (leavingMs) setTimeout(() => remove(this), leavingMs);
    else remove(this);
    return leavingMs;
  }

  #stayInSight(): void {
    // Some pages hide everything except their own dialog.
    for (const hidden of ['inert', 'aria-hidden']) this.removeAttribute(hidden);
    const isHidden = !this.#dialog.getClientRects().length;
    // The moved frame loads again and resumes, also if a framework has replaced the host's children.
    if (this.isConnected && (isHidden || this.frame?.isConnected === false))
      after(0, this.#signal, () => {
        const { frame } = this;
        if (isHidden) append(document.body, this);
        this.#fitScreen();
        remove(frame);
        if (frame) this.hold(frame);
      });
  }

  #listen(): void {
    // Captured at the window: a page's own traps on the document would stop a press or a Tab first.
    const options = { __proto__: null, capture: true, signal: this.#signal };
    for (const type of PRIVATE_EVENTS)
      window.addEventListener(type, (event) => this.#keep(event), options);
    this.#dialog.addEventListener('cancel', (event) => this.#handleCancel(event), options);
    this.#dialog.addEventListener('close', () => this.#handleClose(), options);
    for (const type of ['resize', 'scroll'])
      window.visualViewport!.addEventListener(type, () => this.#fitScreen(), options);
  }

  /**
   * Hides an event in the popup from the page, and handles it. The browser's default action
   * remains.
   */
  #keep(event: Event): void {
    const path = event.composedPath();
    if (!path.includes(this.#dialog)) return;
    event.stopImmediatePropagation();
    if ((event as KeyboardEvent).key === 'Escape' && event.type === 'keydown')
      this.#handleCancel(event);
    // The second click of a double click belongs to what the first one left.
    if (event.type !== 'click' || (event as MouseEvent).detail > 1) return;
    if (path[0] === this.#close || path[0] === this.#skeleton.back) this.#listener!.leave('close');
    else if (path[0] === this.#skeleton.retry) this.#listener!.retry();
    else if (
      (path[0] === this.#backdrop || path[0] === this.#card) &&
      event.timeStamp - this.#shownAt > DOUBLE_CLICK_MS
    )
      this.#listener!.leave('backdrop');
  }

  #handleCancel(event: Event): void {
    event.preventDefault();
    if (!(event as KeyboardEvent).repeat) this.#listener!.leave('escape');
  }

  /**
   * Opens the dialog again: browsers close it at the second Escape even if `cancel` was prevented.
   */
  #handleClose(): void {
    if (!this.isConnected) return;
    this.#dialog.showModal();
    this.#listener!.leave('escape');
  }

  /** Android's back gesture goes to the newest close watcher; each works once. */
  #watchBack(): void {
    const { CloseWatcher } = globalThis as {
      CloseWatcher?: new (options: { signal: AbortSignal }) => EventTarget;
    };
    if (!CloseWatcher) return;
    new CloseWatcher({ signal: this.#signal }).addEventListener('close', () => {
      if (this.#signal.aborted) return;
      this.#watchBack();
      this.#listener!.leave('escape');
    });
  }

  /**
   * Keeps the sheet visible: a page zoomed by CSS would make it larger than the screen (T21), and an
   * on-screen keyboard covers or pans the page without resizing it.
   */
  #fitScreen(within: Element = this): void {
    this.#dialog.style.zoom = `${1 / within.currentCSSZoom}`; // NaN in older browsers: ignored
    const { scale, height, offsetTop } = window.visualViewport!;
    const unlessPinched = (length: number) => (scale === 1 ? `${length}px` : '');
    this.#set('keyboard', unlessPinched(Math.max(0, innerHeight - height - offsetTop)));
    this.#set('sight', unlessPinched(height));
  }

  #set(name: string, value: string): void {
    this.#dialog.style.setProperty(`--_${name}`, value);
  }
}

/** Removes the frames that a snapshot of the page has brought back with an element (T125). */
export function removeFrames(host: Element): void {
  for (const frame of host.querySelectorAll(`:scope > iframe[slot=${TAG}]`)) remove(frame);
}
