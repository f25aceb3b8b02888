import type { Draft, FlowState } from '../flow-state.ts';
import type { News } from '../follow.ts';
import type { KeptOrder } from '../kept-order.ts';
import type { PageNews } from '../page.ts';
import type { PopupOptions, ShopPayment } from '../shop-api.ts';

/** A call of the shop's routes, or of the page's function that places the order. */
export type Call =
  | { readonly to: 'open' }
  | { readonly to: 'place'; readonly key: string }
  | { readonly to: 'retry'; readonly reference: string }
  /** `isRepeated`: after a moment, because the shop may not find yet what it has just stored. */
  | { readonly to: 'verify'; readonly reference: string; readonly isRepeated?: true };

export type WhileOpen = 'unfinished' | 'pending';

/** A press of Pay, until its popup can open. */
export interface Paying {
  readonly is: 'pay';
  readonly before: Draft;
  readonly cart: string;
  readonly wantsSecond: boolean;
  /** The key of a new order. */
  readonly newKey: string;
  /** The popup of `<service-pay>` is open already. */
  readonly isElement: boolean;
  /** The payment that may come first. `isNamed`: `open` returned it, and not this browser. */
  readonly first?: string;
  readonly isNamed?: true;
  /** What verify said of the first payment, which failed: its order may get another. */
  readonly failed?: ShopPayment;
  /** The shop makes no more payments for the kept order. */
  readonly isClosed?: true;
  readonly order?: KeptOrder & { key: string };
  readonly isPlacedTwice?: true;
  readonly options?: PopupOptions;
  /** The customer closed the element's popup before its order was placed. */
  readonly isLeft?: true;
}

/** Opens the payment on screen again, or another one of its order. */
export interface Reopening {
  readonly is: 'resume' | 'pay-again';
  readonly before: Draft;
  readonly reference: string;
}

/** Finds what this browser left unfinished. `failed`: what verify said of it. */
export interface Looking {
  readonly is: 'look';
  readonly first: string | undefined;
  readonly failed?: ShopPayment;
}

export interface Following {
  readonly is: 'follow';
  readonly reference: string;
  readonly whileOpen: WhileOpen;
  /** The shop has just said how it is. */
  readonly isKnown: boolean;
}

/** A popup that is open, or about to open. */
export interface Popup {
  readonly is: 'popup';
  readonly before: Draft;
  readonly options: PopupOptions;
  readonly isElement: boolean;
}

/** The work that is under way: one thing at a time. */
export type Task =
  | Looking
  | { readonly is: 'look-later' }
  | Paying
  | Reopening
  | Popup
  | Following
  /** Verifies the payment once, after a popup was closed. */
  | { readonly is: 'check'; readonly reference: string };

/** Everything that decides what comes next, without a page, a shop or a clock. */
export interface Course {
  /** Counts what was begun: a response to an older request is dropped. */
  readonly turn: number;
  readonly shown: Draft;
  /** The order that this browser keeps: read before each event, and written after it. */
  readonly kept: KeptOrder | undefined;
  readonly cart: string;
  readonly wantsSecond: boolean;
  readonly isStopped: boolean;
  readonly task: Task | undefined;
  /** The task's next call. */
  readonly call: Call | undefined;
}

export const NOTHING_BEGUN: Course = {
  turn: 0,
  shown: { screen: 'shop' },
  kept: undefined,
  cart: '',
  wantsSecond: false,
  isStopped: false,
  task: undefined,
  call: undefined,
};

/** The page around a course at the time of an event. */
export interface Seen {
  readonly kept: KeptOrder | undefined;
  readonly isVisible: boolean;
  /** The page is in a frame of another window. */
  readonly isFramed: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A response of the shop: to verify, or to any other call. */
export type ShopResponse = { readonly on: 'response'; readonly turn: number } & (
  | { readonly payment: ShopPayment }
  | { readonly options: PopupOptions | null; readonly payment?: undefined }
);

/** A call that failed: `status` is the HTTP status, or 0 without a response. */
export interface Lost {
  readonly on: 'lost';
  readonly turn: number;
  readonly status: number;
  readonly cause: unknown;
  readonly isOffline: boolean;
}

export type Press =
  | { readonly on: 'press'; readonly what: 'resume' | 'pay-again' | 'pay-another' }
  | {
      readonly on: 'press';
      readonly what: 'pay';
      readonly cart: string;
      readonly newKey: string;
      readonly isElement: boolean;
    };

export type CourseEvent =
  | { readonly on: 'start'; readonly cart: string }
  | Press
  | { readonly on: 'unusable-cart'; readonly cause: unknown }
  | { readonly on: 'show'; readonly reference: string }
  | { readonly on: 'stop' }
  /** The lock is held, or was waited for long enough. */
  | { readonly on: 'turn'; readonly turn: number }
  | ShopResponse
  | Lost
  | { readonly on: 'not-opened'; readonly turn: number; readonly cause: unknown }
  /** The popup closed, and something was sent. */
  | { readonly on: 'sent'; readonly reference: string }
  /** The popup closed, and nothing is under way. Without a reference, its order is not placed yet. */
  | { readonly on: 'closed'; readonly reference?: string }
  | ({ readonly on: 'news'; readonly turn: number } & News)
  | { readonly on: 'page'; readonly news: PageNews }
  | { readonly on: 'look-again'; readonly turn: number };

/** Returns whether a task waits for those of other tabs. */
export function isLocked(task: Task | undefined): boolean {
  return task?.is === 'pay' || task?.is === 'pay-again';
}

export function begin(course: Course, shown: Draft, task?: Task, call?: Call): Course {
  return { ...course, turn: course.turn + 1, shown, task, call };
}

export function request(course: Course, call: Call, task = course.task): Course {
  return { ...course, task, call };
}

export function verify(reference: string): Call {
  return { to: 'verify', reference };
}

export function keep(course: Course, more: KeptOrder): Course {
  return { ...course, kept: { ...course.kept, ...more } };
}

export function forget(course: Course, reference: string): Course {
  return course.kept?.reference === reference ? { ...course, kept: undefined } : course;
}

export function troubleOf(status: number): FlowState['trouble'] {
  if (status === 503) return 'service-unreachable';
  return status >= 400 && status < 500 ? 'shop-rejects' : 'shop-unreachable';
}
