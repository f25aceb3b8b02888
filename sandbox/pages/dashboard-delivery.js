// One delivery: where it stands, what was done to it on purpose, what was sent and answered, and
// how to send it again.

import { buildAction, buildCopyButton, wireForm } from './actions.js';
import { find, make } from './elements.js';
import { duration, pretty } from './formats.js';
import { buildAgo } from './times.js';

/** @import { Delivery, DeliveryAttempt } from '../src/control/types.ts' */

/** What the replay dialog is about. */
let replayed = '';

const replay = wireForm('replay', {
  call: (form) => {
    const data = new FormData(form);
    const url = `${data.get('url')}`.trim();
    return {
      method: 'POST',
      path: `/webhooks/${encodeURIComponent(replayed)}/replay`,
      body: { times: Number(data.get('times')), ...(url && { url }) },
    };
  },
  said: (deliveries) =>
    deliveries.length === 1 ? 'Replayed once.' : `Replayed ${deliveries.length} times.`,
});

/** @param {Delivery} delivery */
export function buildDelivery({
  id,
  event,
  status,
  url,
  createdAt,
  nextAttemptAt,
  repeats,
  isReplay,
  faults,
  attempts,
  body,
}) {
  const more = make('button', { type: 'button', 'aria-haspopup': 'dialog' }, 'Replay…');
  more.addEventListener('click', () => {
    replayed = id;
    replay.form.reset();
    replay.refresh();
    /** @type {HTMLDialogElement} */ (find('replay')).showModal();
  });
  return make(
    'li',
    { class: 'delivery' },
    make(
      'p',
      { class: 'delivery-head' },
      make('strong', {}, event),
      make('span', { class: 'status', 'data-status': status }, status),
      repeats !== null && make('span', { class: 'tag' }, isReplay ? 'replay' : 'copy'),
    ),
    make('p', { class: 'quiet' }, make('bdi', {}, url)),
    make(
      'p',
      { class: 'quiet' },
      attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`,
      ', made ',
      buildAgo(createdAt),
      ...(nextAttemptAt ? [', next ', buildAgo(nextAttemptAt)] : []),
    ),
    ...faults.map((fault) => make('p', { class: 'fault' }, fault)),
    make(
      'div',
      { class: 'actions' },
      buildAction({
        label: 'Replay once',
        call: () => ({ method: 'POST', path: `/webhooks/${encodeURIComponent(id)}/replay` }),
        said: 'Replayed once.',
      }),
      more,
    ),
    attempts.length
      ? null
      : make('details', {}, make('summary', {}, 'Body'), ...buildText('the body', body)),
  );
}

/**
 * What was sent in one attempt, and what came back.
 * @param {DeliveryAttempt} attempt
 */
export function buildExchange({ request, status, headers, body, error, tookMs, faults }) {
  const answer = status === null ? 'no answer' : `answered ${status}`;
  return make(
    'details',
    { class: 'exchange' },
    make('summary', {}, `Request and answer: ${answer} after ${duration(tookMs)}`),
    ...faults.map((fault) => make('p', { class: 'fault' }, fault)),
    make('h4', {}, 'Request'),
    ...buildText(
      'the request',
      [`${request.method} ${request.url}`, ...linesOf(request.headers)].join('\n'),
    ),
    ...buildText('the request body', request.body),
    make('h4', {}, 'Answer'),
    error === null ? null : make('p', { class: 'fault' }, error),
    ...(status === null
      ? []
      : buildText('the answer', [`${status}`, ...linesOf(headers)].join('\n'))),
    ...(body
      ? buildText('the answer body', body)
      : [
          make('p', { class: 'quiet' }, body === null ? 'Its body is no longer kept.' : 'No body.'),
        ]),
  );
}

/** @param {string} label @param {string} text */
function buildText(label, text) {
  return [buildCopyButton(label, text), make('pre', {}, pretty(text))];
}

/** @param {Readonly<Record<string, string>>} headers */
function linesOf(headers) {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}
