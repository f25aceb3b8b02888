import type { Attempt, Session } from '@service-pay/contract/checkout-api';
import { CHANNELS, cutToShown } from '@service-pay/contract/payment-request';
import { html, nothing, type TemplateResult } from 'lit';

import { CARD_FORM_FIELDS } from '../card/draft.ts';
import type { Extension } from '../flow/checkout-flow.ts';
import { ERROR_CODES } from '../flow/client.ts';
import {
  channelsOf,
  isActing,
  isNotArrived,
  isOverdue,
  isOwnWithdrawal,
  isTimeShort,
  type Known,
  moneyOf,
  type Rejection,
  screenOf,
  sentOf,
} from '../flow/payment-state.ts';
import { isLongWait, isSentAgain } from '../flow/waiting-state.ts';
import { allWords, type Messages } from '../language/messages/all-words.ts';
import type { FirstWords } from '../language/messages/messages.ts';
import { keepTogether } from '../language/money-text.ts';
import { PHONE_FIELDS } from '../mobile-money/draft.ts';
import { showPhone } from '../mobile-money/shown-phone.ts';
import { clockIcon } from '../parts/icons.ts';
import { checkIcon, crossIcon } from '../parts/later-icons.ts';
import { nameBrand } from '../parts/marks.ts';
import type { End } from './end.ts';
import { CHANNEL_TABLE } from './pay-form.ts';
import { type Alert, findMerchant, titleOfUnsent } from './screen-copy.ts';
import type { Row, Success } from './success.ts';

const NAMED_FIELDS = [...CARD_FORM_FIELDS, ...PHONE_FIELDS];

/**
 * Returns the alert above the screen: the last decline, with its reason if this visit made the
 * attempt (T40), an attempt that did not arrive, or a press that could not be sent. The
 * customer's own withdrawal is no alert (D47), nor is the end of a code that they left for the
 * form.
 */
export function findSessionAlert(known: Known, firstWords: FirstWords): Alert | undefined {
  const words = allWords(firstWords);
  const session = known.service.session!;
  const screen = screenOf(known);
  const fields = Object.keys(known.problems).filter((field) => field !== 'code');
  if (known.wire.unsent && (screen === 'prompt' || screen === 'code')) {
    const text = screen === 'prompt' ? words.stillOnPhone : words.noNewCode;
    return { key: 'unsent', title: titleOfUnsent(known, words), text };
  }
  if (screen !== 'form') return undefined;
  if (isNotArrived(known))
    return { key: 'not-arrived', title: words.notSent, text: words.notArrived };
  if (fields.some((field) => !NAMED_FIELDS.includes(field)))
    return { key: 'form', title: words.notSent, text: words.formRejected };
  const { attempt } = session;
  if (fields.length || sentOf(known) || attempt?.status !== 'declined') return undefined;
  if (isOwnWithdrawal(attempt) || isActing(known, 'another-way')) return undefined;
  const { id: key, channel, isYours, reasonForFailure: reason } = attempt;
  if (!isYours) return { key, title: words.declined, text: words.declinedBefore };
  const title = explain(reason, channel, words);
  return {
    key,
    title,
    reason: reason ?? undefined,
    isQuoted: title === words.declined,
    text: `${words.notCharged} ${adviceOf(session, words)}`,
  };
}

export function findRejection(known: Known, words: Messages): End {
  const { rejection } = known.service;
  const isChannel =
    !rejection || rejection.paths.some((path) => /^(?:channels|currency)\b/.test(path));
  const texts: Record<string, { title: string; text: string }> = words.rejections;
  const { title, text } =
    texts[isChannel ? 'no_channel' : rejection.code] ?? words.rejections.rejected;
  const isUnknown = rejection && moneyOf(known) === 'unknown';
  return {
    sign: crossIcon,
    tone: 'wrong',
    title,
    text: isUnknown ? words.rejectedAgainText(errorCodeOf(rejection)) : text,
    actions: ['back'],
  };
}

/** Returns the API's error code for a rejection; any other is 01. */
function errorCodeOf({ code }: Rejection): string {
  return Object.keys(ERROR_CODES).find((each) => ERROR_CODES[each] === code) ?? '01';
}

export function findSuccess(
  known: Known,
  { words, locale }: { words: Messages; locale: string },
  { amount, email }: { amount: string; email: string },
): Success {
  const { service } = known;
  const session = service.session!;
  const merchant = findMerchant(session);
  return {
    sign: checkIcon,
    tone: 'done',
    title: words.successTitle,
    text: service.wasPaid ? words.alreadyPaidText(merchant) : '',
    amount,
    rows: buildReceipt(session, words, { locale, merchant, email }),
  };
}

