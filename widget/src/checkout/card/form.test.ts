import { expect, fixture, html, waitUntil } from '@open-wc/testing';
import { loadBrands } from './brand.ts';
import { type AttemptOf, buildCardDraft, type CardDraft } from './draft.ts';
import type { CardForm } from './form.ts';
import './form.ts';
import '../screens/lazy.ts';
import type { SayEvent } from '../parts/field.ts';
import '../parts/problem-list.ts';
import { by, deep, press, typeInto } from '../test/hands.ts';

const NOW = '2026-11-20T10:00:00.000Z';

describe('card form before the brands are known', () => {
  it('takes a number at once and groups it anew when its brand is there', async () => {
    const draft = buildCardDraft({});
    const form = await fixture<CardForm>(html`<card-form .draft=${draft} .now=${NOW}></card-form>`);
    const number = by(form, 'Card number');

    await typeInto(number, '378282246310005');
    expect(number.value).to.equal('3782 8224 6310 005');
    number.setSelectionRange(12, 12);
    await waitUntil(
      () => form.shadowRoot!.querySelector('.mark')!.textContent === 'American Express',
      'no brand',
      { timeout: 8_000 },
    );

    expect([number.value, number.selectionStart, draft.number]).to.deep.equal([
      '3782 822463 10005',
      11,
      '3782 822463 10005',
    ]);
  });
});

