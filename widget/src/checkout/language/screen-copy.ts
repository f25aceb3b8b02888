import type { Attempt, Session } from '@service-pay/contract/checkout-api';
import { cutToShown } from '@service-pay/contract/payment-request';
import type { TemplateResult } from 'lit';

import { CARD_FORM_FIELDS } from '../card/form.ts';
import {
  channelsOf,
  findDeclined,
  isLongWait,
  isOwnWithdrawal,
  isSending,
  isTimeShort,
  type Known,
  moneyOf,
  type Payable,
  screenOf,
} from '../flow/payment-state.ts';
import { PHONE_FIELDS } from '../mobile-money/draft.ts';
import { showPhone } from '../mobile-money/shown-phone.ts';
import { checkIcon, clockIcon, crossIcon, warningIcon } from '../parts/icons.ts';
import type { Row } from '../screens/receipt.ts';
import type { Catalogue, Messages } from './messages/messages.ts';

/** Something that went wrong and is said above a form: what, and what follows from it. */
export interface Alert {
  /** Differs where the same words are said of another attempt. */
  key: string;
  title: string;
  /** The service's own words for it, which are English in every language. */
  reason?: string | undefined;
  text: string;
}

/**
 * How things stand at an end, and what may be done: `again` tries again, `done` and `back` close.
 */
export interface End {
  sign: TemplateResult;
  tone: '' | 'wrong' | 'waiting' | 'done';
  title: string;
  /** What was paid, as text. */
  amount?: string;
  text: string;
  /** The receipt. */
  rows?: readonly Row[];
  actions: readonly ('again' | 'done' | 'back')[];
}

/** Letters and marks that turn the words around them. */
const TURNING = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;

/** The error that a refusal is to the merchant; any other is 01. */
const REFUSALS: Record<string, string> = {
  reference_used: '04',
  not_authorized: '09',
  denied: '13',
};

const NAMED_FIELDS = [...CARD_FORM_FIELDS, ...PHONE_FIELDS];

/**
 * A merchant's name as it may stand in a sentence: cut, and kept from turning the words around it
 * (T32).
 */
export function findMerchant(payable: Pick<Payable, 'merchantName'> | undefined): string {
  const name = cutToShown(payable?.merchantName ?? '');
  return TURNING.test(name) ? `\u2068${name}\u2069` : name;
}

/**
 * What must be said above the form: the last decline, with its reason word for word where it was
 * this visit's own (T40); an attempt that never got through, or never left. The customer's own
 * withdrawal is no news (D47).
 */
export function findAlert(known: Known, words: Messages): Alert | undefined {
  const { session } = known;
  const screen = screenOf(known);
  const fields = Object.keys(known.problems ?? {}).filter((field) => field !== 'code');
  if (screen === 'over' && session?.reasonForFailure) {
    const { reasonForFailure: reason } = session;
    return { key: 'over', title: explain(reason, words) ?? words.declined, reason, text: '' };
  }
  if (screen === 'form' && known.isOffline)
    return { key: 'offline', title: words.offlineTitle, text: words.offlineText };
  if (screen !== 'form' || !session) return undefined;
  if (known.isNotArrived)
    return { key: 'not-arrived', title: words.notSent, text: words.notArrived };
  if (fields.some((field) => !NAMED_FIELDS.includes(field)))
    return { key: 'form', title: words.notSent, text: words.formRefused };
  if (fields.length) return undefined;
  const declined = findDeclined(known);
  if (!declined || isOwnWithdrawal(declined)) return undefined;
  const { id: key, isYours, reasonForFailure: reason } = declined;
  if (!isYours) return { key, title: words.declined, text: words.declinedBefore };
  return {
    key,
    title: explain(reason, words) ?? words.declined,
    reason: reason ?? undefined,
    text: `${words.notCharged} ${adviceOf(session, words)}`,
  };
}

