// What happens in the whole sandbox, newest first: the last of it from before this page was opened,
// and everything since.

import { buildCurlButton } from './actions.js';
import { hashOf } from './dashboard-address.js';
import { buildHappening } from './dashboard-story.js';
import { find, make, showItems } from './elements.js';

/** @import { Happening } from '../src/history/history.ts' */

/** How much is shown: more is in each collection's story. */
const MOST_SHOWN = 200;

/** How much of what happened before is shown. */
export const FIRST_SHOWN = 100;

const list = find('activity-list');

/** @type {Happening[]} */
let newest = [];
let isPlanned = false;

/** Offers the commands that tell the same in a shell. */
export function startActivity() {
  find('activity-curls').append(
    buildCurlButton(
      'events as they happen',
      () => ({ method: 'GET', path: `/events?last=${FIRST_SHOWN}` }),
      'curl events',
    ),
    buildCurlButton('every webhook', () => ({ method: 'GET', path: '/webhooks' }), 'curl webhooks'),
  );
}

/** @param {Happening} happening */
export function addActivity(happening) {
  newest.unshift(happening);
  if (newest.length > MOST_SHOWN) newest.length = MOST_SHOWN;
  plan();
}

export function clearActivity() {
  newest = [];
  plan();
}

/** However much happens in a frame, it is drawn once. */
function plan() {
  if (isPlanned) return;
  isPlanned = true;
  requestAnimationFrame(() => {
    isPlanned = false;
    find('activity-state').hidden = newest.length > 0;
    showItems(list, newest, { keyOf: ({ seq }) => `${seq}`, build });
  });
}

/** @param {Happening} happening */
function build(happening) {
  const { merchant, reference } = happening;
  const item = buildHappening(happening, null);
  if (merchant !== null && reference !== null) {
    item.lastElementChild?.prepend(
      make('a', { href: hashOf({ merchant, reference }) }, make('bdi', {}, reference)),
      ' ',
    );
  }
  return item;
}
