// A pretend handset: the prompts and one-time codes that are out on it, as they come and go.

import { find, make, setText, showItems } from './elements.js';
import { followEvents } from './event-stream.js';
import { money, timeLeft, timeOfDay } from './formats.js';
import { Refresher } from './refresher.js';
import { ask, CallError, setToken } from './sandbox-client.js';
import { sandboxNow, setClock } from './sandbox-time.js';
import { everySecond } from './times.js';

/**
 * @import { Handset } from '../src/control/types.ts'
 * @typedef {Handset['out'][number]} Message
 */

/** Without news by a stream the phone looks this often; with it, only in case some was lost. */
const POLL_MS = 1_000;
const POLL_WHEN_LIVE_MS = 10_000;
/** What ended before is shown, the newest of it. */
const MOST_PAST = 5;
/** Kinds of happening that put something on a phone or take it away. */
const CHANGES_PHONE = ['attempt', 'state', 'session', 'control'];

const asked = readNumber();
const notice = find('notice');
const tokenForm = /** @type {HTMLFormElement} */ (find('token-form'));

/** @type {Message[]} */
let out = [];
/** @type {{ key: string, text: string, message: Message }[]} */
let past = [];
/**
 * What this page answered, by message: it is known before the message goes. @type {Map<string,
 * string>}
 */
const answered = new Map();
let isLive = false;
let isOver = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let nextLook;

const refresher = new Refresher(async (signal) => {
  clearTimeout(nextLook);
  if (!tokenForm.hidden || isOver) return;
  try {
    const { data } = await ask({ method: 'GET', path: pathOf() }, signal);
    draw(data);
  } catch (error) {
    showFailure(error);
  }
  nextLook = setTimeout(() => refresher.ask(), isLive ? POLL_WHEN_LIVE_MS : POLL_MS);
});

setText(find('number'), asked);
tokenForm.addEventListener('submit', (event) => {
  event.preventDefault();
  setToken(`${new FormData(tokenForm).get('token')}`.trim());
  tokenForm.hidden = true;
  tokenForm.reset();
  start();
});
document.addEventListener('visibilitychange', () => document.hidden || refresher.ask());
everySecond(tick);
start();

function start() {
  refresher.ask();
  void followEvents({
    onEvent: ({ name, data }) => {
      if (name !== 'happening' || CHANGES_PHONE.includes(JSON.parse(data).kind)) refresher.ask();
    },
    onState: (state) => {
      isLive = state === 'live';
      refresher.ask();
    },
    signal: new AbortController().signal,
  });
}

/** @param {Handset} phone */
function draw(phone) {
  setClock(phone);
  setText(find('number'), phone.number);
  setText(find('network'), `${phone.networkName} ${phone.country.toUpperCase()}`);
  const before = out;
  out = phone.out.toReversed();
  const keys = new Set(out.map(keyOf));
  for (const message of before) if (!keys.has(keyOf(message))) keepAsPast(message);
  showItems(find('out'), out, { keyOf, build });
  showPast();
  document.title = out.length ? `(${out.length}) ${phone.number}` : `${phone.number} · Test phone`;
  tellCount();
  tick();
}

/** What is out is said once, when it comes. */
function tellCount() {
  const [newest] = out;
  if (!newest)
    say(
      past[0]
        ? `${past[0].text} Nothing else is out.`
        : 'Nothing to approve. Prompts appear here as soon as they are sent.',
    );
  else if (out.length === 1)
    say(
      newest.kind === 'prompt' ? 'A payment waits for your answer.' : 'A one-time code has come.',
    );
  else say(`${out.length} messages wait.`);
}

/** @param {Message} message */
function keepAsPast(message) {
  const key = keyOf(message);
  const amount = money(message.total, message.currency);
  const isLate = message.expiresAt !== null && Date.parse(message.expiresAt) <= sandboxNow();
  const ending = isLate ? 'Timed out' : 'Over';
  const text =
    message.kind === 'prompt'
      ? `${answered.get(key) ?? ending}: ${amount}.`
      : `The code for ${amount} is used or over.`;
  answered.delete(key);
  past = [{ key, text, message }, ...past].slice(0, MOST_PAST);
}

