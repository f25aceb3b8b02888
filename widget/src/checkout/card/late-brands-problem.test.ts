import { expect, fixture, html, waitUntil } from '@open-wc/testing';
import { by, deep, typeInto } from '../test/hands.ts';
import { loadBrands } from './brand.ts';
import { buildCardDraft } from './draft.ts';
import type { CardForm } from './form.ts';
import './form.ts';

it('brands that load late leave the problem that the service found in the number', async () => {
  const draft = buildCardDraft({});
  const form = await fixture<CardForm>(html`<card-form .draft=${draft}></card-form>`);
  const number = by(form, 'Card number');
  await typeInto(number, '4242424242424242');
  form.problems = { number: { code: 'card-number-invalid' } };
  await form.updateComplete;
  expect(number.matches(':focus')).to.equal(true);

  await waitUntil(() => !loadBrands(), 'no brands', { timeout: 8_000 });
  await form.updateComplete;

  expect(number.value).to.equal('4242 4242 4242 4242');
  expect(number.ariaInvalid).to.equal('true');
  expect(deep(form, '#number-note')[0]!.textContent).to.contain('number');
});
