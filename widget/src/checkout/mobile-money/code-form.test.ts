import { expect, fixture, html } from '@open-wc/testing';

import type { CodeForm } from './code-form.ts';
import '../screens/later-screens.ts';
import { by, press, typeInto } from '../test/hands.ts';

describe('code form', () => {
  let form: CodeForm;
  let codes: string[];

  beforeEach(async () => {
    codes = [];
    form = await fixture<CodeForm>(
      html`<code-form .codesLeft=${3} .confirm=${(code: string) => codes.push(code)}></code-form>`,
    );
  });

  const note = () => form.shadowRoot!.getElementById('code-note')!.textContent?.trim();

  it('the code form is one input that a phone fills from its messages', async () => {
    const input = by(form, 'One-time code');

    expect([input.autocomplete, input.inputMode]).to.deep.equal(['one-time-code', 'numeric']);
    expect(note()).to.equal('');
    await expect(form).to.be.accessible();
  });

  it('the code form shows the code in large digits', () => {
    const { fontSize, textAlign } = getComputedStyle(by(form, 'One-time code'));

    expect([fontSize, textAlign]).to.deep.equal(['28px', 'center']);
  });

  it('the code form says which phone the code went to, and requests another on a press', async () => {
    let times = 0;
    form.phone = '096 ••• 9999';
    form.repeat = () => {
      times += 1;
    };
    await form.updateComplete;

    expect(form.shadowRoot!.textContent).to.contain('We texted a code to 096 ••• 9999.');
    await expect(form).to.be.accessible();
    await press(form, 'Send a new code');
    expect([times, codes]).to.deep.equal([1, []]);
  });

  it('the code form shows how long the code is good for (D37)', async () => {
    form.secondsLeft = 61;
    await form.updateComplete;

    expect(form.shadowRoot!.querySelector('[role=timer]')!.textContent).to.equal('1:01 left');
    await expect(form).to.be.accessible();
  });

  it('the code form sends the digits without the gaps of a message', async () => {
    await typeInto(by(form, 'One-time code'), ' 000-000 ');
    await press(form, 'Confirm');

    expect(codes).to.deep.equal(['000000']);
  });

  it('the code form shows and sends 0–9 for digits of other scripts and marks that came along (T128)', async () => {
    await typeInto(by(form, 'One-time code'), '\u202a０００ ۰۰۱\u202c');

    expect(by(form, 'One-time code').value).to.equal('000 001');
    await press(form, 'Confirm');
    expect(codes).to.deep.equal(['000001']);
  });

  it('the code form sends nothing that is no code (T47)', async () => {
    for (const code of ['', 'abcdef', '12', '123456789', '00000²']) {
      await typeInto(by(form, 'One-time code'), code);
      await press(form, 'Confirm');
      expect(by(form, 'One-time code').getAttribute('aria-invalid')).to.equal('true');
    }

    expect(codes).to.deep.equal([]);
    await expect(form).to.be.accessible();
  });

  it('the code form says how often a wrong code may still be corrected', async () => {
    form.problems = { code: { code: 'code-wrong' } };
    form.codesLeft = 1;
    await form.updateComplete;

    expect(note()).to.equal('Wrong code. 1 try left.');
    expect(form.shadowRoot!.activeElement).to.equal(by(form, 'One-time code'));
  });

  it('the code form moves no button while a code is checked, and lets none but the pressed one stay pressable (B14)', async () => {
    let changes = 0;
    form.change = { name: 'Use another number', act: () => (changes += 1) };
    form.repeat = () => {};
    await form.updateComplete;
    const places = () =>
      [...form.shadowRoot!.querySelectorAll('button')].map(({ offsetTop }) => offsetTop);
    const before = places();

    form.isSending = true;
    await form.updateComplete;
    await press(form, 'Use another number');

    expect(places()).to.deep.equal(before);
    expect(changes).to.equal(0);
  });
});
