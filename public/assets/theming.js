import { makeReference, tell } from './heard.js';

const form = document.getElementById('theme');
const code = document.getElementById('css');
const element = document.querySelector('service-pay');

form.addEventListener('input', show);
element.reference = makeReference();
element.addEventListener('service-pay-success', ({ reference }) => {
  tell('service-pay-success', reference);
  element.reference = makeReference();
});
element.addEventListener('service-pay-close', () => tell('service-pay-close'));
element.addEventListener('service-pay-confirmation-pending', () =>
  tell('service-pay-confirmation-pending'),
);
element.addEventListener('service-pay-error', ({ error }) => tell(error.code, error.message));
show();

/** Gives the page the custom properties chosen, and shows them as they stand in a style sheet. */
function show() {
  const { accent, radius, font, scheme } = Object.fromEntries(new FormData(form));
  const properties = {
    '--service-pay-accent': accent,
    '--service-pay-radius': `${radius}px`,
    '--service-pay-font': font,
  };
  for (const [name, value] of Object.entries(properties))
    document.documentElement.style.setProperty(name, value);
  document.documentElement.style.colorScheme = scheme;
  const lines = Object.entries(properties).map(([name, value]) => `  ${name}: ${value};`);
  code.textContent = [':root {', ...lines, '}'].join('\n');
}
