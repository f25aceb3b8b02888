import { buildMoneyFormat } from '@service-pay/contract/money-format';

// Amounts, times and bodies as people read them. Times are in UTC, as in the service's responses.

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });
const COUNT = new Intl.NumberFormat('en');

const UNITS: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

export function money(amount: string, currency: string) {
  try {
    const format = buildMoneyFormat('en', currency, amount);
    return format.format(amount as Intl.StringNumericLiteral);
  } catch {
    return `${currency} ${amount}`;
  }
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  pending: 'Pending',
  'otp-required': 'Needs a code',
  '3ds-auth-required': 'Bank asks',
  'pay-offline': 'Waits for the phone',
  successful: 'Paid',
  failed: 'Failed',
  acknowledged: 'Acknowledged',
  waiting: 'Waiting',
  dropped: 'Dropped',
  'given-up': 'Given up',
};

/** Names a status in words. One that this page does not know stays as it is. */
export function nameStatus(status: string) {
  return STATUS_WORDS[status] ?? status;
}

export function nameType(type: string) {
  return type === 'mobile-money' ? 'mobile money' : type;
}

export function count(number: number) {
  return COUNT.format(number);
}

/** `2026-03-12 07:06:11` */
export function dateTime(iso: string) {
  return iso.slice(0, 19).replace('T', ' ');
}

/** `07:06:11.562` */
export function timeOfDay(iso: string) {
  return iso.slice(11, 23);
}

/** “3 min ago”, “in 2 hr”; empty while `now` is unknown. */
export function relative(iso: string, now: number) {
  const ms = Date.parse(iso) - now;
  if (Number.isNaN(ms)) return '';
  const [unit, size] = UNITS.find(([, size]) => Math.abs(ms) >= size) ?? ['second', 1_000];
  const number = Math.trunc(ms / size);
  return number === 0 ? 'now' : RELATIVE.format(number, unit);
}

/** “0.3 s”, “4 min 10 s” */
export function duration(ms: number) {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  return parts
    .filter(([number]) => number)
    .slice(0, 2)
    .map(([number, unit]) => `${number} ${unit}`)
    .join(' ');
}

/** `2:59` */
export function timeLeft(ms: number) {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Indents compact JSON. Returns any other text as it is, so that no number or field changes. */
export function pretty(text: string) {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
