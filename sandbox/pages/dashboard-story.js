// The whole story of one collection: what it is, what can be done about it, its deliveries, and
// everything that happened in order.

import { buildAction, buildCopyButton, buildCurlButton, say, tellFailure } from './actions.js';
import { readChosen } from './dashboard-address.js';
import { buildDelivery, buildExchange } from './dashboard-delivery.js';
import { standingOf } from './dashboard-standing.js';
import { find, make, setText, showItems } from './elements.js';
import { count, duration, money, timeOfDay } from './formats.js';
import { Refresher } from './refresher.js';
import { ask, CallError } from './sandbox-client.js';
import { buildAgo, buildTime } from './times.js';

/**
 * @import { Collection } from '@service-pay/contract/collection'
 * @import { AttemptView, CollectionStory, Delivery, DeliveryAttempt } from '../src/control/types.ts'
 * @import { Happening } from '../src/history/history.ts'
 * @typedef {{ happening: Happening, sinceLast: number | null, isNewDay: boolean, exchange: DeliveryAttempt | null }} Step
 * @typedef {{ name: string, value: string, iso?: string | null }} Fact
 */

/** Of a longer story the newest steps are shown first. */
const MOST_STEPS = 300;

const section = find('story');
const title = find('story-title');
const body = find('story-body');

/** The parts of the open story, and the state that was said last of it. */
/**
 * @type {{ key: string, status: string, isWhole: boolean, parts: ReturnType<typeof buildParts> } | undefined}
 */
let open;

/** What the address named last. @type {string | undefined} */
let shown;

const refresher = new Refresher(async (signal) => {
  const chosen = readChosen();
  if (!chosen) return;
  try {
    const { data } = await ask(readingOf(chosen), signal);
    draw(chosen, data);
  } catch (error) {
    if (signal.aborted) return;
    // The page says that the sandbox is gone, and that what is seen is as it was.
    if (open && error instanceof CallError && error.httpStatus === 0) return;
    open = undefined;
    const isUnknown = error instanceof CallError && error.httpStatus === 404;
    const words = isUnknown
      ? 'No collection has this reference yet. Its story appears here with its first attempt.'
      : tellFailure(error);
    body.replaceChildren(make('p', { class: 'quiet' }, words));
  }
});

/** Asks for the story again; calls that come together are one. */
export function refreshStory() {
  if (readChosen()) refresher.ask();
}

/** Shows the story that the address names, or what happens everywhere where it names none. */
export function showChosen() {
  const chosen = readChosen();
  document.body.classList.toggle('has-story', chosen !== undefined);
  find('activity').hidden = chosen !== undefined;
  body.hidden = !chosen;
  setText(title, chosen ? chosen.reference : 'What happens');
  document.title = chosen ? `${chosen.reference} · ServicePay sandbox` : 'ServicePay sandbox';
  const key = JSON.stringify(chosen);
  if (key === shown) return;
  shown = key;
  open = undefined;
  if (!chosen) return;
  section.scrollTop = 0;
  body.replaceChildren(make('p', { class: 'quiet' }, 'Loading the story.'));
  refresher.askAnew();
}

/** @param {import('./dashboard-address.js').Chosen} chosen @returns {import('./curl.js').Call} */
function readingOf({ merchant, reference }) {
  return {
    method: 'GET',
    path: `/collections/${encodeURIComponent(merchant)}/${encodeURIComponent(reference)}`,
  };
}

