import type { BillingField } from '@service-pay/contract/typed-attempt';
import { html, nothing, type TemplateResult } from 'lit';

import type { FieldProblems } from '../flow/call-failure.ts';
import { findCountry, listCountries } from '../language/country.ts';
import { allWords, type Messages } from '../language/messages/all-words.ts';
import type { FirstWords } from '../language/messages/messages.ts';
import { type FieldOptions, renderNote, wordsFor } from '../parts/field.ts';
import { chevronIcon } from '../parts/later-icons.ts';
import { renderList } from '../parts/problem-list.ts';
import type { CardDraft } from './draft.ts';

interface BillingForm {
  words: FirstWords;
  locale: string;
  draft: CardDraft;
  isSending: boolean;
  found: FieldProblems;
  /** Fields that were wrong when the form was last submitted. */
  listed: readonly string[];
  labelOf(field: string): string;
  keep(field: BillingField, value: string): void;
}

type RenderField = (
  field: BillingField,
  options: Pick<FieldOptions, 'autocomplete'> & Partial<FieldOptions>,
) => TemplateResult;

export function renderBilling(form: BillingForm, field: RenderField): TemplateResult {
  const { listed, found } = form;
  const words = allWords(form.words);
  return html`
    ${listed.length ? renderList(words, listed, (name) => form.labelOf(name), found) : nothing}
    <p class="introduction">${words.billingIntroduction}</p>
    ${field('streetAddress', { autocomplete: 'billing address-line1', capitalize: 'words' })}
    ${field('city', { autocomplete: 'billing address-level2', capitalize: 'words' })}
    ${field('state', {
      autocomplete: 'billing address-level1',
      hint: words.stateHint,
      capitalize: 'words',
    })}
    ${field('postalCode', {
      autocomplete: 'billing postal-code',
      capitalize: 'characters',
      isLast: true,
    })}
    ${renderCountry(form, words)}
  `;
}

function renderCountry(form: BillingForm, words: Messages): TemplateResult {
  const { draft, locale, isSending } = form;
  const problem = wordsFor(words, form.found['country']);
  // A shop may give the country by its name.
  if (draft.country) draft.country = findCountry(draft.country) ?? '';
  return html`
    <div class="field">
      <label for="country">${words.country}</label>
      <div class="box">
        <select
          id="country"
          name="country"
          autocomplete="billing country"
          aria-invalid=${problem ? 'true' : nothing}
          aria-describedby="country-note"
          ?disabled=${isSending}
          @change=${({ target }: { target: HTMLSelectElement }) =>
            form.keep('country', target.value)}
        >
          <option value="" .selected=${!draft.country}></option>
          ${listCountries(locale).map(
            ({ code, name }) =>
              html`<option value=${code} .selected=${code === draft.country}>${name}</option>`,
          )}
        </select>
        <span class="mark">${chevronIcon}</span>
      </div>
      ${renderNote('country-note', problem)}
    </div>
  `;
}
