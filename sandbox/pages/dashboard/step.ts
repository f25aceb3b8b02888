// One step of a timeline: an event, and what it led to.

import type { Delivery, DeliveryAttempt } from '../../src/control/outputs.ts';
import type { Happening } from '../../src/storage/history.ts';
import { duration, timeOfDay } from '../parts/formats.ts';
import { html, nothing } from '../parts/lit.ts';
import { hashOf } from './address.ts';
import { exchange } from './delivery.ts';

interface Step {
  happening: Happening;
  sinceLast?: number | null;
  isNewDay?: boolean;
  isLinked?: boolean;
  sent?: DeliveryAttempt | null;
}

/** Adds to each event the time since the previous one, and to each delivery its request and response. */
export function stepsOf(story: readonly Happening[], deliveries: readonly Delivery[]): Step[] {
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  return story.map((happening, at) => {
    const before = story[at - 1];
    const { kind, detail } = happening;
    const sent =
      kind === 'delivery'
        ? byId.get(`${detail?.['id']}`)?.attempts[Number(detail?.['attempt']) - 1]
        : undefined;
    const sinceLast = before ? Date.parse(happening.at) - Date.parse(before.at) : null;
    return {
      happening,
      sinceLast,
      isNewDay: isNewDay(happening, before),
      sent: sent ?? null,
    };
  });
}

export function stepItem({ happening, sinceLast, isNewDay, isLinked, sent }: Step) {
  const { at, kind, merchant, reference, summary, detail } = happening;
  const outcome = `${detail?.['status'] ?? detail?.['to'] ?? ''}`;
  const link =
    isLinked && merchant !== null && reference !== null
      ? html`<a href=${hashOf({ merchant, reference })}><bdi>${reference}</bdi></a> `
      : nothing;
  const call =
    kind === 'request' && detail?.['method']
      ? html`<code class="quiet"> ${detail['method']} ${detail['path']}</code>`
      : nothing;
  return html`<li data-kind=${kind} data-outcome=${outcome}
    ><time datetime=${at} title=${at}>${isNewDay ? `${dayOf(happening)} ` : ''}${timeOfDay(at)}</time
    ><span class="kind">${kind}</span
    ><p
      >${link}<bdi>${summary}</bdi>${call}${
        sinceLast ? html`<span class="quiet gap"> +${duration(sinceLast)}</span>` : nothing
      }</p
    >${sent ? exchange(sent) : nothing}</li
  >`;
}

/** True if a step names its day, because the step above it is of another. */
export function isNewDay(happening: Happening, above: Happening | undefined) {
  return above !== undefined && dayOf(above) !== dayOf(happening);
}

function dayOf({ at }: Happening) {
  return at.slice(0, 10);
}