/** @param {import('./dashboard-address.js').Chosen} chosen @param {CollectionStory} answer */
function draw(
  chosen,
  { merchant, merchantName, collection, session, attempts, story, deliveries },
) {
  const key = JSON.stringify(chosen);
  if (key !== JSON.stringify(readChosen())) return;
  const status = collection?.status ?? 'no attempt yet';
  if (open?.key !== key) {
    open = { key, status, isWhole: false, parts: buildParts() };
    body.replaceChildren(...Object.values(open.parts));
  }
  const {
    head,
    reason,
    standing,
    actions,
    facts,
    deliveryTitle,
    deliveryActions,
    deliveryList,
    earlier,
    timeline,
    json,
  } = open.parts;
  if (open.status !== status) say(`${chosen.reference} is ${status} now.`);
  open.status = status;

  showItems(head, [{ amount: money(session.amount, session.currency), status }], {
    keyOf: () => 'head',
    build: ({ amount, status }) =>
      make(
        'p',
        { class: 'headline' },
        make('span', { class: 'amount' }, amount),
        make('span', { class: 'status', 'data-status': status }, status),
      ),
  });
  const why = collection?.reasonForFailure ?? attempts.at(-1)?.reasonForFailure ?? '';
  reason.hidden = !why;
  setText(reason, why);
  showItems(standing, [standingOf({ collection, session, attempts, deliveries })], {
    keyOf: () => 'standing',
    build: buildStanding,
  });
  showItems(actions, actionsOf(chosen.reference, attempts), {
    keyOf: ({ id }) => id,
    build: buildStoryAction,
  });
  showItems(facts, factsOf(`${merchantName} (${merchant})`, collection, session), {
    keyOf: ({ name }) => name,
    build: buildFact,
  });
  deliveryTitle.hidden = !deliveries.length;
  showItems(deliveryActions, deliveries.length > 1 ? [deliveries.map(({ id }) => id)] : [], {
    keyOf: () => 'all',
    build: buildReplayAll,
  });
  showItems(deliveryList, deliveries, { keyOf: ({ id }) => id, build: buildDelivery });
  const left = open.isWhole ? 0 : Math.max(0, story.length - MOST_STEPS);
  earlier.hidden = left === 0;
  setText(earlier, `Show ${count(left)} earlier`);
  showItems(timeline, stepsOf(story, deliveries).slice(left), {
    keyOf: ({ happening }) => `${happening.seq}`,
    build: buildStep,
  });
  showItems(json, [collection && JSON.stringify(collection, null, 2)], {
    keyOf: () => 'json',
    build: (text) => buildJson(chosen, text),
  });
}

/** @param {import('./dashboard-standing.js').Standing} standing */
function buildStanding({ words, until }) {
  return make('p', {}, words, until && ' ', until && buildAgo(until));
}

/** @param {readonly string[]} ids */
function buildReplayAll(ids) {
  return buildAction({
    label: 'Replay all, shuffled',
    call: () => ({ method: 'POST', path: '/webhooks/replay', body: { ids, shuffle: true } }),
    said: (deliveries) => `Replayed ${count(deliveries.length)} deliveries.`,
  });
}

function buildParts() {
  const deliveryTitle = make('h3', {}, 'Deliveries');
  const earlier = make('button', { type: 'button' });
  earlier.addEventListener('click', () => {
    if (open) open.isWhole = true;
    title.focus({ preventScroll: true });
    refreshStory();
  });
  return {
    head: make('div', {}),
    reason: make('p', { class: 'reason' }),
    standing: make('div', { class: 'standing' }),
    actions: make('div', { class: 'actions' }),
    facts: make('dl', { class: 'facts' }),
    deliveryTitle,
    deliveryActions: make('div', { class: 'actions' }),
    deliveryList: make('ol', { class: 'rows', 'aria-label': 'Deliveries' }),
    timelineTitle: make('h3', {}, 'Timeline'),
    earlier,
    timeline: make('ol', { class: 'timeline', 'aria-label': 'Timeline' }),
    json: make('div', {}),
  };
}

/**
 * @typedef {{ id: 'approve' | 'decline' | 'phone', reference: string, phone: string }} StoryAction
 */

/**
 * What can be done about a payment as its newest attempt stands. @param {string} reference @param
 * {AttemptView[]} attempts @returns {StoryAction[]}
 */
function actionsOf(reference, attempts) {
  const { status, instrument } = attempts.at(-1) ?? {};
  const phone = instrument ?? '';
  /** @type {StoryAction['id'][]} */
  let ids = [];
  if (status === 'pay-offline') ids = ['approve', 'decline', 'phone'];
  else if (status === 'otp-required') ids = ['phone'];
  return ids.map((id) => ({ id, reference, phone }));
}

/** @param {StoryAction} action */
function buildStoryAction({ id, reference, phone }) {
  if (id === 'phone') {
    return make(
      'span',
      {},
      make(
        'a',
        { href: `/phone/${encodeURIComponent(phone)}`, target: '_blank', rel: 'opener' },
        `Phone ${phone}`,
      ),
    );
  }
  return buildAction({
    label: id === 'approve' ? 'Approve' : 'Decline',
    kind: id === 'approve' ? 'main' : 'quiet',
    call: () => ({
      method: 'POST',
      path: `/phones/${encodeURIComponent(phone)}/${id}`,
      body: { reference },
    }),
    said: id === 'approve' ? `Approved on ${phone}.` : `Declined on ${phone}.`,
  });
}

/**
 * @param {string} merchant @param {Collection | null} collection @param {CollectionStory['session']} session
 */
