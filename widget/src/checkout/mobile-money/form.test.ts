import { expect, fixture, html } from '@open-wc/testing';

import type { AttemptOf } from '../card/draft.ts';
import type { MobileMoneyForm } from './form.ts';
import '../screens/lazy.ts';
import { by, deep, press, typeInto } from '../test/hands.ts';
import { NETWORKS } from '../test/stand-in-checkout.ts';
import type { PhoneDraft } from './draft.ts';

describe('mobile money form', () => {
  let draft: PhoneDraft;
  let form: MobileMoneyForm;
  let sent: AttemptOf<'mobile-money'>[];

  beforeEach(() => {
    draft = { phone: '', operator: '', isChosen: false };
    sent = [];
  });

  async function show(networks = NETWORKS): Promise<void> {
    form = await fixture<MobileMoneyForm>(html`<mobile-money-form
      .networks=${networks}
      .draft=${draft}
      .amount=${'ZMW 10.00'}
      .merchant=${'Demo Shop'}
      .pay=${(attempt: AttemptOf<'mobile-money'>) => sent.push(attempt)}
    ></mobile-money-form>`);
  }

  const chosen = () =>
    deep(form, 'input:checked').map((input) => (input as HTMLInputElement).value);
  const note = () => form.shadowRoot!.getElementById('phone-note')!.textContent?.trim();

  it('shows every network before a number is typed, none of them chosen', async () => {
    await show();

    expect(
      deep(form, 'input[type=radio]').map((input) =>
        (input as HTMLInputElement).labels![0]!.textContent?.trim(),
      ),
    ).to.deep.equal(['MTN', 'Airtel', 'Zamtel']);
    expect(chosen()).to.deep.equal([]);
    expect(by(form, 'Phone number').autocomplete).to.equal('tel');
    await expect(form).to.be.accessible();
  });

  it('has chosen the only network there is, in sight', async () => {
    await show(NETWORKS.slice(1, 2));

    expect(chosen()).to.deep.equal(['airtel']);
    expect(deep(form, '.chosen').map((choice) => choice.textContent?.trim())).to.deep.equal([
      'Airtel',
    ]);

    await typeInto(by(form, 'Phone number'), '0971111111');
    await press(form, 'Pay');

    expect(sent.map(({ mobileMoney }) => mobileMoney.operator)).to.deep.equal(['airtel']);
  });

  it('keeps its foot where it is while a payment is sent', async () => {
    await show();
    const foot = deep(form, '.foot')[0]!;
    foot.style.inlineSize = '320px';
    const { height } = foot.getBoundingClientRect();
    const lines = () =>
      deep(form, '.foot p').flatMap((line) =>
        line.checkVisibility({ visibilityProperty: true }) ? line.textContent?.trim() : [],
      );

    expect(lines()).to.deep.equal(['ServicePay takes this payment for Demo Shop.']);

    form.merchant =
      'Mwamba & Daughters General Dealers, Agricultural Supplies and Building Materials';
    await form.updateComplete;
    const { height: tall } = foot.getBoundingClientRect();
    form.isSending = true;
    await form.updateComplete;

    expect(lines()).to.deep.equal(['Sending your payment takes a few seconds.']);
    expect(tall).to.be.greaterThan(height);
    expect(foot.getBoundingClientRect().height).to.equal(tall);
  });

  it('chooses the network by the first digits of the number, until the customer chooses', async () => {
    await show();
    await typeInto(by(form, 'Phone number'), '097');
    expect(chosen()).to.deep.equal(['airtel']);
    await typeInto(by(form, 'Phone number'), '+260 96 1');
    expect(chosen()).to.deep.equal(['mtn']);

    await press(form, 'Zamtel');
    await typeInto(by(form, 'Phone number'), '0971111111');

    expect(chosen()).to.deep.equal(['zamtel']);
    expect(note()).to.equal('This looks like a number of Airtel.');
    await expect(form).to.be.accessible();
  });

  it('starts from the number the shop knows', async () => {
    draft.phone = '0951111111';
    await show();

    expect(by(form, 'Phone number').value).to.equal('0951111111');
    expect(chosen()).to.deep.equal(['zamtel']);
  });

  it('sends network and number as typed', async () => {
    await show();
    await press(form, 'MTN');
    await typeInto(by(form, 'Phone number'), ' 096-111 1111 ');
    await press(form, 'Pay');

    expect(sent).to.deep.equal([
      { channel: 'mobile-money', mobileMoney: { operator: 'mtn', phone: '096-111 1111' } },
    ]);
  });

  it('asks for a network first, then for a number', async () => {
    await show();
    await press(form, 'Pay');
    expect((form.shadowRoot!.activeElement as HTMLInputElement).value).to.equal('mtn');
    await expect(form).to.be.accessible();

    await press(form, 'MTN');
    await press(form, 'Pay');
    expect(form.shadowRoot!.activeElement).to.equal(by(form, 'Phone number'));
    expect(note()).to.contain('Enter the phone number');
    expect(sent).to.deep.equal([]);
  });

  it('refuses letters and foreign numbers, and shows what the service refused (T46)', async () => {
    await show();
    await press(form, 'MTN');
    for (const phone of ['abc', '096', '+1 202 555 0100']) {
      await typeInto(by(form, 'Phone number'), phone);
      await press(form, 'Pay');
      expect(note()).to.contain('not right');
    }
    form.problems = { phone: { code: 'phone-other-network' } };
    await form.updateComplete;

    expect(note()).to.contain('not of the chosen network');
    expect(form.shadowRoot!.activeElement).to.equal(by(form, 'Phone number'));
    expect(sent).to.deep.equal([]);
  });

  it('sends nothing while an attempt is on its way (T42)', async () => {
    draft.phone = '0961111111';
    await show();
    form.isSending = true;
    await form.updateComplete;
    await press(form, 'Pay');

    expect(sent).to.deep.equal([]);
  });
});
