import { directionOf, type Language } from '@service-pay/contract/languages';

import { buildNode } from './build-node.ts';
import { type Messages, messages } from './messages.ts';
import {
  dialogStyles,
  hostStyles,
  scrollbarRoomStyles,
  scrollLockStyles,
} from './payment-dialog.styles.ts';
import { buildSheet } from './style-sheet.ts';
import { after } from './timers.ts';

/** The second click of a double click on the button that opened the dialog comes within this. */
const DOUBLE_CLICK_MS = 500;

/** Label, amount, channels, four fields, Pay: the frame's own first screen. */
const SKELETON_BARS = 8;

/**
 * What happens in the dialog is no business of the page's: shortcuts, focus traps, cards that are
 * links, menus that close on a press elsewhere (T21).
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

/** What a dialog tells the popup. */
export interface DialogListener {
  /** Close, Escape, back or a click beside the card. */
  leave(): void;
  retry(): void;
  /** The page's own code has taken the dialog out of the document. */
  removed(): void;
}

/**
 * The window over the page: a modal `<dialog>` that holds the frame, a skeleton while there is none
 * and a notice where there can be none. It never closes by itself, whatever the browser does on
 * Escape or back (T20). Aborting `signal` gives everything back: nodes, listeners, scroll lock and
 * the focus.
 */
export class PaymentDialog {
  readonly #listener: DialogListener;
  readonly #signal: AbortSignal;
  readonly #dialog: HTMLDialogElement;
  readonly #card: HTMLElement;
  readonly #close: HTMLElement;
  readonly #backdrop = buildNode('div', { class: 'backdrop', part: 'backdrop' });
  readonly #skeleton = buildNode('div', { class: 'over', role: 'status' });
  #bodyHost: HTMLElement | undefined;
  #frame: HTMLIFrameElement | undefined;
  #notice: HTMLElement | undefined;
  #words: Messages = messages;
  #label: string | undefined;
  #told: keyof Messages = 'retry';
  #shownAt = 0;

  constructor(listener: DialogListener, signal: AbortSignal) {
    this.#listener = listener;
    this.#signal = signal;
    this.#close = buildNode('button', { type: 'button', class: 'close', part: 'close' });
    for (let bar = 0; bar < SKELETON_BARS; bar++) this.#skeleton.append(buildNode('i', {}));
    this.#skeleton.append(buildNode('p', {}));
    this.#card = buildNode('div', { class: 'card', part: 'dialog' }, this.#skeleton, this.#close);
    this.#dialog = buildNode(
      'dialog',
      { closedby: 'none', tabindex: '-1' },
      this.#backdrop,
      this.#card,
    );
    this.#write();

    // At the window and on the way down: a page's own traps listen on the document, and would stop
    // a press or a Tab before it gets here.
    const options = { __proto__: null, capture: true, signal };
    for (const type of PRIVATE_EVENTS)
      window.addEventListener(type, (event) => this.#keep(event), options);
    this.#dialog.addEventListener('cancel', (event) => this.#handleCancel(event), options);
    this.#dialog.addEventListener('close', () => this.#handleClose(), options);
  }