function factsOf(merchant, collection, session) {
  const left = session.attemptsLeft === 1 ? '1 attempt' : `${session.attemptsLeft} attempts`;
  const isOpen = session.status === 'open';
  /** @type {Fact[]} */
  const all = [
    { name: 'Merchant', value: merchant },
    ...(collection ? factsOfCollection(collection) : []),
    { name: 'Session', value: isOpen ? `open, ${left} left` : session.status },
    { name: 'Session ends', value: '', iso: isOpen ? session.expiresAt : null },
  ];
  return all.filter(({ value, iso }) => value || iso);
}

/** @param {Collection} collection @returns {Fact[]} */
function factsOfCollection({
  type,
  currency,
  initiatedAt,
  completedAt,
  fee,
  bearer,
  settlement,
  id,
  serviceReference,
  ...details
}) {
  const { mobileMoneyDetails: phone, cardDetails: card } = details;
  const payer = phone
    ? [phone.operator, phone.phone, phone.accountName]
    : [card?.cardType, card?.last4 && `•• ${card.last4}`];
  return [
    { name: 'Paid by', value: [type, ...payer].filter(Boolean).join(' ') },
    { name: 'Initiated', value: '', iso: initiatedAt },
    { name: 'Completed', value: '', iso: completedAt },
    { name: 'Fee', value: fee === null ? '' : `${money(fee, currency)}, borne by the ${bearer}` },
    {
      name: 'Settlement',
      value: settlement
        ? `${money(settlement.amountSettled, settlement.currency)}, ${settlement.type}, ${settlement.status}`
        : '',
    },
    { name: 'Id', value: id },
    { name: 'Service reference', value: serviceReference },
  ];
}

/** @param {Fact} fact */
function buildFact({ name, value, iso }) {
  return make(
    'div',
    {},
    make('dt', {}, name),
    make('dd', {}, iso ? buildTime(iso) : make('bdi', {}, value)),
  );
}

/**
 * The happenings, each with the time since the one before; one that is an attempt to deliver with
 * what was sent and answered.
 * @param {readonly Happening[]} story
 * @param {readonly Delivery[]} deliveries
 * @returns {Step[]}
 */
function stepsOf(story, deliveries) {
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  return story.map((happening, at) => {
    const before = story[at - 1];
    const { kind, detail } = happening;
    const exchange =
      kind === 'delivery'
        ? byId.get(`${detail?.['id']}`)?.attempts[Number(detail?.['attempt']) - 1]
        : undefined;
    const sinceLast = before ? Date.parse(happening.at) - Date.parse(before.at) : null;
    return {
      happening,
      sinceLast,
      isNewDay: before !== undefined && dayOf(before) !== dayOf(happening),
      exchange: exchange ?? null,
    };
  });
}

/** @param {Happening} happening */
function dayOf({ at }) {
  return at.slice(0, 10);
}

/** @param {Step} step */
function buildStep({ happening, sinceLast, isNewDay, exchange }) {
  const item = buildHappening(happening, sinceLast);
  if (isNewDay) item.firstElementChild?.prepend(dayOf(happening), ' ');
  if (exchange) item.append(buildExchange(exchange));
  return item;
}

/**
 * One line of a timeline.
 * @param {Happening} happening
 * @param {number | null} sinceLast
 */
export function buildHappening({ at, kind, summary, detail }, sinceLast) {
  const outcome = `${detail?.['status'] ?? detail?.['to'] ?? ''}`;
  return make(
    'li',
    { 'data-kind': kind, 'data-outcome': outcome },
    make('time', { datetime: at, title: at }, timeOfDay(at)),
    make('span', { class: 'kind' }, kind),
    make(
      'p',
      {},
      make('bdi', {}, summary),
      kind === 'request' && detail?.['method']
        ? make('code', { class: 'quiet' }, ` ${detail['method']} ${detail['path']}`)
        : null,
      sinceLast ? make('span', { class: 'quiet gap' }, ` +${duration(sinceLast)}`) : null,
    ),
  );
}

/** @param {import('./dashboard-address.js').Chosen} chosen @param {string | null} text */
function buildJson(chosen, text) {
  return make(
    'div',
    { class: 'reading' },
    text &&
      make(
        'details',
        {},
        make('summary', {}, 'Collection as JSON'),
        buildCopyButton('the collection', text),
        make('pre', {}, text),
      ),
    buildCurlButton('this story', () => readingOf(chosen), 'curl GET'),
  );
}
