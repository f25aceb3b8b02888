import { logEvent, makeReference } from './event-log.js';

const form = document.getElementById('theme');
const code = document.getElementById('css');
const element = document.querySelector('service-pay');

form.addEventListener('input', show);
element.reference = makeReference();
element.addEventListener('service-pay-success', ({ reference }) => {
  logEvent('service-pay-success', reference);
  element.reference = makeReference();
});
element.addEventListener('service-pay-close', () => logEvent('service-pay-close'));
element.addEventListener('service-pay-confirmation-pending', () =>
  logEvent('service-pay-confirmation-pending'),
);
element.addEventListener('service-pay-error', ({ error }) => logEvent(error.code, error.message));
show();

/** Sets the chosen custom properties on the page and shows them as a style sheet. */
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
