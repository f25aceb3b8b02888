import { log } from './log.ts';

const form = document.querySelector<HTMLFormElement>('#theming form')!;
const code = document.querySelector('#theming pre code')!;
const element = document.querySelector('service-pay')!;

form.addEventListener('input', show);
show();

element.reference = crypto.randomUUID();
element.addEventListener('service-pay-success', ({ type, reference }) => {
  log(element, type, reference);
  element.reference = crypto.randomUUID();
});
element.addEventListener('service-pay-close', ({ type }) => log(element, type));
element.addEventListener('service-pay-confirmation-pending', ({ type }) => log(element, type));
element.addEventListener('service-pay-error', ({ error }) => log(element, error.message));

/** Sets the chosen custom properties on the element and shows them as a style sheet. */
function show(): void {
  const { accent, radius, font } = Object.fromEntries(new FormData(form));
  const properties = {
    '--service-pay-accent': `${accent}`,
    '--service-pay-radius': `${radius}px`,
    '--service-pay-font': `${font}`,
  };
  const lines = Object.entries(properties).map(([name, value]) => {
    element.style.setProperty(name, value);
    return `  ${name}: ${value};`;
  });
  code.textContent = ['service-pay {', ...lines, '}'].join('\n');
}
