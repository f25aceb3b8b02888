import { html, type TemplateResult } from 'lit';

import type { CheckoutFlow } from '../flow/checkout-flow.ts';
import { isOverdue, type Known, screenOf } from '../flow/payment-state.ts';
import {
  codeActions,
  isLongWait,
  isSentAgain,
  partLeft,
  promptActions,
  secondsLeft,
} from '../flow/waiting-state.ts';
import { allWords, type Messages } from '../language/messages/all-words.ts';
import type { FirstWords } from '../language/messages/messages.ts';
import { keepTogether } from '../language/money-text.ts';
import { showPhone } from '../mobile-money/shown-phone.ts';
import type { Action } from '../parts/button.ts';
import { type Acts, renderEnd } from './end.ts';
import { findMerchant } from './screen-copy.ts';
import { findRejection, findSessionEnd, findSuccess } from './session-copy.ts';

interface SessionView<Words = Messages> {
  known: Known;
  flow: CheckoutFlow;
  catalogue: { words: Words; locale: string };
  amount: string;
  email: string;
  acts: Acts;
  /** Until success closes (D2). */
  secondsLeft: number | undefined;
}

/** Renders the screens after the service's response: a code, a wait, success, or an end. */
export function renderSession(given: SessionView<FirstWords>): TemplateResult {
  const { words, locale } = given.catalogue;
  const view: SessionView = {
    ...given,
    catalogue: { words: allWords(words), locale },
    amount: keepTogether(given.amount),
  };
  const { known, catalogue, acts } = view;
  switch (screenOf(known)) {
    case 'code':
      return renderCode(view);
    case 'rejected':
      return renderEnd(findRejection(known, catalogue.words), acts);
    case 'success':
      return renderSuccess(view);
    case 'over':
      return renderEnd(findSessionEnd(known, catalogue.words), acts);
    default:
      return renderWait(view);
  }
}

function renderSuccess(view: SessionView): TemplateResult {
  const { known, catalogue, acts, secondsLeft } = view;
  const { done, backIn } = catalogue.words;
  const merchant = findMerchant(known.service.session);
  // A blank keeps the line, for the press that stops the count.
  const note = secondsLeft ? backIn(merchant, secondsLeft) : '\u00a0';
  return html`<success-screen
    .content=${findSuccess(known, catalogue, view)}
    .actions=${[{ name: done, act: acts.back.act, note }]}
  ></success-screen>`;
}

function renderCode(view: SessionView): TemplateResult {
  const { known, flow, catalogue } = view;
  const session = known.service.session!;
  const { attempt } = session;
  const isRepeating = known.action?.repeats !== undefined;
  const { isOffered, isEarly } = codeActions(known);
  return html`<code-form
    .words=${catalogue.words}
    .problems=${known.problems}
    .codesLeft=${attempt!.codesLeft}
    .secondsLeft=${secondsLeft(known)}
    .isSending=${known.sending?.is === 'code'}
    .phone=${attempt!.prompt ? showPhone(attempt!.prompt) : ''}
    .isRepeating=${isRepeating}
    .isSentAgain=${isSentAgain(known)}
    .isEarly=${isEarly}
    .repeat=${
      isRepeating || (isOffered && flow.isRepeatable) ? () => void flow.repeat() : undefined
    }
    .change=${
      session.attemptsLeft && !isOverdue(known)
        ? otherWay(view, () => flow.useAnotherWay())
        : undefined
    }
    .confirm=${(code: string) => void flow.sendCode(code)}
  ></code-form>`;
}

function renderWait(view: SessionView): TemplateResult {
  const { known, flow, catalogue, amount } = view;
  const { attempt, networks, isTest } = known.service.session!;
  const operator = attempt?.prompt?.operator;
  const actions = promptActions(known);
  const isRepeating = known.action?.repeats !== undefined;
  return html`<waiting-screen
    class=${screenOf(known)}
    .words=${catalogue.words}
    .kind=${screenOf(known)}
    .attempt=${attempt ?? undefined}
    .amount=${amount}
    .secondsLeft=${secondsLeft(known)}
    .partLeft=${partLeft(known)}
    .dialCode=${networks.find((network) => network.operator === operator)?.dialCode ?? ''}
    .testPhone=${(isTest && attempt?.prompt?.testPhone) || ''}
    .ways=${{
      ...actions,
      change: actions.change ? otherWay(view, () => void flow.withdraw()) : undefined,
      repeat:
        actions.repeat && (isRepeating || flow.isRepeatable)
          ? () => void flow.withdraw(true)
          : undefined,
      isRepeating,
      isSentAgain: isSentAgain(known),
    }}
    .isLong=${isLongWait(known)}
    .isCut=${known.wire.isCut && !known.wire.unsent}
    .isOffline=${known.isOffline}
    .look=${() => flow.look()}
  ></waiting-screen>`;
}

function otherWay({ known, catalogue }: SessionView, act: () => void): Action {
  const { useAnother, useAnotherOrCard } = catalogue.words;
  const { channels } = known.service.session!;
  return { name: channels.includes('card') ? useAnotherOrCard : useAnother, act };
}
