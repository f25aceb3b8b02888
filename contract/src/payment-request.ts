import { toDecimal } from './money.ts';
import type { Channel, PaymentRequest } from './payment-request-schema.ts';
import { CHANNELS, type MemberRule, REQUEST_RULES, TEXT } from './request-rules.ts';

export { CHANNELS, REQUEST_RULES } from './request-rules.ts';

const SHOWN_LENGTH = 120;

/** A text as it is shown and kept: at most 120 characters, none of them cut in half (D27). */
export function cutToShown(text: string): string {
  return text.length > SHOWN_LENGTH
    ? Array.from(text.slice(0, 2 * SHOWN_LENGTH))
        .slice(0, SHOWN_LENGTH)
        .join('')
    : text;
}

const STATE: MemberRule = {
  pattern: /^[A-Za-z]{2}$/,
  expected: 'two letters where the country is US or CA',
};

const CALLBACKS = ['onSuccess', 'onClose', 'onConfirmationPending'] as const;

/** Callbacks for the outcome: exactly one of them runs, exactly once (specification 3, D1). */
export interface Callbacks {
  onSuccess?: (response: { reference: string }) => unknown;
  onClose?: () => unknown;
  onConfirmationPending?: () => unknown;
}

/** One broken rule: the field's path, and the value expected there. Never holds the value. */
export interface Problem {
  path: string;
  message: string;
}

/** A page's options, read once. `request` may be used only if `problems` is empty. */
export interface ReadOptions {
  request: PaymentRequest;
  callbacks: Callbacks;
  problems: Problem[];
  /** Fields without a rule; ignored (D5). */
  unknown: string[];
}

/**
 * Reads a page's options for `getPaid` into a plain payment request, naming every broken rule
 * (specification 2.1, D4–D10, D27). Takes proxies, frozen objects and class instances; reads each
 * member once, by name, and never one that only `Object.prototype` has. Throws nothing.
 */
export function readPaymentOptions(options: unknown): ReadOptions {
  const problems: Problem[] = [];
  const unknown: string[] = [];
  const request = bare();
  const callbacks = bare();
  const must = (path: string, expected: string) => {
    if (!problems.some((problem) => problem.path === path))
      problems.push({ path, message: `${path} must be ${expected}.` });
  };

  const top = attempt('options', () => membersOf(options));
  if (!top) must('options', 'an object');
  const groups = new Map<string, { from: object | undefined; into: Record<string, unknown> }>([
    ['', { from: top, into: request }],
  ]);
  for (const group of ['customer', 'billing']) {
    const value = read(top, group, group);
    const from = attempt(group, () => membersOf(value));
    if (value !== undefined && !from && listOf(group, value)?.length !== 0)
      must(group, 'an object');
    groups.set(group, { from, into: bare() });
  }

  for (const [path, rule] of Object.entries<MemberRule>(REQUEST_RULES)) {
    const [name, group = ''] = path.split('.').reverse() as [string, string?];
    const { from, into } = groups.get(group) ?? {};
    const given = read(from, name, path);
    const value = typeof given === 'string' && rule.read ? rule.read(given) : given;
    if (value === undefined) {
      if (rule.required && top) must(path, rule.expected);
    } else if (path === 'customer.phone' || path === 'locale') {
      if (typeof value === 'string' || typeof value === 'number')
        into![name] = cutToShown(`${value}`);
    } else if (typeof value !== 'string' || !rule.pattern.test(value)) {
      must(path, rule.expected + (path === 'reference' ? foreignCharacter(value) : ''));
    } else {
      into![name] = rule === TEXT ? cutToShown(value) : value;
    }
  }

  const billing = groups.get('billing')!.into as Record<string, string>;
  if (
    /^(?:us|ca)$/i.test(billing['country'] ?? '') &&
    billing['state'] &&
    !STATE.pattern.test(billing['state'])
  ) {
    must('billing.state', STATE.expected);
  }
  for (const [group, { into }] of groups)
    if (group && Object.keys(into).length) request[group] = into;

  const amount = read(top, 'amount', 'amount');
  request['amount'] = toDecimal(amount);
  if (top && !request['amount']) {
    must(
      'amount',
      'above 0 in major units, a number or a text such as "10.75", with at most two decimals and 15 digits',
    );
  }

  const channels = read(top, 'channels', 'channels');
  if (channels !== undefined) {
    const named = [...new Set(listOf('channels', channels) ?? ['?'])];
    if (!named.every((channel) => CHANNELS.includes(channel as Channel)))
      must('channels', 'a list of "card" and "mobile-money"');
    else if (named.length) request['channels'] = named;
  }

  for (const name of CALLBACKS) {
    const value = read(top, name, name);
    if (typeof value === 'function') callbacks[name] = value;
    else if (value !== undefined) must(name, 'a function');
  }

  const members: string[] = [
    ...Object.keys(REQUEST_RULES),
    ...CALLBACKS,
    'amount',
    'channels',
    'customer',
    'billing',
  ];
  for (const [group, { from }] of groups) {
    for (const name of namesOf(from)) {
      const path = group ? `${group}.${name}` : name;
      if (!members.includes(path)) unknown.push(cutToShown(path));
    }
  }
  return { request: request as unknown as PaymentRequest, callbacks, problems, unknown };

  function read(from: object | undefined, name: string, path: string): unknown {
    const value = attempt(path, () =>
      from && hasMember(from, name) ? (from as Record<string, unknown>)[name] : undefined,
    );
    return value === null || value === '' ? undefined : value;
  }

  function listOf(path: string, value: unknown): unknown[] | undefined {
    return attempt(path, () => (Array.isArray(value) ? [...value] : undefined));
  }

  /** Getters and proxies are the page's code, and may throw. */
  function attempt<T>(path: string, look: () => T): T | undefined {
    try {
      return look();
    } catch {
      must(path, 'readable: reading it threw an error');
      return undefined;
    }
  }
}

/**
 * Makes an object without a prototype: another script may have put a setter or a value of the same
 * name on `Object.prototype`.
 */
function bare(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

function membersOf(value: unknown): object | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

/**
 * Returns true for own fields and those of a class, never for those of `Object.prototype`, where
 * any script can add some.
 */
function hasMember(object: object, name: string): boolean {
  for (let at: object | null = object; at; at = Object.getPrototypeOf(at) as object | null) {
    if (at !== object && Object.getPrototypeOf(at) === null) return false;
    if (Object.hasOwn(at, name)) return true;
  }
  return false;
}

function namesOf(object: object | undefined): string[] {
  try {
    return object ? Object.keys(object) : [];
  } catch {
    return [];
  }
}

function foreignCharacter(reference: unknown): string {
  const found = typeof reference === 'string' && /[^-._A-Za-z0-9]/u.exec(reference);
  return found ? `, without ${JSON.stringify(found[0])}` : '';
}
