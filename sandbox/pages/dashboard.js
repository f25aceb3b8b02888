// The dashboard's entry: wires its parts to the event stream.

import { FIRST_SHOWN } from './dashboard/activity.js';
import { readChosen } from './dashboard/address.js';
import { showClock, showTime, startDialogs } from './dashboard/dialogs.js';
import { showArmed } from './dashboard/faults.js';
import {
  focusList,
  followAddress,
  offerMerchants,
  refreshList,
  startList,
} from './dashboard/list.js';
import { setMerchants } from './dashboard/merchants.js';
import { describeFailure, listenToActions, say } from './parts/actions.js';
import './dashboard/scenarios.js';
import { refreshStory, showChosen } from './dashboard/story.js';
import { find, setText } from './parts/elements.js';
import { followEvents } from './parts/event-stream.js';
import { Refresher } from './parts/refresher.js';
import { ask, CallError, setToken } from './parts/sandbox-client.js';
import { noteTime, setClock } from './parts/sandbox-time.js';
import { everySecond } from './parts/times.js';

/**
 * @import { Happening } from '../src/history/history.ts'
 * @import { ActivityFeed } from './dashboard/activity.js'
 * @import { ScenarioList } from './dashboard/scenarios.js'
 */

/** Kinds of events that can change a row of the list. */
const CHANGES_LIST = ['attempt', 'state', 'settlement', 'control'];

const activity = /** @type {ActivityFeed} */ (document.querySelector('activity-feed'));
const scenarios = /** @type {ScenarioList} */ (document.querySelector('scenario-list'));
const connection = find('connection');
const trouble = find('trouble');
const tokenDialog = /** @type {HTMLDialogElement} */ (find('token'));

/** Clock, faults, scenario and merchants, which only control calls change. */
const overview = new Refresher(async () => {
  const [clock, faults, merchants] = await Promise.all(
    ['/clock', '/faults', '/merchants'].map(read),
  );
  if (clock) setClock(clock);
  showClock();
  if (faults) showArmed(faults);
  if (merchants) {
    setMerchants(merchants);
    offerMerchants(merchants);
  }
  await scenarios.refresh();
});

let isTroubleShown = false;
let following = new AbortController();

listenToActions({ onLocked: askForToken, onDone: refreshAll });
startDialogs();
startList();
wireToken();
showChosen();
refreshAll();
follow();
everySecond(showTime);
for (const event of ['popstate', 'hashchange']) window.addEventListener(event, go);
for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.skip'))) {
  link.addEventListener('click', (event) => {
    event.preventDefault();
    if (link.dataset['to'] === 'list') focusList();
    else find('story-title').focus();
  });
}
find('story').addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && readChosen()) focusList();
});
find('back').addEventListener('click', () => requestAnimationFrame(focusList));

function go() {
  followAddress();
  showChosen();
}

function refreshAll() {
  refreshList();
  refreshStory();
  overview.ask();
}

function follow() {
  following.abort();
  following = new AbortController();
  void followEvents({ onEvent, onState, signal: following.signal, last: FIRST_SHOWN });
}

/** @param {import('./parts/event-stream.js').ServerEvent} event */
function onEvent({ name, data }) {
  if (name === 'reset' || name === 'gap') {
    activity.clear();
    return refreshAll();
  }
  if (name !== 'happening') return;
  /** @type {Happening} */
  const happening = JSON.parse(data);
  noteTime(happening.at);
  activity.add(happening);
  const chosen = readChosen();
  if (chosen && chosen.merchant === happening.merchant && chosen.reference === happening.reference)
    refreshStory();
  if (CHANGES_LIST.includes(happening.kind)) refreshList();
  if (happening.kind === 'control') {
    overview.ask();
    refreshStory();
  }
}

/** @param {import('./parts/event-stream.js').StreamState} state */
function onState(state) {
  connection.dataset['state'] = state;
  if (state === 'locked') return askForToken();
  setText(connection, { live: 'Live', gone: 'Not connected', refused: 'Not live' }[state]);
  if (state === 'live') {
    trouble.textContent = '';
    if (isTroubleShown) say('The sandbox is back.');
    isTroubleShown = false;
    refreshAll();
  } else if (!isTroubleShown) {
    isTroubleShown = true;
    trouble.textContent =
      state === 'gone'
        ? 'The sandbox does not respond. This page shows the last known state and keeps trying.'
        : 'This page gets no live events just now. Trying again.';
  }
}

/** @param {string} path */
async function read(path) {
  try {
    const { data } = await ask({ method: 'GET', path });
    return data;
  } catch (error) {
    describeFailure(error);
    return undefined;
  }
}

function askForToken() {
  setText(connection, 'Locked');
  connection.dataset['state'] = 'locked';
  if (!tokenDialog.open) tokenDialog.showModal();
}

function wireToken() {
  const form = /** @type {HTMLFormElement} */ (tokenDialog.querySelector('form'));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const failure = /** @type {HTMLElement} */ (form.querySelector('.failure'));
    failure.textContent = '';
    setToken(`${new FormData(form).get('token')}`.trim());
    try {
      await ask({ method: 'GET', path: '/clock' });
      tokenDialog.close();
      form.reset();
      refreshAll();
      follow();
    } catch (error) {
      const isWrong = error instanceof CallError && error.isLocked;
      failure.textContent = isWrong ? 'This token is wrong.' : describeFailure(error);
    }
  });
  // The page shows nothing without the token.
  tokenDialog.addEventListener('cancel', (event) => event.preventDefault());
}