/** What an end looks and sounds like. Only for a screen that is one. */
export function findEnd(
  known: Known,
  { words, locale }: Catalogue,
  { amount, merchant, email }: { amount: string; merchant: string; email: string },
): End {
  const { session, refusal } = known;
  switch (screenOf(known)) {
    case 'success': {
      return {
        sign: checkIcon,
        tone: 'done',
        title: words.successTitle,
        amount,
        text: known.wasPaid ? words.alreadyPaidText(merchant) : '',
        rows: buildReceipt(session!, words, { locale, merchant, email }),
        actions: ['done'],
      };
    }
    case 'over': {
      const text = session && hasTimeRunOut(session) ? words.overTimeText : words.overAttemptsText;
      return { sign: clockIcon, tone: 'waiting', title: words.overTitle, text, actions: ['back'] };
    }
    case 'unreachable': {
      const text =
        moneyOf(known) === 'unknown' ? words.unreachableAgainText : words.unreachableText;
      return {
        sign: warningIcon,
        tone: 'waiting',
        title: words.unreachableTitle,
        text,
        actions: ['again', 'back'],
      };
    }
    default: {
      const isChannel =
        !refusal || refusal.paths.some((path) => /^(?:channels|currency)\b/.test(path));
      const texts: Record<string, { title: string; text: string }> = words.refusals;
      const { title, text: paidNothing } =
        texts[isChannel ? 'no_channel' : refusal.code] ?? words.refusals.refused;
      const text =
        refusal && moneyOf(known) === 'unknown'
          ? words.refusedAgainText(REFUSALS[refusal.code] ?? '01')
          : paidNothing;
      return { sign: crossIcon, tone: 'wrong', title, text, actions: ['back'] };
    }
  }
}

/** The lines of a receipt, as far as this visit may know them. */
function buildReceipt(
  { attempt, completedAt, now, reference }: Session,
  words: Messages,
  { locale, merchant, email }: { locale: string; merchant: string; email: string },
): Row[] {
  const { receipt } = words;
  const instrument = attempt && showInstrument(attempt);
  return [
    { name: receipt.paidTo, value: merchant },
    ...(instrument ? [{ name: receipt.paidWith, value: instrument }] : []),
    ...(email ? [{ name: receipt.email, value: cutToShown(email) }] : []),
    { name: receipt.date, value: formatTime(completedAt ?? now, locale) },
    {
      name: receipt.reference,
      value: reference,
      copy: { name: receipt.copy, done: receipt.copied },
    },
  ];
}

function showInstrument({ card, prompt }: Attempt): string | undefined {
  if (prompt) return `${prompt.networkName} ${showPhone(prompt)}`;
  return card ? `${nameBrand(card.brand)} \u2066•• ${card.lastDigits}\u2069`.trim() : undefined;
}

/** A brand's name, from the word that the service has for it: `american-express`, `jcb`. */
function nameBrand(brand: string | null): string {
  return (brand ?? '')
    .split('-')
    .map((word) =>
      word.length > 3 ? word.charAt(0).toUpperCase() + word.slice(1) : word.toUpperCase(),
    )
    .join(' ');
}

function formatTime(time: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    numberingSystem: 'latn',
  }).format(new Date(time));
}

/**
 * What is said aloud although the focus stays where it is: what is under way, else what a form has
 * just `said`, else how long this takes, else that the customer has switched the language.
 */
export function findAnnouncement(
  known: Known,
  words: Messages,
  { said, isSwitched }: { said: string; isSwitched: boolean },
): string {
  const screen = screenOf(known);
  if (isSending(known) && screen === 'form') return words.sending;
  if (known.isSendingCode) return words.sendingCode;
  if (said) return said;
  if (isTimeShort(known)) return words.timeShort;
  const isWait = !['form', 'success', 'over', 'refused', 'unreachable', 'loading'].includes(screen);
  if (isWait && known.isCut) return words.unsureText;
  if (isWait && isLongWait(known))
    return screen === 'prompt' ? words.stillWaiting : words.stillConfirming;
  return isSwitched && !findAlert(known, words) ? words.languageSwitched : '';
}

/**
 * A session that is over has no attempts left either way. One that still had some when it was last
 * seen can only have run out of time.
 */
function hasTimeRunOut({ attemptsLeft, now, expiresAt }: Session): boolean {
  return attemptsLeft > 0 || Date.parse(now) >= Date.parse(expiresAt);
}

/** A reason in the customer's words, where we know it. */
function explain(reason: string | null, words: Messages): string | undefined {
  const known: Record<string, string> = words.declines;
  return reason !== null && Object.hasOwn(known, reason) ? known[reason] : undefined;
}

function adviceOf(session: Session, words: Messages): string {
  const isCard = session.attempt?.channel === 'card';
  if (channelsOf(session).length > 1) return isCard ? words.tryCardOrPhone : words.tryPhoneOrCard;
  return isCard ? words.tryAnotherCard : words.tryAnotherPhone;
}