  /**
   * Shows the dialog: in the shadow root of `host` where and while that is rendered, so that its
   * parts can be styled, else at the end of the body. It is painted in the same frame of animation.
   * The focus goes back to what was pressed, else to where it is now.
   */
  show(host: Element | undefined, pressed?: Element | null): void {
    this.#shownAt = performance.now();
    const before = withAncestors(pressed ?? deepActiveElement());
    // What is measured comes before what is changed: the page is laid out once.
    const isRendered = host?.shadowRoot && host.getClientRects().length;
    const unlock = lockScroll();
    this.#stand(isRendered ? host!.shadowRoot! : this.#buildBodyRoot());

    this.#watchBack();
    this.#keepAboveKeyboard();
    const sight = new ResizeObserver(() => {
      // Pages that hide all but their own dialog hide what comes later, too.
      for (const hidden of ['inert', 'aria-hidden']) this.#bodyHost?.removeAttribute(hidden);
      if (!this.#dialog.isConnected) this.#listener.removed();
      else if (!this.#dialog.getClientRects().length)
        after(0, this.#signal, () => this.#stand(this.#buildBodyRoot()));
    });
    sight.observe(this.#dialog);
    this.#signal.addEventListener('abort', () => {
      sight.disconnect();
      unlock();
      this.#dialog.close();
      this.#dialog.remove();
      this.#bodyHost?.remove();
      const focused = focusFirst(before);
      // A button that the page disabled at the press is enabled again by the callbacks, which come
      // after this.
      if (focused !== before[0])
        after(0, this.#signal, () => deepActiveElement() === focused && focusFirst(before));
    });
  }

  /** A place at the end of the body that no style of the page hides. */
  #buildBodyRoot(): ShadowRoot {
    this.#bodyHost?.remove();
    this.#bodyHost = document.body.appendChild(buildNode('div', {}));
    const root = this.#bodyHost.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [buildSheet(hostStyles + dialogStyles)];
    return root;
  }

  /**
   * Opens the dialog in a place; from another, where it was hidden with its element, the frame
   * loads anew and resumes.
   */
  #stand(root: ShadowRoot): void {
    this.#dialog.removeAttribute('open');
    root.append(this.#dialog);
    this.#dialog.showModal();
    // Not the first button: a key still held down from the page's own button would press it.
    this.#dialog.focus();
  }

  /** Names the dialog after what is paid for. */
  label(text: string | undefined): void {
    this.#label = text;
    this.#write();
  }

  /** Turns the dialog the way a language is written, at once: the frame does the same. */
  turn(language: Language): void {
    this.#dialog.lang = language;
    this.#dialog.dir = directionOf(language);
  }

  /** Says everything in these words, also what stands there already. */
  speak(words: Messages): void {
    this.#words = words;
    this.#dialog.lang = words.lang;
    this.#write();
  }

  #write(): void {
    const { dialog, frame, close, retry, loading } = this.#words;
    this.#dialog.setAttribute('aria-label', this.#label ? `${dialog}: ${this.#label}` : dialog);
    this.#close.setAttribute('aria-label', close);
    this.#skeleton.lastChild!.textContent = loading;
    if (this.#frame) this.#frame.title = frame;
    const [alert, button] = this.#notice?.children ?? [];
    if (alert) alert.textContent = this.#words[this.#told];
    if (button) button.textContent = retry;
  }

  /** The style the dialog stands in, with the custom properties of page and element. */
  get style(): CSSStyleDeclaration {
    return getComputedStyle(this.#dialog);
  }

  /**
   * Takes the frame in, under the skeleton. One that has loaded elsewhere stays loaded where the
   * browser can move it so; where it cannot, nothing happens and the answer is false.
   */
  hold(frame: HTMLIFrameElement): boolean {
    const card = this.#card as HTMLElement & { moveBefore?(node: Node, child: Node): void };
    if (!frame.isConnected) this.#skeleton.before(frame);
    else if (card.moveBefore) card.moveBefore(frame, this.#skeleton);
    else return false;
    frame.inert = !!this.#notice || !this.#skeleton.hidden;
    this.#frame = frame;
    this.#write();
    return true;
  }

  /** Shows the skeleton: something is on its way. */
  showSkeleton(): void {
    this.#cover(this.#skeleton);
  }

  /** Shows the frame and gives it the focus, unless the customer has put that on Close. */
  showFrame(): void {
    this.#cover(undefined);
  }

  /** Puts the focus into the frame, where it was there before. */
  focusFrame(): void {
    this.#frame?.focus();
  }

  /** Says why there is no frame, read out at once, with a way to try again. */
  showNotice(told: keyof Messages): void {
    this.#told = told;
    this.#cover(
      buildNode(
        'div',
        { class: 'over notice' },
        buildNode('p', { role: 'alert' }),
        buildNode('button', { type: 'button' }),
      ),
    );
    this.#write();
  }

  #cover(cover: HTMLElement | undefined): void {
    const focused = this.#root.activeElement;
    this.#notice?.remove();
    this.#notice = cover === this.#skeleton ? undefined : cover;
    this.#skeleton.hidden = cover !== this.#skeleton;
    if (this.#notice) this.#skeleton.before(this.#notice);
    if (this.#frame) this.#frame.inert = !!cover;
    if (focused && focused !== this.#close) (cover ? this.#dialog : this.#frame)?.focus();
  }

  get #root(): ShadowRoot {
    return this.#dialog.getRootNode() as ShadowRoot;
  }

  /**
   * Keeps an event of the dialog's from the page, and does what it asks for. What the browser
   * itself does with it is left alone.
   */
  #keep(event: Event): void {
    const path = event.composedPath();
    if (!path.includes(this.#dialog)) return;
    event.stopImmediatePropagation();
    if ((event as KeyboardEvent).key === 'Escape' && event.type === 'keydown')
      this.#handleCancel(event);
    if (event.type !== 'click') return;
    const isBeside =
      path[0] === this.#backdrop && event.timeStamp - this.#shownAt > DOUBLE_CLICK_MS;
    if (path[0] === this.#close || isBeside) this.#listener.leave();
    else if (path[0] === this.#notice?.lastChild) this.#listener.retry();
  }

  #handleCancel(event: Event): void {
    event.preventDefault();
    this.#listener.leave();
  }

  /** A browser that closes at the second Escape although `cancel` was prevented: open again. */
  #handleClose(): void {
    if (!this.#dialog.isConnected) return;
    this.#dialog.showModal();
    this.#listener.leave();
  }

  /** Android's back goes to the newest close watcher; each is good for once. */
  #watchBack(): void {
    const { CloseWatcher } = globalThis as {
      CloseWatcher?: new (options: { signal: AbortSignal }) => EventTarget;
    };
    if (!CloseWatcher) return;
    new CloseWatcher({ signal: this.#signal }).addEventListener('close', () => {
      if (this.#signal.aborted) return;
      this.#watchBack();
      this.#listener.leave();
    });
  }

  /**
   * A keyboard on the screen covers the page's lower part, or pans it, without resizing it: the
   * sheet keeps to what is in sight.
   */
  #keepAboveKeyboard(): void {
    const viewport = window.visualViewport;
    const move = () => {
      const { scale, height, offsetTop } = viewport!;
      const isZoomed = scale !== 1;
      this.#dialog.style.setProperty(
        '--service-pay-keyboard',
        isZoomed ? '' : `${Math.max(0, innerHeight - height - offsetTop)}px`,
      );
      this.#dialog.style.setProperty('--service-pay-sight', isZoomed ? '' : `${height}px`);
    };
    for (const type of ['resize', 'scroll'])
      viewport?.addEventListener(type, move, { signal: this.#signal });
  }
}

function lockScroll(): () => void {
  const hasScrollbar = innerWidth > document.documentElement.clientWidth;
  const sheet = buildSheet(
    hasScrollbar ? scrollLockStyles + scrollbarRoomStyles : scrollLockStyles,
  );
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
  };
}

function deepActiveElement(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

/** An element and all it stands in, from the inside out, through shadow roots. */
function withAncestors(element: Element | null | undefined): HTMLElement[] {
  if (!element) return [];
  return [
    element as HTMLElement,
    ...withAncestors(element.parentElement ?? (element.getRootNode() as ShadowRoot).host),
  ];
}

/** Gives the focus to the first of these that takes it, and says who has it then. */
function focusFirst(elements: readonly HTMLElement[]): Element | null {
  for (const element of elements) {
    element.focus({ preventScroll: true });
    if (deepActiveElement() === element) break;
  }
  return deepActiveElement();
}
