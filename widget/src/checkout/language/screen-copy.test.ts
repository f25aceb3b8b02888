import { expect } from '@open-wc/testing';

import '../screens/lazy.ts';
import { buildAttempt, buildSession } from '../test/stand-in-checkout.ts';
import { ENGLISH } from './messages/messages.ts';
import { findAlert, findEnd, findMerchant } from './screen-copy.ts';

const en = ENGLISH.words;

const declined = (changes: object, session: object = {}) => ({
  session: buildSession({
    attempt: buildAttempt({ status: 'declined', reasonForFailure: 'Card declined', ...changes }),
    ...session,
  }),
});

describe('what is said above the form', () => {
  it('explains every reason of the tables in words of its own, after the reason itself', () => {
    for (const reason of Object.keys(en.declines)) {
      const alert = findAlert(declined({ reasonForFailure: reason }), en);
      expect(alert?.title).to.equal(reason);
      expect(alert?.text).to.contain('You have not been charged.');
    }
  });

  it('advises what is really there', () => {
    const advice = (channel: string, channels: string[]) =>
      findAlert(declined({ channel }, { channels }), en)!.text;

    expect(advice('card', ['card', 'mobile-money'])).to.contain(en.tryCardOrPhone);
    expect(advice('card', ['card'])).to.contain(en.tryAnotherCard);
    expect(advice('mobile-money', ['card', 'mobile-money'])).to.contain(en.tryPhoneOrCard);
    expect(advice('mobile-money', ['mobile-money'])).to.contain(en.tryAnotherPhone);
  });

  it('has words for a decline without a reason, and for names that objects have of themselves', () => {
    expect(findAlert(declined({ reasonForFailure: null }), en)?.title).to.equal(en.declined);
    expect(findAlert(declined({ reasonForFailure: 'constructor' }), en)?.text).to.contain(
      en.declinedOtherwise,
    );
  });

  it('says that the last try was declined, and no more of it, where it may not have been the same visitor (T33, T40)', () => {
    const alert = findAlert(
      declined({ isYours: false, reasonForFailure: 'Not enough funds', channel: 'mobile-money' }),
      en,
    );

    expect(alert).to.deep.equal({ key: 'attempt-1', title: en.declined, text: en.declinedBefore });
  });

  it('says the decline although an earlier code was wrong', () => {
    expect(
      findAlert({ ...declined({}), problems: { code: { code: 'code-wrong' } } }, en)?.title,
    ).to.equal('Card declined');
  });

  it('calls nothing declined that was never sent', () => {
    const titleOf = (changes: object) =>
      findAlert({ session: buildSession(), ...changes }, en)?.title;

    expect(titleOf({ isNotArrived: true })).to.equal(en.notSent);
    expect(titleOf({ problems: { '': { code: 'refused' } } })).to.equal(en.notSent);
  });

  it('leaves a problem of a field to the field', () => {
    expect(
      findAlert({ ...declined({}), problems: { number: { code: 'card-number-invalid' } } }, en),
    ).to.equal(undefined);
  });
});

describe('what is said at an end', () => {
  it('tells time that ran out from attempts that are used up (D37)', () => {
    const textOf = (changes: object) =>
      findEnd(
        { session: buildSession({ status: 'failed', attemptsLeft: 0, ...changes }) },
        en,
        '',
        '',
      ).text;

    expect(textOf({ now: '2026-11-20T10:30:00.000Z' })).to.equal(en.overTimeText);
    expect(textOf({ now: '2026-11-20T10:29:59.000Z' })).to.equal(en.overAttemptsText);
  });

  it('says that time ran out where the reference was given up since the session was last seen open', () => {
    const { text } = findEnd(
      { session: buildSession(), refusal: { code: 'reference_used', paths: [] } },
      en,
      '',
      '',
    );

    expect(text).to.equal(en.overTimeText);
  });
});

describe('the name of a merchant in a sentence', () => {
  it('is kept from turning the words around it, and cut (T32)', () => {
    const shown = (merchantName: string) => findMerchant({ merchantName });

    expect(shown('Demo Shop')).to.equal('Demo Shop');
    expect(shown('سوق كابواتا')).to.equal('\u2068سوق كابواتا\u2069');
    expect(shown('Shop \u202egnihton')).to.equal('\u2068Shop \u202egnihton\u2069');
    expect(shown('x'.repeat(10_000))).to.have.length(120);
    expect(findMerchant(undefined)).to.equal('');
  });
});