export function findSessionEnd(known: Known, words: Messages): End {
  // An ended session has no attempts left. If we last saw some, it ended by time, not by tries.
  const { attemptsLeft, attempt, reasonForFailure } = known.service.session!;
  if (attemptsLeft > 0 || isOverdue(known))
    return { sign: clockIcon, tone: 'waiting', ...words.over.time, actions: ['back'] };
  const { title, text } = words.over.tries;
  const reason = explain(reasonForFailure, attempt?.channel, words);
  const isKnown = reason !== words.declined;
  return {
    sign: crossIcon,
    tone: 'wrong',
    title,
    text: isKnown ? `${reason} ${text}` : text,
    actions: ['back'],
  };
}

/** Checks if the form follows a request that this customer has cancelled. */
function isCancelled(known: Known): boolean {
  const { attempt } = known.service.session!;
  if (known.wire.unsent || Object.keys(known.problems).length) return false;
  return screenOf(known) === 'form' && attempt?.status === 'declined' && isOwnWithdrawal(attempt);
}

/** Renders above the form that the customer's own request is over, and that time is short. */
export function renderNews(
  known: Known,
  firstWords: FirstWords,
  extend: () => Promise<Extension>,
): TemplateResult | typeof nothing {
  const { session } = known.service;
  if (!session) return nothing;
  const words = allWords(firstWords);
  const more = session.extensionsLeft ? extend : undefined;
  const news = html`<p class="news">${checkIcon}<span>${words.requestCancelled}</span></p>`;
  return html`
    ${isCancelled(known) ? news : nothing}
    ${isTimeShort(known) ? html`<more-time .words=${words} .more=${more}></more-time>` : nothing}
  `;
}

/** Returns what stays in sight during a wait: the amount, and before a bank the card. */
export function describeWait(known: Known, amount: string): string {
  const { attempt } = known.service.session ?? {};
  const card = screenOf(known) === 'challenge' && attempt && showInstrument(attempt);
  return [keepTogether(amount), card].filter(Boolean).join('\u2003');
}

/**
 * Returns what is announced while the focus stays: a code being checked, little time, a long wait.
 */
export function findSessionNews(known: Known, firstWords: FirstWords): string {
  const words = allWords(firstWords);
  if (known.sending?.is === 'code') return known.isSlow ? words.stillSending : words.sendingCode;
  if (known.action?.is === 'repeating') return known.isSlow ? words.stillSending : words.sending;
  if (known.action?.repeats || isActing(known, 'withdrawing')) return words.withdrawing;
  if (isTimeShort(known)) return words.timeShort;
  if (isSentAgain(known)) return words.sentAgain;
  if (isCancelled(known)) return words.requestCancelled;
  const screen = screenOf(known);
  if (['form', 'success', 'over', 'rejected', 'unreachable'].includes(screen)) return '';
  if (known.wire.isCut || sentOf(known)?.isUnsure)
    return known.isOffline ? words.unsureText : words.silentText;
  // A code or a challenge waits for the customer alone.
  if (!isLongWait(known) || screen === 'code' || screen === 'challenge') return '';
  return screen === 'prompt' ? words.stillWaiting : words.stillConfirming;
}

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

/** Names the card or the number of an attempt, in one line that runs from left to right. */
function showInstrument({ card, prompt }: Attempt): string | undefined {
  if (prompt) return `${prompt.networkName} ${showPhone(prompt)}`;
  return card
    ? `${nameBrand(card.brand ?? '')}\u00a0\u2066••\u00a0${card.lastDigits}\u2069`.trim()
    : undefined;
}

/** Writes a time as in the browser's own region, such as `en-GB` for `en`. */
function formatTime(time: string, locale: string): string {
  const regional = navigator.languages.filter((language) => language.startsWith(locale));
  return new Intl.DateTimeFormat([...regional, locale], {
    dateStyle: 'medium',
    timeStyle: 'short',
    numberingSystem: 'latn',
  }).format(new Date(time));
}

function explain(reason: string | null, channel: string | undefined, words: Messages): string {
  if (reason === 'Not enough funds' && channel === 'card') return words.notEnoughOnCard;
  const known: Record<string, string> = words.declines;
  return (reason !== null && Object.hasOwn(known, reason) && known[reason]) || words.declined;
}

function adviceOf(session: Session, words: Messages): string {
  const channel = CHANNELS.find((one) => one === session.attempt?.channel) ?? 'mobile-money';
  return CHANNEL_TABLE[channel].advice(words, channelsOf(session).length === 1);
}
