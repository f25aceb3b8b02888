import { LANGUAGES, type Language } from './languages.ts';
import type { PaymentRequest } from './payment-request-schema.ts';

/**
 * The protocol version of this build. A frame greets with every version it supports, so that a
 * script pinned years ago still works.
 */
export const PROTOCOL_VERSION = 1;

/**
 * The interval of the page's pings to the frame, and how many may get no response before the frame
 * counts as dead.
 */
export const HEARTBEAT = { everyMs: 5_000, missedAtMost: 2 } as const;

/** How long the page waits for the frame's reply to `leave` before it closes with what is known. */
export const LEAVE_ANSWER_MS = 1_000;

/**
 * The state of the money as the page knows it: none has moved, not known yet, or paid according to
 * the service.
 */
export const MONEY_STATES = ['none', 'unknown', 'paid'] as const;
export type MoneyState = (typeof MONEY_STATES)[number];

/** The ways a customer tries to leave. Escape includes a phone's back gesture. */
export const LEAVE_WAYS = ['close', 'escape', 'backdrop'] as const;
export type LeaveWay = (typeof LEAVE_WAYS)[number];

export interface FrameTheme {
  accent?: string;
  radius?: string;
  font?: string;
  /** `foot` where the sheet is at the foot of the screen and grows upwards. */
  place?: string;
}

type Guard<T> = (value: unknown) => value is T;
type Shape = Record<string, Guard<unknown>>;
type Guarded<G> = G extends Guard<infer T> ? T : never;
type Shaped<S extends Shape> = {
  [M in keyof S as undefined extends Guarded<S[M]> ? never : M]: Guarded<S[M]>;
} & {
  [M in keyof S as undefined extends Guarded<S[M]> ? M : never]?: Guarded<S[M]>;
};
type MessageOf<Table extends Record<string, Shape>> = {
  [T in keyof Table]: { type: T } & Shaped<Table[T]>;
}[keyof Table];

const isObject = ((value) => typeof value === 'object' && value !== null) as Guard<object>;
const isMoneyState = ((value) => MONEY_STATES.includes(value as MoneyState)) as Guard<MoneyState>;
const isLanguage = ((value) => LANGUAGES.includes(value as Language)) as Guard<Language>;
const isVersionList = ((value) =>
  Array.isArray(value) &&
  value.length < 100 &&
  value.every((version) => typeof version === 'number')) as Guard<number[]>;

const isNumber = ((value) => typeof value === 'number') as Guard<number>;
const isNumberOrAbsent = ((value) => value === undefined || isNumber(value)) as Guard<
  number | undefined
>;
const isBooleanOrAbsent = ((value) => value === undefined || typeof value === 'boolean') as Guard<
  boolean | undefined
>;
const isTrueOrAbsent = ((value) => value === true || value === undefined) as Guard<
  true | undefined
>;
const isLeaveWayOrAbsent = ((value) =>
  value === undefined || LEAVE_WAYS.includes(value as LeaveWay)) as Guard<LeaveWay | undefined>;
const isHeight = ((value) =>
  typeof value === 'number' && value >= 0 && value < 1e5) as Guard<number>;

/**
 * The one message a frame sends its parent window, to exactly the origin it was given: it is up and
 * speaks these versions.
 */
export const GREETING = { 'service-pay:ready': { versions: isVersionList } } as const;

/**
 * The one message a page sends the frame's window, to exactly the service's origin, with one end of
 * a `MessageChannel`: the request to pay. The frame parses `request` by `paymentRequestSchema` and
 * `theme` value by value.
 */
export const OPENING = {
  'service-pay:open': {
    request: isObject as Guard<PaymentRequest>,
    theme: isObject as Guard<FrameTheme>,
    /** True if the page replies to each `money` with `noted`. */
    notes: isTrueOrAbsent,
    /**
     * An earlier popup of this tab, or an earlier frame of this one, left the payment with money
     * that may move (D13).
     */
    unconfirmed: isBooleanOrAbsent,
  },
} as const;

export const FRAME_MESSAGES = {
  /** The customer can use the frame: the page removes its skeleton. */
  shown: {},
  /**
   * The state of the money, each time it changes, and before anything is sent that may move money.
   * `turn` numbers these messages.
   */
  money: { state: isMoneyState, turn: isNumberOrAbsent },
  /** The popup may close: no payment is open, or the customer confirmed. */
  close: {},
  /** The customer is being asked whether to leave: the popup stays. */
  stay: {},
  /**
   * The service does not know the public key of the request: the page reports it to its developer.
   */
  'unknown-key': {},
  /** The customer has chosen another language: the page switches too. */
  language: { language: isLanguage },
  /**
   * The height of the frame's content in CSS pixels, before `shown` and each time it changes. The
   * sheet takes that height if the screen is tall enough.
   */
  height: { px: isHeight },
  pong: {},
} as const;

export const PAGE_MESSAGES = {
  /**
   * The customer wants to leave, `by` one of the ways; a page older than `by` does not say which.
   * The frame responds with `close` or `stay` within `LEAVE_ANSWER_MS`. While the frame is asking the customer
   * whether to leave, `close` leaves, `escape` takes the question back and `backdrop` does nothing.
   * `at` is the time in epoch milliseconds: a press made before the frame showed its response to the
   * previous one changes nothing.
   */
  leave: { by: isLeaveWayOrAbsent, at: isNumberOrAbsent },
  ping: {},
  /** The merchant opened the popup again: put the focus back where it was (D11). */
  focus: {},
  /**
   * The page has recorded the `money` message with this `turn`, and the outcome follows it however
   * the popup closes. The frame waits for this before it sends anything that may move money.
   */
  noted: { turn: isNumber },
} as const;

export type Greeting = MessageOf<typeof GREETING>;
export type Opening = MessageOf<typeof OPENING>;
export type FrameMessage = MessageOf<typeof FRAME_MESSAGES>;
export type PageMessage = MessageOf<typeof PAGE_MESSAGES>;

/** The only sender whose window messages are read. Compared with `===`. */
export interface ExpectedSender {
  origin: string;
  source: MessageEventSource | null;
}

/**
 * Reads a message between windows, only if origin and source are exactly the expected ones. Returns
 * undefined for anything else and throws nothing.
 */
export function readWindowMessage<const Table extends Record<string, Shape>>(
  event: Pick<MessageEvent, 'data' | 'origin' | 'source'>,
  expected: ExpectedSender,
  table: Table,
): MessageOf<Table> | undefined {
  if (event.origin !== expected.origin || !expected.source || event.source !== expected.source)
    return undefined;
  return readMessage(event.data, table);
}

/**
 * Reads a port's message by a table of messages: a plain object with that table's members and no
 * other. Returns undefined for anything else and throws nothing.
 */
export function readMessage<const Table extends Record<string, Shape>>(
  data: unknown,
  table: Table,
): MessageOf<Table> | undefined {
  if (!isObject(data)) return undefined;
  const { type } = data as { type?: unknown };
  const shape = typeof type === 'string' && Object.hasOwn(table, type) ? table[type] : undefined;
  if (!shape) return undefined;
  const message: Record<string, unknown> = { type };
  for (const [name, guard] of Object.entries(shape)) {
    const value = Object.hasOwn(data, name) ? (data as Record<string, unknown>)[name] : undefined;
    if (!guard(value)) return undefined;
    if (value !== undefined) message[name] = value;
  }
  return message as MessageOf<Table>;
}
