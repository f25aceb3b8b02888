import { expect, fixture, html } from '@open-wc/testing';
import type { Network } from '@service-pay/contract/checkout-api';

import type { AttemptOf } from '@service-pay/contract/typed-attempt';
import type { SayEvent } from '../parts/field.ts';
import type { MobileMoneyForm } from './form.ts';
import '../screens/later-screens.ts';
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
      .pay=${(attempt: AttemptOf<'mobile-money'>) => sent.push(attempt)}
    ></mobile-money-form>`);
  }

  const chosen = () =>
    deep(form, 'input:checked').map((input) => (input as HTMLInputElement).value);
  const note = () => form.shadowRoot!.getElementById('phone-note')!.textContent?.trim();

  it('the mobile money form shows every network before a number is typed, none of them chosen', async () => {
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

  it('the mobile money form has chosen the only network there is, in sight', async () => {
    await show(NETWORKS.slice(1, 2));

    expect(chosen()).to.deep.equal(['airtel']);
    expect(deep(form, '.chosen').map((choice) => choice.textContent?.trim())).to.deep.equal([
      'Airtel',
    ]);

    await typeInto(by(form, 'Phone number'), '0971111111');
    await press(form, 'Pay');

    expect(sent.map(({ mobileMoney }) => mobileMoney.operator)).to.deep.equal(['airtel']);
  });

  it('the mobile money form shows the phone first, then the networks, and says what happens next', async () => {
    await show();

    const [first, second] = deep(form, 'input') as HTMLInputElement[];
    expect([first!.id, second!.type]).to.deep.equal(['phone', 'radio']);
    expect(deep(form, '.prefix')[0]!.textContent).to.equal('+260');
    expect(deep(form, '.next')[0]!.textContent).to.equal(
      'We will send a request to this phone. Never type your PIN here.',
    );
  });

  it('the mobile money form says how long the chosen network usually takes, and instead that it is slow or down', async () => {
    const [mtn, airtel, zamtel] = NETWORKS as [Network, Network, Network];
    await show([
      { ...mtn, typicalSeconds: 20 },
      { ...airtel, typicalSeconds: 180, notice: 'slow' },
      { ...zamtel, notice: 'tired' },
    ]);
    const said: string[] = [];
    form.addEventListener('say', (event) => said.push((event as SayEvent).text));
    const next = () => deep(form, '.next')[0]!.textContent;
    const before = 'We will send a request to this phone. Never type your PIN here.';
    const notice = () => form.shadowRoot!.getElementById('operator-note')!.textContent?.trim();

    await typeInto(by(form, 'Phone number'), '0961111111');
    expect([next(), notice(), said]).to.deep.equal([
      `${before} It usually takes about 20 seconds to pay.`,
      '',
      [],
    ]);
    await typeInto(by(form, 'Phone number'), '0971111111');
    const slow = 'Airtel is slow right now. The request may take a few minutes.';
    expect([next(), notice(), said]).to.deep.equal([before, slow, [slow]]);
    await typeInto(by(form, 'Phone number'), '0951111111');
    expect([next(), notice(), said]).to.deep.equal([before, '', [slow, '']]);
    form.networks = [mtn, airtel, { ...zamtel, notice: 'slow' }];
    await form.updateComplete;
    expect(said.at(-1)).to.equal('Zamtel is slow right now. The request may take a few minutes.');
    await show([{ ...airtel, typicalSeconds: 180 }]);
    expect(next()).to.equal(`${before} It usually takes about 3 minutes to pay.`);
    await show([{ ...airtel, typicalSeconds: 1_000_000 }]);
    expect(next()).to.equal(before);
    await expect(form).to.be.accessible();
  });

  it('the mobile money form offers a card first under a network that is down, or another network where cards are not offered', async () => {
    const [mtn, airtel, zamtel] = NETWORKS as [Network, Network, Network];
    await show([{ ...mtn, notice: 'down' }, { ...airtel, notice: 'down' }, zamtel]);
    await typeInto(by(form, 'Phone number'), '0961111111');
    const names = () => deep(form, 'button').map((button) => button.textContent?.trim());
    expect(names()).to.deep.equal(['Use Zamtel', 'Pay ZMW 10.00']);

    await press(form, 'Use Zamtel');
    await form.updateComplete;
    expect(form.draft.operator).to.equal('zamtel');
    const phone = by(form, 'Phone number');
    expect([phone.selectionStart, phone.selectionEnd]).to.deep.equal([0, phone.value.length]);
    await typeInto(phone, '0961111111');
    expect(form.draft.operator, 'the number still selects its network').to.equal('mtn');

    let cards = 0;
    form.useCard = () => (cards += 1);
    await form.updateComplete;
    expect(names()).to.deep.equal(['Use a card', 'Pay ZMW 10.00']);
    await expect(form).to.be.accessible();
    await press(form, 'Use a card');
    expect(cards).to.equal(1);
    form.isSending = true;
    await form.updateComplete;
    await press(form, 'Use a card');
    expect([cards, names().length], 'it stays in its place').to.deep.equal([1, 2]);
  });

  it("the mobile money form draws a network's logo from its record alone, and its first letter without one", async () => {
    const [mtn, airtel, zamtel] = NETWORKS as [Network, Network, Network];
    const logo = 'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg"/%3E';
    await show([{ ...mtn, logo }, { ...airtel, logo: 'https://logos.example/airtel.png' }, zamtel]);

    expect(
      deep(form, '.network').map((mark) => mark.getAttribute('src') ?? mark.dataset['initial']),
    ).to.deep.equal([logo, 'A', 'Z']);
  });

  it('the mobile money form chooses the network by the first digits of the number, until the customer chooses', async () => {
    await show();
    await typeInto(by(form, 'Phone number'), '097');
    expect(chosen()).to.deep.equal(['airtel']);
    await typeInto(by(form, 'Phone number'), '+260 96 1');
    expect(chosen()).to.deep.equal(['mtn']);

    await press(form, 'Zamtel');
    await typeInto(by(form, 'Phone number'), '0971111111');

    expect(chosen()).to.deep.equal(['zamtel']);
    expect(note()).to.equal('This is an Airtel number. Choose Airtel or use another number.');
    await expect(form).to.be.accessible();

    await press(form, 'Pay');
    expect(sent).to.deep.equal([]);
    expect(by(form, 'Phone number').ariaInvalid).to.equal('true');
    await press(form, 'Use Airtel');
    expect(chosen()).to.deep.equal(['airtel']);
    expect(note()).to.equal('');
    await press(form, 'Pay');
    expect(sent.map(({ mobileMoney }) => mobileMoney.operator)).to.deep.equal(['airtel']);
  });

  it('the mobile money form checks a number when it is left, and says what is wrong', async () => {
    await show();
    const said: string[] = [];
    form.addEventListener('say', (event) => said.push((event as SayEvent).text));
    await typeInto(by(form, 'Phone number'), '096 1');
    by(form, 'Phone number').dispatchEvent(new Event('change'));
    await form.updateComplete;

    expect(note()).to.equal('Check the phone number.');
    expect(said).to.deep.equal(['Check the phone number.']);
  });

  it('the mobile money form starts from the number the shop knows', async () => {
    draft.phone = '0951111111';
    await show();

    expect(by(form, 'Phone number').value).to.equal('95 111 1111');
    expect(chosen()).to.deep.equal(['zamtel']);
  });

  it('the mobile money form sends the network, and the number as it is typed', async () => {
    await show();
    await press(form, 'MTN');
    await typeInto(by(form, 'Phone number'), ' 096-1111111 ');
    await press(form, 'Pay');

    expect(sent).to.deep.equal([
      { channel: 'mobile-money', mobileMoney: { operator: 'mtn', phone: '96 111 1111' } },
    ]);
  });

  it('the mobile money form selects a number that was sent when it gets the focus again', async () => {
    await show();
    const phone = by(form, 'Phone number');
    await typeInto(phone, '096 111 1111');
    deep(form, '[type=submit]')[0]!.focus();
    phone.focus();
    expect([phone.selectionStart, phone.selectionEnd]).to.deep.equal([11, 11]);
    await press(form, 'Pay');

    deep(form, '[type=submit]')[0]!.focus();
    phone.focus();

    expect([phone.selectionStart, phone.selectionEnd]).to.deep.equal([0, 11]);
  });

  it('the mobile money form requires the number first, and says that the network is missing, too', async () => {
    await show();
    await press(form, 'Pay');
    expect(form.shadowRoot!.activeElement).to.equal(by(form, 'Phone number'));
    expect(note()).to.equal('Enter the phone number.');
    expect(form.shadowRoot!.getElementById('operator-note')!.textContent?.trim()).to.equal(
      'Choose your network.',
    );
    await expect(form).to.be.accessible();
    expect(sent).to.deep.equal([]);
  });

  it('the mobile money form rejects letters and foreign numbers, and shows what the service rejected (T46)', async () => {
    await show();
    await press(form, 'MTN');
    for (const phone of ['abc', '096']) {
      await typeInto(by(form, 'Phone number'), phone);
      await press(form, 'Pay');
      expect(note()).to.equal('Check the phone number.');
    }
    await typeInto(by(form, 'Phone number'), '+1 202 555 0100');
    expect(note()).to.equal('Use a Zambian number (+260).');
    expect(deep(form, '.prefix')).to.deep.equal([]);
    expect(by(form, 'Phone number').ariaInvalid).to.equal(null);
    await press(form, 'Pay');
    expect(note()).to.equal('Use a Zambian number (+260).');
    expect(by(form, 'Phone number').ariaInvalid).to.equal('true');
    form.problems = { phone: { code: 'phone-other-network' } };
    await form.updateComplete;

    expect(note()).to.contain('another network');
    expect(form.shadowRoot!.activeElement).to.equal(by(form, 'Phone number'));
    expect(sent).to.deep.equal([]);
  });

  for (const phone of ['\u202a+260 96 111 1111\u202c', '０９６１１１１１１１', '٠٩٦ ١١١ ١١١١']) {
    it(`the mobile money form shows and sends 0–9 for ${phone}, prefilled or pasted (T128)`, async () => {
      draft.phone = phone;
      await show();
      const prefilled = by(form, 'Phone number').value;
      await typeInto(by(form, 'Phone number'), phone);

      for (const shown of [prefilled, by(form, 'Phone number').value])
        expect(shown).to.match(/^0?96 111 1111$/);
      expect(chosen()).to.deep.equal(['mtn']);
      await press(form, 'Pay');
      expect(sent.map(({ mobileMoney }) => mobileMoney.phone)).to.deep.equal([
        by(form, 'Phone number').value,
      ]);
    });
  }

  it('the mobile money form takes the number out of a pasted contact', async () => {
    await show();
    await typeInto(by(form, 'Phone number'), 'Mary: 0961111111');

    expect(by(form, 'Phone number').value).to.equal('96 111 1111');
    expect(chosen()).to.deep.equal(['mtn']);
  });
});