function showPast() {
  find('past').hidden = past.length === 0;
  showItems(find('past-list'), past, {
    keyOf: ({ key }) => key,
    build: ({ text, message }) => make('li', {}, text, ' ', ...referenceOf(message)),
  });
}

/** @param {Message} message */
function build(message) {
  const amount = money(message.total, message.currency);
  const merchant = make('bdi', {}, message.merchantName);
  const left = make('p', { class: 'left', 'data-expires': message.expiresAt });
  if (message.kind === 'one-time-code') {
    return make(
      'li',
      { class: 'message' },
      make('h2', {}, merchant),
      make('p', {}, `Your one-time code for ${amount}`),
      make('p', { class: 'amount code' }, message.code),
      make('p', { class: 'small' }, ...referenceOf(message)),
      left,
    );
  }
  const buttons = /** @type {const} */ (['decline', 'approve']).map((answer) => {
    const label = answer === 'approve' ? 'Approve' : 'Decline';
    const button = make(
      'button',
      { type: 'button', class: answer === 'approve' ? '' : 'quiet-button' },
      label,
    );
    button.addEventListener('click', () => void giveAnswer(message, answer, buttons));
    return button;
  });
  return make(
    'li',
    { class: 'message' },
    make('h2', {}, 'Pay ', merchant, '?'),
    make('p', { class: 'amount' }, amount),
    make('p', { class: 'small' }, ...referenceOf(message)),
    left,
    make('div', { class: 'answers' }, ...buttons),
  );
}

/** @param {Message} message */
function referenceOf({ merchant, reference }) {
  const href = `/dashboard#/${encodeURIComponent(merchant)}/${encodeURIComponent(reference)}`;
  return ['Reference ', make('a', { href }, make('bdi', {}, reference))];
}

/**
 * @param {Message} message @param {'approve' | 'decline'} answer @param {HTMLButtonElement[]} buttons
 */
async function giveAnswer(message, answer, buttons) {
  if (buttons.some(({ ariaBusy }) => ariaBusy === 'true')) return;
  for (const button of buttons) button.ariaBusy = 'true';
  try {
    await ask({
      method: 'POST',
      path: `${pathOf()}/${answer}`,
      body: { reference: message.reference },
    });
    answered.set(keyOf(message), answer === 'approve' ? 'Approved' : 'Declined');
    refresher.ask();
  } catch (error) {
    showFailure(error);
    for (const button of buttons) button.ariaBusy = 'false';
  }
}

/** @param {unknown} error */
function showFailure(error) {
  if (!(error instanceof CallError)) throw error;
  if (error.isLocked) {
    tokenForm.hidden = false;
    return say('This sandbox is open to other machines. Enter the token it printed.');
  }
  isOver = error.errorCode === '12';
  say(error.httpStatus === 0 ? 'The sandbox cannot be reached. Trying again.' : error.message);
}

function tick() {
  const now = sandboxNow();
  if (Number.isNaN(now)) return;
  setText(find('time'), timeOfDay(new Date(now).toISOString()).slice(0, 5));
  for (const left of /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll('[data-expires]')
  )) {
    setText(left, `${timeLeft(Date.parse(left.dataset['expires'] ?? '') - now)} left`);
  }
}

/** @param {Message} message */
function keyOf({ kind, merchant, reference }) {
  return JSON.stringify([kind, merchant, reference]);
}

function pathOf() {
  return `/phones/${encodeURIComponent(asked)}`;
}

/** The number of the address, or what stands there where it cannot be read. */
function readNumber() {
  const last = location.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** @param {string} text */
function say(text) {
  setText(notice, text);
}
