// The story of one collection: facts, actions, deliveries and timeline.

import type { Collection } from '@service-pay/contract/collection';
import type { AttemptView, CollectionStory, Delivery } from '../../src/control/outputs.ts';
import { action, copyButton, curlButton, describeFailure } from '../parts/actions.ts';
import type { Call } from '../parts/curl.ts';
import { FocusKeeper, find, PageElement, setText } from '../parts/elements.ts';
import { count, money, nameStatus, nameType } from '../parts/formats.ts';
import { html, nothing, repeat } from '../parts/lit.ts';
import { say } from '../parts/notice.ts';
import { Refresher } from '../parts/refresher.ts';
import { CallError, send } from '../parts/sandbox-client.ts';
import { ago, moment } from '../parts/times.ts';
import type { Chosen } from './address.ts';
import { readChosen } from './address.ts';
import { deliveryItem } from './delivery.ts';
import { standingOf } from './standing.ts';
import { stepItem, stepsOf } from './step.ts';

interface Fact {
  name: string;
  value: string;
  iso?: string | null;
}

/** A longer story starts with its newest steps. */
const MOST_STEPS = 300;

const section = find('story');
const title = find('story-title');
class PaymentStory extends PageElement {
  #chosen: Chosen | undefined;
  #story: CollectionStory | undefined;
  #words = '';
  #isWhole = false;
  #hadFocus = false;

  constructor() {
    super();
    for (const list of ['[aria-label="Deliveries"]', '[aria-label="Timeline"]'])
      new FocusKeeper(this, list);
  }

  get isOpen() {
    return this.#story !== undefined;
  }

  showMessage(words: string) {
    this.#story = undefined;
    this.#isWhole = false;
    this.#words = words;
    this.requestUpdate();
  }

  show(chosen: Chosen, story: CollectionStory) {
    const before = this.#story && statusOf(this.#story);
    const status = statusOf(story);
    if (before !== undefined && before !== status)
      say(`${chosen.reference}: ${nameStatus(status)}.`);
    this.#chosen = chosen;
    this.#story = story;
    this.requestUpdate();
  }

  protected override willUpdate() {
    this.#hadFocus = this.contains(document.activeElement);
  }

