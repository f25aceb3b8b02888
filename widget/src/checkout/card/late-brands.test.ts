import { expect, fixture, html, waitUntil } from '@open-wc/testing';
import { by, deep, typeInto } from '../test/hands.ts';
import { buildCardDraft } from './draft.ts';
import type { CardForm } from './form.ts';
import './form.ts';

it('a number typed before the brands are known leads on to the expiry once they are', async () => {
  const draft = buildCardDraft({});
  const form = await fixture<CardForm>(html`<card-form .draft=${draft}></card-form>`);

  await typeInto(by(form, 'Card number'), '4242424242424242');
  await waitUntil(() => deep(form, 'input:focus').some(({ id }) => id === 'expiry'), 'no lead', {
    timeout: 8_000,
  });

  expect(draft.number).to.equal('4242 4242 4242 4242');
});
