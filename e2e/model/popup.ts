import {
  FRAME_MESSAGES,
  type FrameMessage,
  readMessage,
} from '@service-pay/contract/frame-messages';
import type { CheckoutService } from '@service-pay/sandbox/testing';
import type { Fact, Outcome, PaymentCourse } from '@service-pay/widget/headless';
import { Frame } from './frame.ts';
import type { Connection } from './network.ts';
import type { Parts } from './parts.ts';
import { Port } from './port.ts';
import { REQUEST } from './request.ts';
import type { World } from './world.ts';

const PATIENCE_MS = { first: 12_000, silent: 15_000 };

export const STORAGES = ['kept', 'blocked for the frame', 'blocked'] as const;
type Storage = (typeof STORAGES)[number];

/**
 * One tab of one browser: what it keeps over pages, whether it has a network, and the page it
 * shows.
 */
export class Tab implements Connection {
  readonly number: number;
  readonly world: World;
  readonly service: CheckoutService;
  readonly parts: Parts;
  isOffline = false;
  luck = 0;
  isHidden = false;
  /**
   * The total that the service's page names before there is a session: true, unless the merchant's
   * terms have changed since.
   */
  previewTotal: string = REQUEST.amount;
  token: string | undefined;
  /**
   * True if the page's memory or session storage says that the payment was left with money that may
   * move.
   */
  isUnconfirmed = false;
  readonly storage: Storage;
  popup: Popup | undefined;
  readonly popups: Popup[] = [];
  page = 0;

  constructor(
    number: number,
    world: World,
    service: CheckoutService,
    parts: Parts,
    storage: Storage,
  ) {
    this.number = number;
    this.world = world;
    this.service = service;
    this.parts = parts;
    this.storage = storage;
  }

  /**
   * Opens a popup, unless one is open. A payment this tab left unconfirmed is not known to have
   * moved nothing.
   */
  open(): void {
    if (this.popup) return;
    this.popup = new Popup(this);
    if (this.isUnconfirmed) this.popup.course.learn('unknown');
    this.popups.push(this.popup);
    this.popup.mount();
  }

  leavePage(): void {
    this.popup?.frame?.die();
    this.popup = undefined;
    this.page += 1;
    if (this.storage === 'blocked') this.isUnconfirmed = false;
  }
}

/**
 * A popup as its page runs it: the real course of events, and beside it as much of its link to the
 * frame as that needs.
 */
export class Popup {
  readonly tab: Tab;
  readonly page: number;
  readonly course: PaymentCourse;
  readonly outcomes: Outcome[] = [];
  readonly attempts: string[] = [];
  readonly prices = new Map<string, string | undefined>();
  priceSeen: string | undefined;
  frame: Frame | undefined;
  hasReport = false;
  onOutcome = (_outcome: Outcome) => {};
  #port: Port | undefined;

  constructor(tab: Tab) {
    this.tab = tab;
    this.page = tab.page;
    this.course = new tab.parts.Course({
      send: (message) => this.#port?.postMessage(message),
      after: (ms, act) => tab.world.after(ms, () => this.outcome ?? act()),
      stay: () => undefined,
      end: (outcome) => this.#end(outcome),
    });
  }

  get outcome(): Outcome | undefined {
    return this.outcomes[0];
  }

  get #isUnconfirmed(): boolean {
    return this.course.known.money !== 'none';
  }

  /** Loads a frame: the first one, after Try again, or because the current one reloads. */
  mount(): void {
    const { world } = this.tab;
    this.frame?.die();
    const frame = new Frame(this.tab, this);
    this.frame = frame;
    world.after(world.chance() > 950 ? 60_000 : 30, () => frame.start());
    world.after(
      PATIENCE_MS.first,
      () => frame === this.frame && !frame.isShown && this.#happens('lost'),
    );
  }

  retry(): void {
    if (this.course.known.frame !== 'lost' || this.outcome) return;
    this.course.learn('retry');
    this.mount();
  }

  /** The frame stops for good without a word: it has crashed, or shows another page. */
  loseFrame(): void {
    const { frame } = this;
    frame?.die();
    this.tab.world.after(PATIENCE_MS.silent, () => frame === this.frame && this.#happens('lost'));
  }

  newAttemptId(): string {
    const { number, popups } = this.tab;
    const id = `${number}0000000-0000-4000-8000-${String(popups.length * 1_000 + this.attempts.length).padStart(12, '0')}`;
    this.attempts.push(id);
    this.prices.set(id, this.priceSeen);
    return id;
  }

  connect(frame: Frame): void {
    if (this.outcome || frame !== this.frame) return;
    this.#port?.close();
    const port = new Port(this.tab.world);
    this.#port = port;
    port.onmessage = ({ data }) => {
      const message = port === this.#port && readMessage(data, FRAME_MESSAGES);
      if (message) this.#hear(message, port);
    };
    const opening = {
      type: 'service-pay:open',
      request: REQUEST,
      theme: {},
      notes: true,
      unconfirmed: this.#isUnconfirmed,
    } as const;
    frame.takeOpening(opening, new Port(this.tab.world, port));
    this.course.learn('ready');
  }

  #hear(message: FrameMessage, port: Port): void {
    if (message.type === 'money') this.hasReport = true;
    this.course.read(message);
    if (message.type === 'money') this.tab.isUnconfirmed = this.#isUnconfirmed;
    if (message.type === 'money' && message.turn)
      port.postMessage({ type: 'noted', turn: message.turn });
  }

  #happens(fact: Fact): void {
    if (!this.outcome && this.tab.popup === this) this.course.learn(fact);
  }

  #end(outcome: Outcome): void {
    this.outcomes.push(outcome);
    this.#port?.close();
    this.frame?.die();
    if (this.tab.popup === this) this.tab.popup = undefined;
    this.onOutcome(outcome);
  }
}
