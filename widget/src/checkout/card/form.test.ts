import { expect, fixture, html, waitUntil } from '@open-wc/testing';
import type { AttemptOf } from '@service-pay/contract/typed-attempt';
import { loadBrands } from './brand.ts';
import { buildCardDraft, type CardDraft } from './draft.ts';
import type { CardForm } from './form.ts';
import './form.ts';
import { digitsOf } from './number.ts';
import '../screens/later-screens.ts';
import type { SayEvent } from '../parts/field.ts';
import { renderBilling } from './billing.ts';
import '../parts/problem-list.ts';
import { by, choose, deep, press, typeInto } from '../test/hands.ts';

const NOW = '2026-11-20T10:00:00.000Z';

const marksIn = (form: CardForm) =>
  deep(form, 'svg[role=img]:not(.code)').map(({ ariaLabel }) => ariaLabel);

describe('card form before the brands are known', () => {
  it('the card form takes a number before the brands are known, and groups it again once its brand is', async () => {
    const draft = buildCardDraft({});
    const form = await fixture<CardForm>(html`<card-form .draft=${draft} .now=${NOW}></card-form>`);
    const number = by(form, 'Card number');

    await typeInto(number, '378282246310005');
    expect(number.value).to.equal('3782 8224 6310 005');
    number.setSelectionRange(12, 12);
    await waitUntil(() => marksIn(form).join() === 'American Express', 'no brand', {
      timeout: 8_000,
    });

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
      .renderBilling=${renderBilling}
      .pay=${(attempt: AttemptOf<'card'>) => sent.push(attempt)}
    ></card-form>`);
  });

  async function fill(number = '4242424242424242', expiry = '12/34', code = '123'): Promise<void> {
    await typeInto(by(form, 'Card number'), number);
    await typeInto(by(form, 'Expiry date'), expiry);
    await typeInto(by(form, 'Security code'), code);
  }

  const items = () => deep(form, 'li').map((item) => item.textContent!.replace(/\s+/g, ' ').trim());

  it('the card form is four labelled inputs that a browser can fill, and one button that names the amount', async () => {
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
    expect(inputs.map(({ name }) => name)).to.deep.equal([
      'cardnumber',
      'exp-date',
      'cvc',
      'ccname',
    ]);
    expect(by(form, 'Name on card').value).to.equal('Mary Banda');
    expect(
      [...form.shadowRoot!.querySelectorAll('button')].map((button) => button.textContent?.trim()),
    ).to.deep.equal(['Pay ZMW 10.00']);
    await expect(form).to.be.accessible();
  });

  it('the card form shows number and expiry date as they are printed on a card, and the brand once it is known', async () => {
    await fill('4242424242424242', '1234');

    expect(by(form, 'Card number').value).to.equal('4242 4242 4242 4242');
    expect(by(form, 'Expiry date').value).to.equal('12/34');
    expect(marksIn(form)).to.deep.equal(['Visa']);
  });

  it('the card form sends what was typed', async () => {
    await fill();
    await press(form, 'Pay');

    expect(sent).to.deep.equal([
      {
        channel: 'card',
        card: {
          number: '4242 4242 4242 4242',
          expiry: '12/34',
          securityCode: '123',
          name: 'Mary Banda',
        },
      },
    ]);
  });

  it('the card form ties every problem to its field, announces that there are several, and shows no list', async () => {
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
    expect(
      inputs.map((input) =>
        form
          .shadowRoot!.getElementById(input.getAttribute('aria-describedby')!)!
          .textContent!.trim(),
      ),
    ).to.deep.equal([
      'Enter the card number.',
      'Enter the expiry date.',
      'Enter the security code.',
      'Enter the name on the card.',
    ]);
    expect(form.shadowRoot!.activeElement).to.equal(by(form, 'Card number'));
    expect(said).to.deep.equal(['Check these fields']);
    expect(items()).to.deep.equal([]);
    expect(sent).to.deep.equal([]);
    await expect(form).to.be.accessible();
  });

  it('the card form marks a wrong field while it has the focus, too', async () => {
    form.style.cssText = '--line: rgb(0, 99, 0); --wrong: rgb(99, 0, 0)';
    await press(form, 'Pay ZMW 10.00');

    const number = by(form, 'Card number');
    expect(number.matches(':focus-visible')).to.equal(true);
    const { borderTopColor, outlineColor } = getComputedStyle(number);
    expect([borderTopColor, outlineColor]).to.deep.equal(['rgb(99, 0, 0)', 'rgb(99, 0, 0)']);
  });

  it('the card form says a problem once: by the focus, or aloud if the focus is there already', async () => {
    await fill('4242 4242 4242 4241');
    const said: string[] = [];
    form.addEventListener('say', (event) => said.push((event as SayEvent).text));
    form.shadowRoot!.querySelector('button')!.focus();
    await press(form, 'Pay');
    expect(form.shadowRoot!.activeElement).to.equal(by(form, 'Card number'));
    expect(said).to.deep.equal([]);

    form.shadowRoot!.querySelector('form')!.requestSubmit();
    await form.updateComplete;
    await form.updateComplete;
    expect(said).to.deep.equal(['Check the card number.']);
  });

  it('the card form shows the marks of the accepted brands, and narrows them to one by the first digits', async () => {
    form.accepted = ['visa', 'mastercard', 'american-express'];
    await form.updateComplete;
    expect(marksIn(form)).to.deep.equal(['Visa', 'Mastercard', 'American Express']);

    await typeInto(by(form, 'Card number'), '4');
    expect(marksIn(form)).to.deep.equal(['Visa']);
  });

  it('the card form says after four digits that the merchant does not accept the brand, and sends nothing', async () => {
    form.accepted = ['visa'];
    await typeInto(by(form, 'Card number'), '555');
    expect(by(form, 'Card number').ariaInvalid).to.equal(null);
    await typeInto(by(form, 'Card number'), '5555');
    expect(by(form, 'Card number').ariaInvalid).to.equal('true');

    await fill('5555555555554444');
    await press(form, 'Pay');
    expect(form.shadowRoot!.getElementById('number-note')!.textContent).to.contain(
      'does not accept this type of card',
    );
    expect(sent).to.deep.equal([]);
  });

  it('the card form marks a number at its last digit when it is wrong or too long, and announces it once', async () => {
    const said: string[] = [];
    form.addEventListener('say', (event) => said.push((event as SayEvent).text));
    const number = by(form, 'Card number');
    for (const [typed, isWrong] of [
      ['424242424242424', false],
      ['4242424242424241', true],
      ['424242424242424', false],
      ['555555555555444', false],
      ['55555555555544441', true],
      ['555555555555444412', true],
    ] as const) {
      await typeInto(number, typed);
      expect(number.ariaInvalid, typed).to.equal(isWrong ? 'true' : null);
    }
    expect(said).to.deep.equal(['Check the card number.', 'This card number is too long.']);
  });

  it('the card form marks a pasted number that is too long at its field, and touches no other', async () => {
    for (const pasted of [
      '42424242424242424',
      '424242424242424242420',
      '37828224631000500',
      '999999999999999999999',
    ]) {
      await typeInto(by(form, 'Card number'), pasted);

      expect(digitsOf(by(form, 'Card number').value)).to.equal(pasted);
      expect(form.shadowRoot!.activeElement).to.equal(by(form, 'Card number'));
      expect(form.shadowRoot!.getElementById('number-note')!.textContent).to.contain(
        'This card number is too long.',
      );
      expect(by(form, 'Expiry date').value).to.equal('');
    }
    await press(form, 'Pay');
    expect(form.shadowRoot!.getElementById('number-note')!.textContent).to.contain('too long');
  });

  it('the card form takes digits alone into the security code, and no more than the brand has', async () => {
    const code = by(form, 'Security code');
    for (const [number, typed, shown] of [
      ['4242424242424242', '12a34', '123'],
      ['378282246310005', '12345', '1234'],
      ['', '12345', '1234'],
    ] as const) {
      await typeInto(by(form, 'Card number'), number);
      await typeInto(code, typed);
      expect(code.value).to.equal(shown);
    }
  });

  it('the card form moves to the next field from one that is complete and right, with the caret at its end, and from no other', async () => {
    const focused = () =>
      (form.shadowRoot!.activeElement as HTMLInputElement).labels![0]!.textContent;
    for (const [label, text, next] of [
      ['Card number', '4242 4242 4242 424', 'Card number'],
      ['Card number', '4242 4242 4242 4241', 'Card number'],
      ['Card number', '4242 4242 4242 4242', 'Expiry date'],
      ['Expiry date', '10/26', 'Expiry date'],
      ['Expiry date', '12/34', 'Security code'],
      ['Security code', '12', 'Security code'],
      ['Security code', '123', 'Name on card'],
    ] as const) {
      await typeInto(by(form, label), text);
      expect(focused(), text).to.equal(next);
    }

    const number = by(form, 'Card number');
    number.focus();
    number.setSelectionRange(4, 4);
    number.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText' }));
    expect(focused()).to.equal('Card number');
    number.setSelectionRange(19, 19);
    number.dispatchEvent(new Event('input', { bubbles: true })); // as a browser fills a form
    expect(focused()).to.equal('Card number');
  });

  it('the card form selects a number that was sent when it gets the focus again, until it is changed', async () => {
    await fill();
    await press(form, 'Pay');
    const number = by(form, 'Card number');
    const selected = () => number.value.slice(number.selectionStart!, number.selectionEnd!);
    number.focus();
    expect(selected()).to.equal('4242 4242 4242 4242');

    await typeInto(number, '4000');
    by(form, 'Name on card').focus();
    number.focus();
    expect(selected()).to.equal('');
  });

  it('the card form selects a date and a code that were typed for another number when they get the focus', async () => {
    await fill();
    const [number, expiry, code] = ['Card number', 'Expiry date', 'Security code'].map((label) =>
      by(form, label),
    ) as [HTMLInputElement, HTMLInputElement, HTMLInputElement];
    const selectedIn = ({ value, selectionStart, selectionEnd }: HTMLInputElement) =>
      value.slice(selectionStart!, selectionEnd!);
    expiry.focus();
    expect(selectedIn(expiry)).to.equal('');

    await typeInto(number, '5555 5555 5555 4444');

    expect(expiry.matches(':focus')).to.equal(true);
    expect(selectedIn(expiry)).to.equal('12/34');
    code.focus();
    expect(selectedIn(code)).to.equal('123');
    await typeInto(expiry, '05/29');
    await typeInto(code, '321');
    for (const field of [expiry, code]) {
      field.focus();
      expect(selectedIn(field)).to.equal('');
    }
  });

  it('the card form says what is wrong with a field to whoever goes on to the next', async () => {
    const said: string[] = [];
    form.addEventListener('say', (event) => said.push((event as SayEvent).text));
    await typeInto(by(form, 'Card number'), '4242 42');
    by(form, 'Card number').dispatchEvent(new Event('change'));
    await form.updateComplete;
    by(form, 'Expiry date').focus();
    by(form, 'Security code').focus();

    expect(said).to.deep.equal(['Check the card number.']);
  });

  for (const [what, number, expiry, code, field] of [
    ['a wrong check digit', '4242424242424243', '12/34', '123', 'Card number'],
    ['12 digits', '424242424242', '12/34', '123', 'Card number'],
    ['a superscript digit', '424242424242424²', '12/34', '123', 'Card number'],
    ['month 13', '4242424242424242', '13/30', '123', 'Expiry date'],
    ['a date that has passed', '4242424242424242', '10/26', '123', 'Expiry date'],
    ['a code of 2 digits', '4242424242424242', '12/34', '12', 'Security code'],
    ['a code of 3 digits for American Express', '378282246310005', '12/34', '123', 'Security code'],
  ] as const) {
    it(`the card form rejects ${what} at its field (T44)`, async () => {
      await fill(number, expiry, code);
      await press(form, 'Pay');

      expect(form.shadowRoot!.activeElement).to.equal(by(form, field));
      expect(form.shadowRoot!.querySelectorAll('[aria-invalid=true]')).to.have.length(1);
      expect(sent).to.deep.equal([]);
    });
  }

  it('the card form shows and sends 0–9 for digits of other scripts and marks that came along (T128)', async () => {
    await fill('\u202a４２４２ 4242\u00a04242\u200b4242\u202c', '１２／３４', '\u200e١٢٣');

    expect(
      ['Card number', 'Expiry date', 'Security code'].map((label) => by(form, label).value),
    ).to.deep.equal(['4242 4242 4242 4242', '12/34', '123']);
    await press(form, 'Pay');
    expect(sent[0]?.card).to.include({
      number: '4242 4242 4242 4242',
      expiry: '12/34',
      securityCode: '123',
    });
  });

  it('the card form pastes number, date and code of a card into their fields', async () => {
    const values = () =>
      ['Card number', 'Expiry date', 'Security code'].map((label) => by(form, label).value);
    await typeInto(by(form, 'Card number'), '4242 4242 4242 4242 12/34');
    expect(values()).to.deep.equal(['4242 4242 4242 4242', '12/34', '']);
    expect(by(form, 'Security code').matches(':focus')).to.equal(true);

    await typeInto(by(form, 'Card number'), 'Visa 5555555555554444, exp 1/2035, CVC 321');

    expect(values()).to.deep.equal(['5555 5555 5555 4444', '01/35', '321']);
  });

  it('the card form pastes a date and the code after it into their fields', async () => {
    await typeInto(by(form, 'Expiry date'), '12/34 123');

    expect(['Expiry date', 'Security code'].map((label) => by(form, label).value)).to.deep.equal([
      '12/34',
      '123',
    ]);
  });

  it('the card form says that a card has expired as soon as its date is complete, and not of a year half typed', async () => {
    const note = () => form.shadowRoot!.getElementById('expiry-note')!.textContent?.trim();

    await typeInto(by(form, 'Expiry date'), '12/20');
    expect(note()).to.equal('');
    await typeInto(by(form, 'Expiry date'), '12/24');
    expect(note()).to.equal('This card has expired.');
    await typeInto(by(form, 'Expiry date'), '12/3');
    expect(note()).to.equal('');
  });

  it('the card form moves from an empty field back to the end of the one before it at a Backspace', async () => {
    await typeInto(by(form, 'Expiry date'), '12/3');
    const code = by(form, 'Security code');
    const backspace = () =>
      new KeyboardEvent('keydown', { key: 'Backspace', bubbles: true, cancelable: true });
    code.focus();

    expect(code.dispatchEvent(backspace()), 'no digit goes').to.equal(false);
    const expiry = by(form, 'Expiry date');
    expect([expiry.matches(':focus'), expiry.selectionStart]).to.deep.equal([true, 4]);
    expect(expiry.dispatchEvent(backspace())).to.equal(true);
    expect(expiry.matches(':focus')).to.equal(true);
  });

  it('the card form shows 0–9 and no invisible marks in the name, too', async () => {
    await typeInto(by(form, 'Name on card'), '\u202aMary ١٢\u202c');

    expect(by(form, 'Name on card').value).to.equal('Mary 12');
    expect(draft.name).to.equal('Mary 12');
  });

  it('the card form moves on from the expiry date after the month, although the year came first (T128)', async () => {
    const expiry = by(form, 'Expiry date');
    const typeNext = async (key: string) => {
      expiry.value += key;
      expiry.dispatchEvent(
        new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText' }),
      );
      await form.updateComplete;
    };
    expiry.focus();
    for (const key of '2034-1') await typeNext(key);
    expect(form.shadowRoot!.activeElement).to.equal(expiry);
    await typeNext('2');

    expect(expiry.value).to.equal('12/34');
    expect(form.shadowRoot!.activeElement).to.equal(by(form, 'Security code'));
  });

  it('the card form removes a problem as soon as its field is typed into', async () => {
    await press(form, 'Pay');
    await typeInto(by(form, 'Card number'), '4');

    expect(by(form, 'Card number').getAttribute('aria-invalid')).to.equal(null);
    expect(by(form, 'Expiry date').getAttribute('aria-invalid')).to.equal('true');
  });

  it('the card form says what the service rejected, in words of its own if it has some', async () => {
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

  it('the card form requests the billing address when the service does, prefilled, and sends it from then on', async () => {
    await fill('4000000000000010');
    expect(form.shadowRoot!.querySelectorAll('input')).to.have.length(4);
    form.problems = Object.fromEntries(
      ['streetAddress', 'postalCode'].map((field) => [field, { code: 'billing-required' }]),
    );
    await form.updateComplete;

    expect(by(form, 'City').value).to.equal('Lusaka');
    expect((by(form, 'Billing country') as unknown as HTMLSelectElement).value).to.equal('ZM');
    expect(form.shadowRoot!.activeElement).to.equal(by(form, 'Street address'));
    expect(form.shadowRoot!.querySelectorAll('[aria-invalid=true]')).to.have.length(0);
    expect(items()).to.deep.equal([]);
    await expect(form).to.be.accessible();

    await press(form, 'Pay');
    expect(items().slice(0, 2)).to.deep.equal([
      'Street address Fill this in to use this card.',
      'Postal code Fill this in to use this card.',
    ]);
    deep(form, 'li a')[1]!.click();
    expect(form.shadowRoot!.activeElement).to.equal(by(form, 'Postal code'));
    await typeInto(by(form, 'Street address'), '1 Cairo Road');
    expect(items()[0]).to.equal('Street address');
    await press(form, 'Pay');
    expect(form.shadowRoot!.activeElement).to.equal(by(form, 'Postal code'));
    await typeInto(by(form, 'Postal code'), '10101');
    await choose(by(form, 'Billing country'), 'Malawi');
    await press(form, 'Pay');

    expect(sent.map(({ billing }) => billing)).to.deep.equal([
      { streetAddress: '1 Cairo Road', city: 'Lusaka', postalCode: '10101', country: 'MW' },
    ]);
  });

  it('the card form keeps what was typed for the next form (T44)', async () => {
    await fill();
    const next = await fixture<CardForm>(html`<card-form .draft=${draft} .now=${NOW}></card-form>`);

    expect([...next.shadowRoot!.querySelectorAll('input')].map(({ value }) => value)).to.deep.equal(
      ['4242 4242 4242 4242', '12/34', '123', 'Mary Banda'],
    );
  });
});
