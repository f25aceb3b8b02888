// The bank's page, which asks the customer to confirm a card payment.

import { find, setText } from './parts/elements.ts';
import { money } from './parts/formats.ts';

const notice = find('notice');
const answers = find('answers');
const buttons = [...answers.querySelectorAll('button')];

for (const button of buttons) button.addEventListener('click', () => void answer(button));
void load();

async function load() {
  const state = await call('GET', `${location.pathname}/state`);
  if (!state?.status)
    return over(state?.message ?? 'The bank cannot be reached. Reload this page to try again.');
  const { merchantName, total, currency, isOpen } = state.data;
  setText(find('merchant'), merchantName);
  setText(find('amount'), money(total, currency));
  if (!isOpen) return over('This verification is over. Nothing more to do here.');
  answers.hidden = false;
  notice.textContent = 'Is it you who is paying?';
}

async function answer(pressed: HTMLButtonElement) {
  for (const button of buttons) button.disabled = true;
  const result = await call('POST', location.pathname, { answer: pressed.dataset['answer'] });
  if (!result) {
    notice.textContent = 'The bank could not be reached. Try again.';
    for (const button of buttons) button.disabled = false;
    pressed.focus();
    return;
  }
  over(result.status ? 'Thank you. You can go back to the payment.' : result.message);
  // Only a hint: the frame then polls the service for the state.
  for (const window of [parent, opener])
    if (window && window !== self)
      window.postMessage({ type: 'service-pay:challenge-answered' }, location.origin);
}

function over(text: string) {
  answers.hidden = true;
  notice.textContent = text;
}

/** Returns undefined if the service did not respond, or is in trouble. */
async function call(method: string, path: string, body?: object) {
  try {
    const response = await fetch(path, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return response.status < 500 ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}
