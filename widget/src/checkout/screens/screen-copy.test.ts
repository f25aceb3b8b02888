import { expect } from '@open-wc/testing';
import type { Attempt } from '@service-pay/contract/checkout-api';

import type { FieldProblems } from '../flow/call-failure.ts';
import { type Known, NOT_ARRIVED } from '../flow/payment-state.ts';
import { allWords, ENGLISH_WORDS as en } from '../language/messages/all-words.ts';
import { loadCatalogue, type Messages } from '../language/messages/messages.ts';
import { buildAttempt, buildKnown, buildPrompt, buildSession } from '../test/stand-in-checkout.ts';
import * as screens from './later-screens.ts';
import { findAlert, findMerchant } from './screen-copy.ts';
import { findSessionEnd, findSessionNews, findSuccess } from './session-copy.ts';

const alertOf = (known: Known, words: Messages = en) => findAlert(known, words, screens);
const OFFLINE = { isCut: false, unsent: 'offline' } as const;
const NOBODY = { amount: '', email: '' };

const declined = (changes: object, session: object = {}) =>
  buildKnown({
    session: buildSession({
      attempt: buildAttempt({ status: 'declined', reasonForFailure: 'Card declined', ...changes }),
      ...session,
    }),
  });

describe('what is said above the form', () => {
  it('the text above the form explains every reason of the tables in words of its own', async () => {
    const fr = allWords((await loadCatalogue('fr')).words);
    for (const [reason, title] of Object.entries(en.declines)) {
      const attempt = { channel: 'mobile-money', reasonForFailure: reason };
      const alert = alertOf(declined(attempt));
      expect(alert).to.include({ title, reason });
      expect(alertOf(declined(attempt), fr)?.title).not.to.equal(title);
      expect(alert?.text).to.contain('You have not been charged.');
    }
  });

  it('the text above the form speaks of the card where a card has not enough money, and of the balance of a phone', () => {
    const titleOf = (channel: string) =>
      alertOf(declined({ channel, reasonForFailure: 'Not enough funds' }))?.title;

    expect(titleOf('card')).to.equal('There is not enough money on this card.');
    expect(titleOf('mobile-money')).to.equal('Your balance is too low.');
  });

  it('the text above the form advises what is really there', () => {
    const advice = (channel: string, channels: string[]) =>
      alertOf(declined({ channel }, { channels }))!.text;

    expect(advice('card', ['card', 'mobile-money'])).to.contain(en.tryCardOrPhone);
    expect(advice('card', ['card'])).to.contain(en.tryAnotherCard);
    expect(advice('mobile-money', ['card', 'mobile-money'])).to.contain(en.tryPhoneOrCard);
    expect(advice('mobile-money', ['mobile-money'])).to.contain(en.tryAnotherPhone);
  });

  it('the text above the form has words for a decline without a reason, and for names that objects have of themselves', () => {
    expect(alertOf(declined({ reasonForFailure: null }))?.title).to.equal(en.declined);
    expect(alertOf(declined({ reasonForFailure: 'constructor' }))).to.include({
      title: en.declined,
      reason: 'constructor',
    });
  });

  it('the text above the form says that the last try was declined, and no more of it, where it may not have been the same visitor (T33, T40)', () => {
    const alert = alertOf(
      declined({ isYours: false, reasonForFailure: 'Not enough funds', channel: 'mobile-money' }),
      en,
    );

    expect(alert).to.deep.equal({ key: 'attempt-1', title: en.declined, text: en.declinedBefore });
  });

  it('the text above the form says the decline although an earlier code was wrong', () => {
    expect(
      alertOf({ ...declined({}), problems: { code: { code: 'code-wrong' } } })?.title,
    ).to.equal(en.declines['Card declined']);
  });

  it('the text above the form calls nothing declined that was never sent', () => {
    const titleOf = (problems: FieldProblems) =>
      alertOf(buildKnown({ session: buildSession() }, { problems }))?.title;

    expect(titleOf(NOT_ARRIVED)).to.equal(en.notSent);
    expect(titleOf({ '': { code: 'rejected' } })).to.equal(en.notSent);
  });

  it('the text above the form leaves a problem of a field to the field', () => {
    expect(
      alertOf({ ...declined({}), problems: { number: { code: 'card-number-invalid' } } }),
    ).to.equal(undefined);
  });
});

describe('what is said of the customer’s own doing', () => {
  it('the text about the customer’s own doing is empty if a prompt was cancelled (D47)', () => {
    const withdrawn = { channel: 'mobile-money', reasonForFailure: 'Withdrawn by customer' };

    expect(alertOf(declined(withdrawn))).to.equal(undefined);
    expect(alertOf(declined({ ...withdrawn, isYours: false }))?.title).to.equal(en.declined);
  });

  it('the text about the customer’s own doing says that nothing was sent if Pay was pressed without a network', () => {
    expect(alertOf({ ...declined({}), wire: { isCut: true, unsent: 'cut' } })?.title).to.equal(
      en.unreachableTitle,
    );
    expect(alertOf({ ...declined({}), wire: OFFLINE })).to.include({
      title: 'You are offline.',
      text: 'Nothing was sent, and you have not been charged.',
    });
  });

  it('the text about the customer’s own doing says that a request may still be on the phone if it could not be cancelled (D47)', () => {
    const textOf = (attempt: object) =>
      alertOf(
        buildKnown({ session: buildSession({ attempt: buildPrompt(attempt) }) }, { wire: OFFLINE }),
        en,
      )?.text;

    expect(textOf({})).to.equal(
      'The request may still be open on your phone. Try again once the connection is back.',
    );
    expect(textOf({ status: 'otp-required' })).to.equal(
      'No new code was sent. Try again once the connection is back.',
    );
  });
});

