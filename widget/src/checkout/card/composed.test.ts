import { expect, fixture, html, waitUntil } from '@open-wc/testing';
import { by, deep, typeInto } from '../test/hands.ts';
import { buildCardDraft } from './draft.ts';
import type { CardForm } from './form.ts';
import './form.ts';
import '../screens/later-screens.ts';

it('a number that is being composed when the brands arrive is formatted at its end (T157)', async () => {
  const draft = buildCardDraft({});
  const form = await fixture<CardForm>(html`<card-form .draft=${draft}></card-form>`);
  const number = by(form, 'Card number');
  await typeInto(number, '3782');

  number.value = '378282';
  number.dispatchEvent(new InputEvent('input', { isComposing: true, inputType: 'insertText' }));
  const isKnown = () => deep(form, 'svg[aria-label="American Express"]').length === 1;
  await waitUntil(isKnown, 'no brand', { timeout: 8_000 });
  expect([number.value, draft.number]).to.deep.equal(['378282', '378282']);

  number.dispatchEvent(new CompositionEvent('compositionend'));
  expect([number.value, draft.number]).to.deep.equal(['3782 82', '3782 82']);
});
