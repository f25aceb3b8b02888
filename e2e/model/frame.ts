import type { Opening } from '@service-pay/contract/frame-messages';

import {
  type CheckoutFlow,
  greetPage,
  isAskedToStay,
  isSending,
  type NewAttempt,
  type PageLink,
  type Payable,
  payableOf,
  promptActions,
  type Reporter,
  screenOf,
  watchAttempt,
} from '@service-pay/widget/headless';
import { type Connection, travel } from './network.ts';
import type { Parts } from './parts.ts';
import type { Port } from './port.ts';
import { REQUEST } from './request.ts';

const PAGE_ORIGIN = 'https://shop.example';

const PREVIEW: Payable = {
  merchantName: 'Kabwata Market',
  label: null,
  amount: '10.00',
  fee: '0.00',
  total: '10.00',
  currency: 'ZMW',
  bearer: 'merchant',
  isTest: true,
  channels: ['card', 'mobile-money'],
  networks: [],
  now: '2026-11-20T10:00:00.000Z',
};

interface Tab extends Connection {
  readonly parts: Parts;
  readonly storage: string;
  readonly isHidden: boolean;
  readonly previewTotal: string;
  token: string | undefined;
}

interface Popup {
  priceSeen: string | undefined;
  connect(frame: Frame): void;
  newAttemptId(): string;
}

/**
 * One document in the popup's frame: the real link to the page, flow and client, and a customer's
 * hands on it.
 */
export class Frame {
  flow: CheckoutFlow | undefined;
  isAlive = true;
  readonly #tab: Tab;
  readonly #popup: Popup;
  #link: PageLink | undefined;
  #reporter: Reporter | undefined;
  #receive: ((event: MessageEvent) => void) | undefined;
  readonly #page = {
    postMessage: () => this.#tab.world.after(1, () => this.isAlive && this.#popup.connect(this)),
  };
  #port: Port | undefined;

  constructor(tab: Tab, popup: Popup) {
    this.#tab = tab;
    this.#popup = popup;
  }

  get isShown(): boolean {
    return this.#reporter?.isShown ?? false;
  }

  start(): void {
    if (!this.isAlive) return;
    const window = {
      parent: this.#page,
      addEventListener: (_type: string, receive: (event: MessageEvent) => void) => {
        this.#receive = receive;
      },
      removeEventListener: () => undefined,
    };
    this.#link = greetPage({
      window: window as unknown as Window,
      origin: PAGE_ORIGIN,
      publicKey: REQUEST.key,
      onOpen: ({ isUnconfirmed }) =>
        this.flow ? this.#reporter?.repeat() : this.#begin(isUnconfirmed),
      onMessage: ({ type }) => type === 'leave' && this.#say(this.flow?.leave() ? 'close' : 'stay'),
    });
  }

  takeOpening(opening: Opening, port: Port): void {
    this.#port = port;
    this.#tab.world.after(1, () => {
      const event = { origin: PAGE_ORIGIN, source: this.#page, data: opening, ports: [port] };
      if (this.isAlive) this.#receive?.(event as unknown as MessageEvent);
    });
  }

  /** Cancels everything that was due in the frame. Calls in flight go on. */
  die(): void {
    this.isAlive = false;
    this.flow?.stop();
    this.#port?.close();
  }

  pay(attempt: NewAttempt): boolean {
    if (
      !this.isAlive ||
      !this.flow ||
      screenOf(this.flow.known) !== 'form' ||
      isSending(this.flow.known)
    )
      return false;
    this.#popup.priceSeen = payableOf(this.flow.known)?.total;
    void this.flow.submit(attempt);
    return true;
  }

  enterCode(code: string): void {
    if (this.isAlive && this.flow && screenOf(this.flow.known) === 'code')
      void this.flow.sendCode(code);
  }

  withdraw(isRepeated: boolean): void {
    if (!this.isAlive || !this.flow) return;
    if (!isRepeated && screenOf(this.flow.known) === 'code') this.flow.useAnotherWay();
    const { change, repeat, busy } = promptActions(this.flow.known);
    if (!busy && (isRepeated ? repeat && this.flow.isRepeatable : change))
      void this.flow.withdraw(isRepeated);
  }

  getMoreTime(): void {
    if (
      this.isAlive &&
      this.flow &&
      screenOf(this.flow.known) === 'form' &&
      this.flow.known.service.session
    )
      void this.flow.extend();
  }

  answer(answer: 'keep waiting' | 'close anyway'): void {
    if (!this.isAlive || !this.flow || !isAskedToStay(this.flow.known)) return;
    if (answer === 'keep waiting') this.flow.keepWaiting();
    else this.#say('close');
  }

  comeBack(): void {
    if (this.isAlive) this.flow?.lookNow();
  }

  #begin(isUnconfirmed: boolean): void {
    const { parts, world } = this.#tab;
    const clock = {
      now: () => world.now,
      after: (ms: number, act: () => void) => world.after(ms, () => this.isAlive && act()),
    };
    const checkout = new parts.Client({
      clock,
      request: REQUEST,
      loadScreens: async () => {
        if (world.chance() > 900) throw new TypeError('the file did not come');
      },
      tokens: {
        read: () => this.#tab.token,
        write: (token) => {
          if (this.isAlive && this.#tab.storage === 'kept') this.#tab.token = token;
        },
      },
      fetch: (path, init) => travel(this.#tab, () => this.isAlive, path, init),
    });
    const link = this.#link!;
    const reporter = new parts.Reporter((message) =>
      this.isAlive ? link.send(message) : undefined,
    );
    this.#reporter = reporter;
    const flow = new parts.Flow({
      checkout,
      clock,
      preview: { ...PREVIEW, total: this.#tab.previewTotal },
      isUnconfirmed,
      newId: () => this.#popup.newAttemptId(),
      watch: watchAttempt,
      isHidden: () => this.#tab.isHidden,
      isOnline: () => !this.#tab.isOffline,
      onChange: (known) => {
        const isTaken = reporter.learn(known);
        if (screenOf(known) !== 'loading') reporter.show();
        return isTaken;
      },
    });
    this.flow = flow;
    void flow.open();
  }

  #say(type: 'close' | 'stay'): void {
    void this.#link?.send({ type });
  }
}
