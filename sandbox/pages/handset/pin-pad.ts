// The pad on which a customer types a PIN. Nothing checks it.

import { html, nothing } from '../parts/lit.ts';

const PIN_LENGTH = 4;
const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', 'C', '0', '⌫'];
const KEY_NAMES: Readonly<Record<string, string>> = {
  C: 'Clear the PIN',
  '⌫': 'Delete the last digit',
};

/** Returns the PIN after a key of the pad. */
export function typeKey(pin: string, key: string) {
  if (key === 'C') return '';
  if (key === '⌫') return pin.slice(0, -1);
  return (pin + key).slice(0, PIN_LENGTH);
}

export function pinDots({ length: typed }: string) {
  return html`<p class="dots" role="img" aria-label=${`PIN, ${typed} of ${PIN_LENGTH} digits`}
    >${Array.from(
      { length: PIN_LENGTH },
      (_, at) => html`<span class=${at < typed ? 'typed' : ''}></span>`,
    )}</p
  >`;
}

export function pinPad(networkName: string, onKey: (key: string) => void) {
  return html`<section class="pad" aria-label="PIN pad" data-network=${networkName.toLowerCase()}>
    <p class="small">Any PIN works. Never type a real one.</p>
    <div class="keys"
      >${KEYS.map(
        (key) =>
          html`<button
            type="button"
            aria-label=${KEY_NAMES[key] ?? nothing}
            @click=${() => onKey(key)}
            >${key}</button
          >`,
      )}</div
    >
  </section>`;
}
