import { cutToShown } from '@service-pay/contract/payment-request';

import { isSending, type Known, moneyOf, type Payable, screenOf } from '../flow/payment-state.ts';
import { crossIcon, warningIcon } from '../parts/icons.ts';
import type { End } from '../screens/end.ts';
import { later } from '../screens/later.ts';
import type { Messages } from './messages/messages.ts';

/** Something that went wrong and is said above a form: what, and what follows from it. */
export interface Alert {
  /** Differs where the same words are said of another attempt. */
  key: string;
  title: string;
  /** The service's own words for it, which are English in every language. */
  reason?: string | undefined;
  text: string;
}

/** Letters and marks that turn the words around them. */
const TURNING = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;

/** The error that a refusal is to the merchant; any other is 01. */
const REFUSALS: Record<string, string> = {
  reference_used: '04',
  not_authorized: '09',
  denied: '13',
};

/**
 * A merchant's name as it may stand in a sentence: cut, and kept from turning the words around it
 * (T32).
 */
export function findMerchant(payable: Pick<Payable, 'merchantName'> | undefined): string {
  const name = cutToShown(payable?.merchantName ?? '');
  return TURNING.test(name) ? `\u2068${name}\u2069` : name;
}

/** The alert above the form: an attempt that never left, or what the session has to say. */
export function findAlert(known: Known, words: Messages): Alert | undefined {
  if (screenOf(known) === 'form' && known.isOffline)
    return { key: 'offline', title: words.offlineTitle, text: words.offlineText };
  return known.session && later.findSessionAlert(known, words);
}

/** How it ends where the service cannot be reached or has refused the payment. */
export function findEnd(known: Known, words: Messages): End {
  const { refusal } = known;
  const isUnknown = moneyOf(known) === 'unknown';
  if (refusal?.code === 'not_known')
    return {
      sign: warningIcon,
      tone: 'waiting',
      title: words.unreachableTitle,
      text: isUnknown ? words.unreachableAgainText : words.unreachableText,
      actions: ['again', 'back'],
    };
  const isChannel = !refusal || refusal.paths.some((path) => /^(?:channels|currency)\b/.test(path));
  const texts: Record<string, { title: string; text: string }> = words.refusals;
  const { title, text } = texts[isChannel ? 'no_channel' : refusal.code] ?? words.refusals.refused;
  return {
    sign: crossIcon,
    tone: 'wrong',
    title,
    text: refusal && isUnknown ? words.refusedAgainText(REFUSALS[refusal.code] ?? '01') : text,
    actions: ['back'],
  };
}

/**
 * News said aloud while the focus stays where it is: what is under way, else what a form has just
 * `said`, else what the session has to say, else that the customer has switched the language.
 */
export function findAnnouncement(
  known: Known,
  words: Messages,
  { said, isSwitched }: { said: string; isSwitched: boolean },
): string {
  if (isSending(known) && screenOf(known) === 'form') return words.sending;
  if (said && !known.isSendingCode) return said;
  const news = known.session && later.findSessionNews(known, words);
  return news || (isSwitched && !findAlert(known, words) ? words.languageSwitched : '');
}
