// The dashboard's entry: wires its parts to the event stream.

import type { ServerSentEvent } from '@service-pay/contract/server-sent-event';
import type { ClockView, MerchantView, ScenarioList as Scenarios } from '../src/control/outputs.ts';
import type { FaultSettings } from '../src/faults/fault-settings.ts';
import type { Happening } from '../src/storage/history.ts';
import { type ActivityFeed, FIRST_SHOWN } from './dashboard/activity.ts';
import { readChosen } from './dashboard/address.ts';
import { isClockOpen, showClock, showTime } from './dashboard/clock.ts';
import { startDialogs } from './dashboard/dialogs.ts';
import { showArmed } from './dashboard/faults.ts';
import {
  focusList,
  followAddress,
  offerMerchants,
  refreshList,
  startList,
} from './dashboard/list.ts';
import { setMerchants } from './dashboard/merchants.ts';
import type { ScenarioList } from './dashboard/scenarios.ts';
import { describeFailure, listenToActions } from './parts/actions.ts';
import './dashboard/scenarios.ts';
import { refreshStory, showChosen } from './dashboard/story.ts';
import { find, setText } from './parts/elements.ts';
import { followEvents, type StreamState } from './parts/event-stream.ts';
import { say, startNotices } from './parts/notice.ts';
import { Refresher } from './parts/refresher.ts';
import { CallError, send, setToken } from './parts/sandbox-client.ts';
import { noteTime, setClock } from './parts/sandbox-time.ts';
import { everySecond } from './parts/times.ts';

/** Kinds of events that can change a row of the list. */
const CHANGES_LIST = ['attempt', 'state', 'settlement', 'control'];

const activity = document.querySelector<ActivityFeed>('activity-feed')!;
const scenarios = document.querySelector<ScenarioList>('scenario-list')!;
const connection = find('connection');
const trouble = find('trouble');
const tokenDialog = find<HTMLDialogElement>('token');

/** Clock, faults, scenario and merchants, which control calls change, and payments a little. */
const overview = new Refresher(async () => {
  const failures = await Promise.all([
    read<ClockView>('/clock', (clock) => {
      setClock(clock);
      showClock();
    }),
    read<FaultSettings>('/faults', showArmed),
    read<MerchantView[]>('/merchants', (merchants) => {
      setMerchants(merchants);
      offerMerchants(merchants);
    }),
    read('/scenarios', (list: Scenarios) => scenarios.show(list)),
  ]);
  failedReads = failures.filter((failure) => failure !== '');
  showTrouble();
});

const NO_EVENTS = {
  gone: 'The sandbox does not respond. This page shows the last known state and keeps trying.',
  rejected: 'This page gets no live events just now. Trying again.',
};
/** Why this page gets no live events; undefined while it does. */
let noEvents: keyof typeof NO_EVENTS | undefined;
let failedReads: readonly string[] = [];
let following = new AbortController();

listenToActions({ onLocked: askForToken, onDone: refreshAll });
startNotices();
startDialogs(() => overview.request());
startList();
wireToken();
showChosen();
refreshAll();
follow();
everySecond(showTime);
for (const event of ['popstate', 'hashchange']) window.addEventListener(event, go);
for (const link of document.querySelectorAll<HTMLElement>('.skip')) {
  link.addEventListener('click', (event) => {
    event.preventDefault();
    if (link.dataset['to'] === 'list') goToList();
    else find('story-title').focus();
  });
}
find('story').addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && readChosen()) goToList();
});
find('back').addEventListener('click', () => requestAnimationFrame(focusList));

function go() {
  followAddress();
  showChosen();
}

/** On a narrow screen the story hides the list, and a link leads back. */
function goToList() {
  const back = find('back');
  if (back.checkVisibility()) back.click();
  else focusList();
}

function refreshAll() {
  refreshList();
  refreshStory();
  overview.request();
}

function follow() {
  following.abort();
  following = new AbortController();
  void followEvents({ onEvent, onState, signal: following.signal, last: FIRST_SHOWN });
}

function onEvent({ event, data }: ServerSentEvent) {
  if (event === 'reset' || event === 'gap') {
    activity.clear();
    return refreshAll();
  }
  if (event !== 'happening') return;
  const happening: Happening = JSON.parse(data);
  noteTime(happening.at);
  activity.add(happening);
  const chosen = readChosen();
  if (chosen && chosen.merchant === happening.merchant && chosen.reference === happening.reference)
    refreshStory();
  if (CHANGES_LIST.includes(happening.kind)) refreshList();
  if (happening.kind === 'control') refreshStory();
  if (happening.kind === 'control' || isClockOpen()) overview.request();
}

function onState(state: StreamState) {
  connection.dataset['state'] = state;
  if (state === 'locked') return askForToken();
  setText(connection, { live: 'Live', gone: 'Not connected', rejected: 'Not live' }[state]);
  if (state === 'live') {
    if (noEvents === 'gone') say('The sandbox is back.');
    if (noEvents === 'rejected') say('This page gets live events again.');
    noEvents = undefined;
    refreshAll();
  } else {
    noEvents = state;
  }
  showTrouble();
}

/** Reads a part of the overview. Returns why that failed, or an empty text. */
async function read<Data>(path: string, show: (data: Data) => void): Promise<string> {
  try {
    show((await send<Data>({ method: 'GET', path })).data);
    return '';
  } catch (error) {
    const words = describeFailure(error);
    // The page then says so by itself, or asks for the token.
    const isKnown = error instanceof CallError && (error.httpStatus === 0 || error.isLocked);
    return isKnown ? '' : `${path} could not be read: ${words}`;
  }
}

function showTrouble() {
  setText(trouble, noEvents ? NO_EVENTS[noEvents] : (failedReads[0] ?? ''));
}

function askForToken() {
  setText(connection, 'Locked');
  connection.dataset['state'] = 'locked';
  if (!tokenDialog.open) tokenDialog.showModal();
}

function wireToken() {
  const form = tokenDialog.querySelector<HTMLFormElement>('form')!;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const failure = form.querySelector<HTMLElement>('.failure')!;
    failure.textContent = '';
    setToken(`${new FormData(form).get('token')}`.trim());
    try {
      await send({ method: 'GET', path: '/clock' });
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
