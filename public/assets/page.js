// On every page: marks its link, reports a payment script that did not load, and adds copy buttons.

const BLOCKED =
  'The payment script did not load, so you cannot pay here. Check that the sandbox is running and that no blocker or policy stops the script.';

document.querySelector(`nav a[href="${location.pathname}"]`)?.setAttribute('aria-current', 'page');

addEventListener('load', () => {
  if (!document.querySelector('script[src$="/inline.js"]') || 'ServicePay' in window) return;
  const warning = document.createElement('p');
  warning.className = 'warning';
  warning.role = 'alert';
  warning.textContent = BLOCKED;
  document.querySelector('main').prepend(warning);
});

for (const figure of document.querySelectorAll('figure'))
  addCopyButton(figure.querySelector('figcaption'), () => figure.querySelector('code').textContent);

for (const { cells } of document.querySelectorAll('tbody tr')) {
  const number = cells[0].textContent;
  addCopyButton(cells[2], () => number, ` ${number}`);
}

/** Adds a button that copies a text and then says so, until something else is copied. */
function addCopyButton(place, readText, unseenLabel = '') {
  const button = document.createElement('button');
  const label = document.createElement('span');
  button.type = 'button';
  button.className = 'copy';
  label.className = 'unseen';
  label.textContent = unseenLabel;
  button.append('Copy', label);
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(readText());
    for (const { firstChild } of document.querySelectorAll('.copy')) firstChild.data = 'Copy';
    button.firstChild.data = 'Copied';
  });
  place.append(button);
}
