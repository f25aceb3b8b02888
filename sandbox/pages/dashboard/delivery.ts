// One webhook delivery: status, injected faults, requests and responses, and replay.

import type { Delivery, DeliveryAttempt } from '../../src/control/outputs.ts';
import { action, copyButton, wireForm } from '../parts/actions.ts';
import { find } from '../parts/elements.ts';
import { duration, nameStatus, pretty } from '../parts/formats.ts';
import { html, nothing } from '../parts/lit.ts';
import { ago } from '../parts/times.ts';

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
  said: (deliveries: Delivery[]) =>
    deliveries.length === 1 ? 'Replayed once.' : `Replayed ${deliveries.length} times.`,
});

function openReplay(id: string) {
  replayed = id;
  replay.form.reset();
  replay.refresh();
  find<HTMLDialogElement>('replay').showModal();
}

export function deliveryItem({
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
}: Delivery) {
  const count = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`;
  return html`<li class="delivery">
    <p class="delivery-head"
      ><strong>${event}</strong><span class="status" data-status=${status}>${nameStatus(status)}</span>${
        repeats === null ? nothing : html`<span class="tag">${isReplay ? 'replay' : 'copy'}</span>`
      }</p
    >
    <p class="quiet"><bdi>${url}</bdi></p>
    <p class="quiet"
      >${count}, made ${ago(createdAt)}${nextAttemptAt ? html`, next ${ago(nextAttemptAt)}` : nothing}</p
    >
    ${faults.map((fault) => html`<p class="fault">${fault}</p>`)}
    <div class="actions"
      >${action({
        label: 'Replay once',
        call: () => ({ method: 'POST', path: `/webhooks/${encodeURIComponent(id)}/replay` }),
        said: 'Replayed once.',
      })}<button type="button" aria-haspopup="dialog" @click=${() => openReplay(id)}>Replay…</button></div
    >
    ${
      attempts.length
        ? nothing
        : html`<details><summary>Body</summary>${textBlock('the body', body)}</details>`
    }
  </li>`;
}

export function exchange({
  request,
  status,
  headers,
  body,
  error,
  tookMs,
  faults,
}: DeliveryAttempt) {
  const outcome = status === null ? 'no response' : `responded with ${status}`;
  const sent = [`${request.method} ${request.url}`, ...linesOf(request.headers)].join('\n');
  return html`<details class="exchange">
    <summary>Request and response: ${outcome} after ${duration(tookMs)}</summary>
    ${faults.map((fault) => html`<p class="fault">${fault}</p>`)}
    <h4>Request</h4>
    ${textBlock('the request', sent)} ${textBlock('the request body', request.body)}
    <h4>Response</h4>
    ${error === null ? nothing : html`<p class="fault">${error}</p>`}
    ${status === null ? nothing : textBlock('the response', [`${status}`, ...linesOf(headers)].join('\n'))}
    ${
      body
        ? textBlock('the response body', body)
        : html`<p class="quiet">${body === null ? 'The sandbox no longer keeps its body.' : 'No body.'}</p>`
    }
  </details>`;
}

function textBlock(label: string, text: string) {
  return html`${copyButton(label, text)}<pre>${pretty(text)}</pre>`;
}

function linesOf(headers: Readonly<Record<string, string>>) {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}
