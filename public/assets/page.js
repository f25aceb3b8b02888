// On every page: links to the others, shows code with copy buttons, and reports a payment script
// that did not load.

const PAGES = {
  '/': 'ServicePay',
  '/script-tag.html': 'Script tag',
  '/element.html': 'Element',
  '/strict-csp.html': 'Strict CSP',
  '/npm.html': 'npm',
  '/gallery/': 'Gallery',
};
const CODE = new RegExp(
  [
    /(?<comment>\/\/.*|\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->)/,
    /(?<string>'(?:[^'\\\n]|\\.)*'|"[^"\n]*"|`[^`]*`)/,
    /(?<word><[/!]?[\w-]+|(?<!=)\/?>|\b(?:async|await|catch|const|do|export|for|from|function|if|import|new|of|return|try|void|while)\b)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);
const main = document.querySelector('main');

const nav = build('nav');
nav.ariaLabel = 'Pages';
for (const [href, name] of Object.entries(PAGES)) {
  const link = build('a', name);
  link.href = href;
  if (href === location.pathname) link.ariaCurrent = 'page';
  nav.append(link);
}
main.before(nav);

addEventListener('load', () => {
  if (!document.querySelector('script[src$="/inline.js"]') || 'ServicePay' in window) return;
  const warning = build(
    'p',
    'The payment script did not load, so you cannot pay here. Check that the sandbox is running and that no blocker or policy stops the script.',
  );
  warning.className = 'warning';
  warning.role = 'alert';
  main.prepend(warning);
});

if (!document.querySelector('figure')) await showThisPage();
for (const figure of document.querySelectorAll('figure[data-file]'))
  showCode(figure, figure.dataset.file, await (await fetch(figure.dataset.file)).text());

for (const { cells } of document.querySelectorAll('tbody tr')) {
  const number = cells[0].textContent;
  addCopyButton(cells[2], () => number, ` ${number}`);
}

/** Shows a page's own file, without these demo pages' look, and how it was sent. */
async function showThisPage() {
  const response = await fetch(location.pathname);
  const page = (await response.text()).replace(/^.*"\/assets\/.*\n/gm, '');
  const name = location.pathname.slice(1);
  const policies = [...response.headers].filter(([header]) => header.endsWith('policy'));
  main.className = 'split';
  const code = main.appendChild(build('section'));
  code.ariaLabel = 'The code of this page';
  showCode(code.appendChild(build('figure')), name, page);
  if (!policies.length) return;
  code.appendChild(build('figure')).dataset.file = name.replace('.html', '.ts');
  const lines = policies.map((header) => header.join(': ').replaceAll('; ', ';\n  '));
  showCode(code.appendChild(build('figure')), 'The headers of this page', lines.join('\n'));
}

function showCode(figure, name, text) {
  const pre = build('pre');
  pre.tabIndex = 0; // it scrolls
  pre.append(build('code', text.trim()));
  figure.replaceChildren(build('figcaption', name), pre);
  addCopyButton(figure.firstChild, () => text.trim());
  colour(pre.firstChild.firstChild);
}

/** Colours the comments, strings, tags and words of a text of code, without changing it. */
function colour(text) {
  if (!('highlights' in CSS)) return;
  for (const { groups, index, 0: found } of text.data.matchAll(CODE)) {
    const kind = Object.keys(groups).find((each) => groups[each]);
    if (!CSS.highlights.has(kind)) CSS.highlights.set(kind, new Highlight());
    const range = new Range();
    range.setStart(text, index);
    range.setEnd(text, index + found.length);
    CSS.highlights.get(kind).add(range);
  }
}

/** Adds a button that copies a text and then says so, until something else is copied. */
function addCopyButton(place, readText, unseenLabel = '') {
  const button = build('button', 'Copy');
  const label = build('span', unseenLabel);
  button.type = 'button';
  button.className = 'copy';
  label.className = 'unseen';
  button.append(label);
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(readText());
    for (const { firstChild } of document.querySelectorAll('.copy')) firstChild.data = 'Copy';
    button.firstChild.data = 'Copied';
  });
  place.append(button);
}

function build(name, text = '') {
  const node = document.createElement(name);
  node.textContent = text;
  return node;
}