describe('what is announced', () => {
  it('an announcement says that it still waits only where others decide, never on a code or a challenge', () => {
    const newsOf = (status: Attempt['status']) =>
      findSessionNews(
        buildKnown({
          session: buildSession({ attempt: buildPrompt({ status, challengeUrl: 'about:blank' }) }),
          waitingSince: Date.parse('2026-11-20T10:00:00.000Z'),
          time: Date.parse('2026-11-20T10:01:00.000Z'),
        }),
        en,
      );

    expect(newsOf('pay-offline')).to.equal(en.stillWaiting);
    expect(newsOf('pending')).to.equal(en.stillConfirming);
    expect(newsOf('otp-required')).to.equal('');
    expect(newsOf('3ds-auth-required')).to.equal('');
  });
});

describe('a receipt', () => {
  const receiptOf = (attempt: object, session = {}) =>
    findSuccess(
      buildKnown({
        session: buildSession({
          status: 'successful',
          completedAt: '2026-11-20T10:02:00.000Z',
          attempt: buildAttempt({ status: 'successful', ...attempt }),
          ...session,
        }),
      }),
      { words: en, locale: 'en' },
      { amount: 'ZMW 10.00', email: 'ada@shop.example' },
    );

  it('a receipt names who was paid, with what, where the e-mail goes, when, and the reference (D29)', () => {
    const { amount, rows } = receiptOf({ card: { brand: 'american-express', lastDigits: '0005' } });

    expect(amount).to.equal('ZMW 10.00');
    expect(
      rows.map(({ name, value }) => [name, value.replace(/[\u2066\u2069]/g, '')]),
    ).to.deep.equal([
      ['Paid to', 'Demo Shop'],
      ['Paid with', 'American Express\u00a0••\u00a00005'],
      ['E-mail', 'ada@shop.example'],
      [
        'Date',
        new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' }).format(
          new Date('2026-11-20T10:02:00.000Z'),
        ),
      ],
      ['Reference', 'order-1042'],
    ]);
    expect(rows.at(-1)?.copy?.name).to.equal('Copy reference');
  });

  it('a receipt shows a phone as it may be shown, and nothing of what another visitor paid with', () => {
    const paidWith = (attempt: object) =>
      receiptOf(attempt).rows.find(({ name }) => name === 'Paid with')?.value;

    expect(paidWith({ prompt: buildPrompt().prompt })).to.equal(
      'MTN \u2066096\u00a0•••\u00a01111\u2069',
    );
    expect(paidWith({ isYours: false })).to.equal(undefined);
  });
});

describe("a receipt's date", () => {
  afterEach(() => Reflect.deleteProperty(navigator, 'languages'));

  for (const [browser, date] of [
    [['fr-FR', 'en-GB'], '20 Nov 2026'],
    [['en-US'], 'Nov 20, 2026'],
    [[], 'Nov 20, 2026'],
  ] as const) {
    it(`a receipt’s date is written as in the browser's own region: ${browser.join() || 'none'}`, () => {
      Object.defineProperty(navigator, 'languages', { configurable: true, value: browser });

      expect(rowsOf().find(({ name }) => name === 'Date')?.value).to.include(date);
    });
  }

  const rowsOf = () =>
    findSuccess(
      buildKnown({
        session: buildSession({ status: 'successful', completedAt: '2026-11-20T10:02:00.000Z' }),
      }),
      { words: en, locale: 'en' },
      NOBODY,
    ).rows;
});

describe('what is said at an end', () => {
  it('the text at an end distinguishes time that ran out from attempts that are used up (D37)', () => {
    const textOf = (changes: object) =>
      findSessionEnd(
        buildKnown({ session: buildSession({ status: 'failed', attemptsLeft: 0, ...changes }) }),
        en,
      ).text;

    expect(textOf({ now: '2026-11-20T10:30:00.000Z' })).to.equal(en.over.time.text);
    expect(textOf({ now: '2026-11-20T10:29:59.000Z' })).to.equal(en.over.tries.text);
    expect(
      textOf({
        reasonForFailure: 'Card declined',
        attempt: buildAttempt({ status: 'declined', reasonForFailure: 'Card declined' }),
      }),
    ).to.equal(`${en.declines['Card declined']} ${en.over.tries.text}`);
  });

  it('the text at an end says that time ran out where the reference was given up since the session was last seen open', () => {
    const { text } = findSessionEnd(
      buildKnown({ session: buildSession(), rejection: { code: 'reference_used', paths: [] } }),
      en,
    );

    expect(text).to.equal(en.over.time.text);
  });
});

describe('the name of a merchant in a sentence', () => {
  it('the name of a merchant in a sentence is kept from turning the words around it, and cut (T32)', () => {
    const shown = (merchantName: string) => findMerchant({ merchantName });

    expect(shown('Demo Shop')).to.equal('Demo Shop');
    expect(shown('سوق كابواتا')).to.equal('\u2068سوق كابواتا\u2069');
    expect(shown('Shop \u202egnihton')).to.equal('\u2068Shop \u202egnihton\u2069');
    expect(shown('x'.repeat(10_000))).to.have.length(120);
    expect(findMerchant(undefined)).to.equal('');
  });
});