describe('card form', () => {
  let draft: CardDraft;
  let form: CardForm;
  let sent: AttemptOf<'card'>[];

  before(loadBrands);

  beforeEach(async () => {
    draft = buildCardDraft({
      customer: { firstName: 'Mary', lastName: 'Banda' },
      billing: { city: 'Lusaka', country: 'ZM' },
    });
    sent = [];
    form = await fixture<CardForm>(html`<card-form
      .draft=${draft}
      .now=${NOW}
      .amount=${'ZMW 10.00'}
      .merchant=${'Demo Shop'}
      .pay=${(attempt: AttemptOf<'card'>) => sent.push(attempt)}
    ></card-form>`);
  });

  async function fill(number = '4242424242424242', expiry = '12/34', code = '123'): Promise<void> {
    await typeInto(by(form, 'Card number'), number);
    await typeInto(by(form, 'Expiry date'), expiry);
    await typeInto(by(form, 'Security code'), code);
  }

  const items = () => deep(form, 'li').map((item) => item.textContent!.replace(/\s+/g, ' ').trim());

  it('is four labelled inputs that a browser can fill, and one button that names the amount', async () => {
    const inputs = [...form.shadowRoot!.querySelectorAll('input')];

    expect(inputs.map(({ labels }) => labels![0]!.textContent)).to.deep.equal([
      'Card number',
      'Expiry date',
      'Security code',
      'Name on card',
    ]);
    expect(inputs.map(({ autocomplete }) => autocomplete)).to.deep.equal([
      'cc-number',
      'cc-exp',
      'cc-csc',
      'cc-name',
    ]);
    expect(inputs.map(({ inputMode }) => inputMode)).to.deep.equal([
      'numeric',
      'numeric',
      'numeric',
      'text',
    ]);
    expect(by(form, 'Name on card').value).to.equal('Mary Banda');
    expect(
      [...form.shadowRoot!.querySelectorAll('button')].map((button) => button.textContent?.trim()),
    ).to.deep.equal(['Pay ZMW 10.00']);
    await expect(form).to.be.accessible();
  });

  it('shows number and expiry date as they stand on a card, and the brand once it is known', async () => {
    await fill('4242424242424242', '1234');

    expect(by(form, 'Card number').value).to.equal('4242 4242 4242 4242');
    expect(by(form, 'Expiry date').value).to.equal('12/34');
    expect(form.shadowRoot!.querySelector('.mark')!.textContent).to.equal('Visa');
  });

  it('sends what was typed, on a press and on Enter', async () => {
    await fill();
    await press(form, 'Pay');
    by(form, 'Security code').form!.requestSubmit();
    await form.updateComplete;

    expect(sent).to.have.length(2);
    expect(sent[0]).to.deep.equal({
      channel: 'card',
      card: {
        number: '4242 4242 4242 4242',
        expiry: '12/34',
        securityCode: '123',
        name: 'Mary Banda',
      },
    });
  });

  it('sends nothing while an attempt is on its way, and keeps its button (T42)', async () => {
    await fill();
    form.isSending = true;
    await form.updateComplete;
    await press(form, 'Pay');

    expect(sent).to.deep.equal([]);
    expect(form.shadowRoot!.querySelector('button')!.disabled).to.equal(false);
    await expect(form).to.be.accessible();
  });

  it('ties every problem to its field, and lists several at the head, each a link to its field, ticked off once it is right', async () => {
    const said: string[] = [];
    form.addEventListener('say', (event) => said.push((event as SayEvent).text));
    await typeInto(by(form, 'Name on card'), ' ');
    await press(form, 'Pay');

    const inputs = [...form.shadowRoot!.querySelectorAll('input')];
    expect(inputs.map((input) => input.getAttribute('aria-invalid'))).to.deep.equal([
      'true',
      'true',
      'true',
      'true',
    ]);
    for (const input of inputs) {
      const note = form.shadowRoot!.getElementById(input.getAttribute('aria-describedby')!)!;
      expect(note.textContent!.trim()).to.match(/^Enter/);
    }
    expect(form.shadowRoot!.activeElement).to.equal(by(form, 'Card number'));
    expect(said).to.deep.equal(['Check these fields']);
    expect(items()).to.deep.equal([
      'Enter the number on your card.',
      'Enter the month and year on your card.',
      'Enter the 3 or 4 digits on your card.',
      'Enter the name on your card.',
    ]);
    expect(sent).to.deep.equal([]);
    await expect(form).to.be.accessible();

    deep(form, 'li a')[1]!.click();
    expect(form.shadowRoot!.activeElement).to.equal(by(form, 'Expiry date'));
    await typeInto(by(form, 'Expiry date'), '12/34');
    expect(items()[1]).to.equal('Expiry date');
    expect(deep(form, 'li a')).to.have.length(3);
  });

  it('moves nothing for a problem that is alone, and says it once: by the focus, or aloud where that is there already', async () => {
    await fill('4242 4242 4242 4241');
    const height = form.scrollHeight;
    const said: string[] = [];
    form.addEventListener('say', (event) => said.push((event as SayEvent).text));
    form.shadowRoot!.querySelector('button')!.focus();
    await press(form, 'Pay');
    expect(form.shadowRoot!.activeElement).to.equal(by(form, 'Card number'));
    expect(form.scrollHeight).to.equal(height);
    expect(said).to.deep.equal([]);

    form.shadowRoot!.querySelector('form')!.requestSubmit();
    await form.updateComplete;
    await form.updateComplete;
    expect(said).to.deep.equal(['This card number is not right. Check it.']);
  });

  it('says what is wrong with a field to whoever goes on to the next', async () => {
    const said: string[] = [];
    form.addEventListener('say', (event) => said.push((event as SayEvent).text));
    await typeInto(by(form, 'Card number'), '4242 4242 4242 4241');
    by(form, 'Card number').dispatchEvent(new Event('change'));
    await form.updateComplete;
    by(form, 'Expiry date').focus();
    by(form, 'Security code').focus();

    expect(said).to.deep.equal(['This card number is not right. Check it.']);
  });

  for (const [what, number, expiry, code, field] of [
    ['a wrong check digit', '4242424242424243', '12/34', '123', 'Card number'],
    ['12 digits', '424242424242', '12/34', '123', 'Card number'],
    ['full-width digits', '４２４２４２４２４２４２４２４２', '12/34', '123', 'Card number'],
    ['month 13', '4242424242424242', '13/30', '123', 'Expiry date'],
    ['a date that has passed', '4242424242424242', '10/26', '123', 'Expiry date'],
    ['a code of 2 digits', '4242424242424242', '12/34', '12', 'Security code'],
    ['a code of 4 digits for Visa', '4242424242424242', '12/34', '1234', 'Security code'],
    ['a code of 3 digits for American Express', '378282246310005', '12/34', '123', 'Security code'],
  ] as const) {
    it(`refuses ${what} at its field (T44)`, async () => {
      await fill(number, expiry, code);
      await press(form, 'Pay');

      expect(form.shadowRoot!.activeElement).to.equal(by(form, field));
      expect(form.shadowRoot!.querySelectorAll('[aria-invalid=true]')).to.have.length(1);
      expect(sent).to.deep.equal([]);
    });
  }

  it('takes the problem away as soon as its field is typed into', async () => {
    await press(form, 'Pay');
    await typeInto(by(form, 'Card number'), '4');

    expect(by(form, 'Card number').getAttribute('aria-invalid')).to.equal(null);
    expect(by(form, 'Expiry date').getAttribute('aria-invalid')).to.equal('true');
  });

  it('says what the service could not take, in words of its own where it has some', async () => {
    form.problems = {
      number: { code: 'card-not-a-test-card' },
      name: { code: 'tomorrow', message: 'Said by the service.' },
    };
    await form.updateComplete;

    expect(form.shadowRoot!.getElementById('number-note')!.textContent).to.contain(
      'Use a test card',
    );
    expect(form.shadowRoot!.getElementById('name-note')!.textContent).to.contain(
      'Said by the service.',
    );
    expect(form.shadowRoot!.activeElement).to.equal(by(form, 'Card number'));
  });

  it('asks for the billing address when the service does, prefilled, and sends it from then on', async () => {
    await fill('4000000000000010');
    expect(form.shadowRoot!.querySelectorAll('input')).to.have.length(4);
    form.problems = Object.fromEntries(
      ['streetAddress', 'postalCode'].map((field) => [field, { code: 'billing-required' }]),
    );
    await form.updateComplete;

    expect(by(form, 'City').value).to.equal('Lusaka');
    expect(by(form, 'Billing country').value).to.equal('ZM');
    expect(form.shadowRoot!.activeElement).to.equal(by(form, 'Street address'));
    await expect(form).to.be.accessible();

    await press(form, 'Pay');
    expect(items().slice(0, 2)).to.deep.equal([
      'Street address Fill this in to use this card.',
      'Postal code Fill this in to use this card.',
    ]);
    await typeInto(by(form, 'Street address'), '1 Cairo Road');
    await press(form, 'Pay');
    expect(form.shadowRoot!.activeElement).to.equal(by(form, 'Postal code'));
    await typeInto(by(form, 'Postal code'), '10101');
    await typeInto(by(form, 'Billing country'), 'Zambia');
    await press(form, 'Pay');

    expect(sent.map(({ billing }) => billing)).to.deep.equal([
      { streetAddress: '1 Cairo Road', city: 'Lusaka', postalCode: '10101', country: 'ZM' },
    ]);
  });

  it('keeps what was typed for the next form (T44)', async () => {
    await fill();
    const next = await fixture<CardForm>(html`<card-form .draft=${draft} .now=${NOW}></card-form>`);

    expect([...next.shadowRoot!.querySelectorAll('input')].map(({ value }) => value)).to.deep.equal(
      ['4242 4242 4242 4242', '12/34', '123', 'Mary Banda'],
    );
  });
});
