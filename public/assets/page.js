// What every page does: says so where the payment script did not arrive, and offers each piece of
// code to copy.

const BLOCKED =
  'The payment script did not arrive, so nothing can be paid here. Is the sandbox running, and does a blocker or the policy of this page stop it?';

addEventListener('load', () => {
  if (!document.querySelector('script[src$="/inline.js"]') || 'ServicePay' in window) return;
  const warning = document.createElement('p');
  warning.className = 'warning';
  warning.role = 'alert';
  warning.textContent = BLOCKED;
  document.querySelector('main').prepend(warning);
});

for (const figure of document.querySelectorAll('figure')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('code').textContent);
    button.textContent = 'Copied';
  });
  figure.querySelector('figcaption').append(button);
}
