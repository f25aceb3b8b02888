import { cutToShown } from '@service-pay/contract/payment-request';

import { isSending, type Known, moneyOf, type Payable, screenOf } from '../flow/payment-state.ts';
import type { FirstWords } from '../language/messages/messages.ts';
import { warningIcon } from '../parts/icons.ts';
import type { End } from './end.ts';

export interface Alert {
  /** Differs if the same words describe another attempt. */
  key: string;
  title: string;
  reason?: string | undefined;
  /** True if nothing explains the reason, which is English in every language. */
  isQuoted?: boolean;
  text: string;
}

/** Letters and marks that change the direction of the words around them. */
const TURNING = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;

/**
 * Returns a merchant's name for use in a sentence: cut, and isolated so that it cannot change the
 * direction of the words around it (T32).
 */
export function findMerchant(payable: Pick<Payable, 'merchantName'> | undefined): string {
  const name = cutToShown(payable?.merchantName ?? '');
  return TURNING.test(name) ? `\u2068${name}\u2069` : name;
}

/** The copy that is loaded with the session. */
export interface SessionCopy {
  findSessionAlert(known: Known, words: FirstWords): Alert | undefined;
  findSessionNews(known: Known, words: FirstWords): string;
}

export function findAlert(known: Known, words: FirstWords, copy?: SessionCopy): Alert | undefined {
  if (screenOf(known) === 'form' && known.wire.unsent)
    return { key: 'unsent', title: titleOfUnsent(known, words), text: words.offlineText };
  return known.service.session && copy?.findSessionAlert(known, words);
}

export function titleOfUnsent({ wire }: Known, words: FirstWords): string {
  return wire.unsent === 'cut' ? words.unreachableTitle : words.offlineTitle;
}

export function findUnreachable(known: Known, words: FirstWords): End {
  const { isOffline } = known;
  const isUnknown = moneyOf(known) === 'unknown';
  const text = isOffline ? words.offlineText : words.unreachableText;
  return {
    sign: warningIcon,
    tone: 'waiting',
    title: isOffline ? words.offlineTitle : words.unreachableTitle,
    text: isUnknown ? words.unreachableAgainText : text,
    actions: ['again', 'back'],
  };
}

/**
 * Returns what is announced without moving the focus: what is under way, otherwise the form's
 * `said`, otherwise the session's news, otherwise that the language was switched.
 */
export function findAnnouncement(
  known: Known,
  words: FirstWords,
  { said, isSwitched, copy }: { said: string; isSwitched: boolean; copy?: SessionCopy | undefined },
): string {
  if (isSending(known) && screenOf(known) === 'form')
    return known.isSlow ? words.stillSending : words.sending;
  if (said && known.sending?.is !== 'code') return said;
  const news = known.service.session && copy?.findSessionNews(known, words);
  return news || (isSwitched && !findAlert(known, words, copy) ? words.languageSwitched : '');
}