  /** The focus of a button that is gone moves to the title. */
  protected override updated() {
    if (this.#hadFocus && !this.contains(document.activeElement))
      title.focus({ preventScroll: true });
  }

  override render() {
    const chosen = this.#chosen;
    if (!this.#story || !chosen) return html`<p class="quiet">${this.#words}</p>`;
    const { merchant, merchantName, collection, session, attempts, deliveries } = this.#story;
    const status = statusOf(this.#story);
    const why = collection?.reasonForFailure ?? attempts.at(-1)?.reasonForFailure ?? '';
    const { words, until } = standingOf({ collection, session, attempts, deliveries });
    return html`<p class="headline"
        ><span class="amount">${money(session.amount, session.currency)}</span
        ><span class="status" data-status=${status}>${nameStatus(status)}</span>${
          collection ? html`<code class="quiet">${status}</code>` : nothing
        }</p
      >
      <p class="reason" ?hidden=${!why}>${why}</p>
      <div class="standing"><p>${words}${until ? html` ${ago(until)}` : nothing}</p></div>
      <div class="actions">${repeat(
        actionsOf(attempts),
        ({ id }) => id,
        (one) => storyAction(one, chosen),
      )}</div>
      <dl class="facts">
        ${factsOf(`${merchantName} (${merchant})`, collection, session).map(
          ({ name, value, iso }) =>
            html`<div
              ><dt>${name}</dt><dd>${iso ? moment(iso) : html`<bdi>${value}</bdi>`}</dd></div
            >`,
        )}
      </dl>
      <h3 ?hidden=${!deliveries.length}>Deliveries</h3>
      <div class="actions">${deliveries.length > 1 ? replayAll(deliveries) : nothing}</div>
      <ol class="rows" tabindex="-1" aria-label="Deliveries" ?hidden=${!deliveries.length}>
        ${repeat(deliveries, ({ id }) => id, deliveryItem)}
      </ol>
      ${this.#timeline(this.#story)} ${reading(chosen, collection)}`;
  }

  #timeline({ story, deliveries }: CollectionStory) {
    const left = this.#isWhole ? 0 : Math.max(0, story.length - MOST_STEPS);
    const onEarlier = () => {
      this.#isWhole = true;
      title.focus({ preventScroll: true });
      this.requestUpdate();
    };
    return html`<h3>Timeline</h3>
      <button type="button" ?hidden=${left === 0} @click=${onEarlier}
        >Show ${count(left)} earlier</button
      >
      <ol class="timeline" tabindex="-1" aria-label="Timeline">
        ${repeat(
          stepsOf(story, deliveries).slice(left),
          ({ happening }) => happening.seq,
          stepItem,
        )}
      </ol>`;
  }
}

customElements.define('payment-story', PaymentStory);
const body = document.querySelector<PaymentStory>('payment-story')!;

/** The address shown last. */
let shown: string | undefined;

const refresher = new Refresher(async (signal) => {
  const chosen = readChosen();
  if (!chosen) return;
  try {
    const { data } = await send<CollectionStory>(readingOf(chosen), signal);
    if (JSON.stringify(chosen) === JSON.stringify(readChosen())) body.show(chosen, data);
  } catch (error) {
    if (signal.aborted) return;
    // The page already says that it shows the last known state.
    if (body.isOpen && error instanceof CallError && error.httpStatus === 0) return;
    const isUnknown = error instanceof CallError && error.httpStatus === 404;
    const words = isUnknown
      ? 'No payment has this reference yet. Its story appears here when a customer opens the popup.'
      : describeFailure(error);
    body.showMessage(words);
  }
});

export function refreshStory() {
  if (readChosen()) refresher.request();
}

/** Shows the story in the address, or all activity. */
export function showChosen() {
  const chosen = readChosen();
  document.body.classList.toggle('has-story', chosen !== undefined);
  find('activity').hidden = chosen !== undefined;
  body.hidden = !chosen;
  setText(title, chosen ? chosen.reference : 'Activity');
  document.title = chosen ? `${chosen.reference} · ServicePay sandbox` : 'ServicePay sandbox';
  const key = JSON.stringify(chosen);
  if (key === shown) return;
  shown = key;
  body.showMessage('Loading the story.');
  if (!chosen) return;
  section.scrollTop = 0;
  refresher.restart();
}

function readingOf({ merchant, reference }: Chosen): Call {
  return {
    method: 'GET',
    path: `/collections/${encodeURIComponent(merchant)}/${encodeURIComponent(reference)}`,
  };
}

function statusOf({ collection }: CollectionStory) {
  return collection?.status ?? 'No attempt yet';
}

function replayAll(deliveries: readonly Delivery[]) {
  const ids = deliveries.map(({ id }) => id);
  return action({
    label: 'Replay all, shuffled',
    call: () => ({ method: 'POST', path: '/webhooks/replay', body: { ids, shuffle: true } }),
    said: (replayed: Delivery[]) => `Replayed ${count(replayed.length)} deliveries.`,
  });
}

interface StoryAction {
  id: 'approve' | 'decline' | 'phone';
  phone: string;
}

function actionsOf(attempts: AttemptView[]): StoryAction[] {
  const { status, instrument } = attempts.at(-1) ?? {};
  const phone = instrument ?? '';
  let ids: StoryAction['id'][] = [];
  if (status === 'pay-offline') ids = ['approve', 'decline', 'phone'];
  else if (status === 'otp-required') ids = ['phone'];
  return ids.map((id) => ({ id, phone }));
}

function storyAction({ id, phone }: StoryAction, { merchant, reference }: Chosen) {
  if (id === 'phone') {
    const href = `/phone/${encodeURIComponent(phone)}`;
    return html`<span><a href=${href} target="_blank" rel="opener">Phone ${phone}</a></span>`;
  }
  return action({
    label: id === 'approve' ? 'Approve' : 'Decline',
    kind: id === 'approve' ? 'main' : 'quiet',
    call: () => ({
      method: 'POST',
      path: `/phones/${encodeURIComponent(phone)}/${id}`,
      body: { reference, merchant },
    }),
    said: id === 'approve' ? `Approved on ${phone}.` : `Declined on ${phone}.`,
  });
}

function factsOf(
  merchant: string,
  collection: Collection | null,
  session: CollectionStory['session'],
) {
  const left = session.attemptsLeft === 1 ? '1 attempt' : `${session.attemptsLeft} attempts`;
  const isOpen = session.status === 'open';
  const all: Fact[] = [
    { name: 'Merchant', value: merchant },
    ...(collection ? factsOfCollection(collection) : []),
    { name: 'Session', value: isOpen ? `open, ${left} left` : session.status },
    { name: 'E-mail', value: session.email ?? '' },
    { name: 'Session ends', value: '', iso: isOpen ? session.expiresAt : null },
  ];
  return all.filter(({ value, iso }) => value || iso);
}

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
}: Collection): Fact[] {
  const { mobileMoneyDetails: phone, cardDetails: card } = details;
  const payer = phone
    ? [phone.operator, phone.phone, phone.accountName]
    : [card?.cardType, card?.last4 && `•• ${card.last4}`];
  return [
    { name: 'Paid by', value: [nameType(type), ...payer].filter(Boolean).join(' ') },
    { name: 'Initiated', value: '', iso: initiatedAt },
    { name: 'Completed', value: '', iso: completedAt },
    { name: 'Fee', value: fee === null ? '' : `${money(fee, currency)}, which the ${bearer} pays` },
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

function reading(chosen: Chosen, collection: Collection | null) {
  const text = JSON.stringify(collection, null, 2);
  return html`<div class="reading"
    >${
      collection
        ? html`<details
            ><summary>Collection as JSON</summary>${copyButton('the collection', text)}<pre>${text}</pre></details
          >`
        : nothing
    }${curlButton('this story', () => readingOf(chosen), 'curl GET')}</div
  >`;
}
