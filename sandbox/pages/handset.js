const POLL_MS = 1_000;
const TOKEN_KEY = 'service-pay-sandbox-token';

const number = decodeURIComponent(location.pathname.split('/').at(-1) ?? '');
const api = `/_sandbox/phones/${encodeURIComponent(number)}`;
const list = document.getElementById('out');
const notice = document.getElementById('notice');
const tokenForm = document.getElementById('token-form');

/** Messages on screen, by kind and reference, so that a poll redraws only what changed and focus stays. */
const shown = new Map();

document.getElementById('number').textContent = number;
tokenForm.addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem(TOKEN_KEY, new FormData(tokenForm).get('token'));
  tokenForm.hidden = true;
  void refresh();
});
document.addEventListener('visibilitychange', () => void refresh());
const asking = setInterval(() => void refresh(), POLL_MS);
void refresh();

async function refresh() {
  if (document.hidden || !tokenForm.hidden) return;
  const answer = await call('GET', api).catch(() => undefined);
  if (!answer) return say('The sandbox cannot be reached. Trying again.');
  if (answer.errorCode === '13') {
    tokenForm.hidden = false;
    return say('This sandbox is open to other machines. Enter the token it printed.');
  }
  if (answer.errorCode === '12') clearInterval(asking);
  if (!answer.status) return say(answer.message);
  draw(answer.data);
}

function draw({ number: national, networkName, now, out }) {
  document.getElementById('number').textContent = national;
  document.getElementById('network').textContent = `Test phone, ${networkName}`;
  document.title = out.length ? `(${out.length}) ${national}` : national;
  say(out.length ? '' : 'Nothing to approve. Prompts appear here as soon as they are sent.');
  const keys = new Set(out.map(keyOf));
  for (const [key, item] of shown) {
    if (keys.has(key)) continue;
    item.remove();
    shown.delete(key);
  }
  for (const message of out) {
    let item = shown.get(keyOf(message));
    if (!item) {
      item = build(message);
      shown.set(keyOf(message), item);
      list.prepend(item);
    }
    const left = item.querySelector('[data-left]');
    if (left && message.expiresAt) left.textContent = `${timeLeft(Date.parse(message.expiresAt) - Date.parse(now))} left`;
  }
}

function build(message) {
  const item = document.getElementById(message.kind).content.firstElementChild.cloneNode(true);
  const set = (name, text) => {
    const target = item.querySelector(`[data-${name}]`);
    if (target) target.textContent = text;
  };
  // Isolated: a name may turn the direction of what follows it.
  const merchant = `\u2068${message.merchantName}\u2069`;
  set('merchant', message.kind === 'prompt' ? `Pay ${merchant}?` : merchant);
  set('amount', money(message.total, message.currency));
  set('reference', message.reference);
  set('code', message.code);
  for (const button of item.querySelectorAll('[data-answer]')) {
    button.addEventListener('click', async () => {
      for (const other of item.querySelectorAll('button')) other.disabled = true;
      await call('POST', `${api}/${button.dataset.answer}`, { reference: message.reference }).catch(() => undefined);
      await refresh();
      for (const other of item.querySelectorAll('button')) other.disabled = false;
    });
  }
  return item;
}

async function call(method, path, body) {
  const token = sessionStorage.getItem(TOKEN_KEY);
  const response = await fetch(path, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...(token && { 'x-sandbox-token': token }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (answer.errorCode === '13') sessionStorage.removeItem(TOKEN_KEY);
  return answer;
}

function keyOf({ kind, reference, merchantName }) {
  return JSON.stringify([kind, merchantName, reference]);
}

function money(amount, currency) {
  return new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' }).format(amount);
}

function timeLeft(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function say(text) {
  if (notice.textContent !== text) notice.textContent = text;
}
