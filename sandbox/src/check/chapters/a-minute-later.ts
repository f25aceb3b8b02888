import { sessionSchema, WITHDRAWN_REASON } from '@service-pay/contract/checkout-api';
import { must, mustMatch, NotTried, prepare } from '../must.ts';
import { dataOf } from '../responses.ts';
import { type Chapter, rule } from '../rule.ts';
import type { Service } from '../service.ts';
import { isAboutPaid, referenceOf } from '../webhook-receiver.ts';

const A_MINUTE_MS = 60_000;

/** The payments that were begun a minute ago, for every rule here at once. */
const waits = new WeakMap<Service, ReturnType<typeof beginAndWait>>();

export const A_MINUTE_LATER: Chapter = {
  title: 'A minute later',
  rules: [
    rule(
      'An attempt sent again a minute later is not tried again',
      'Remember an `id` as long as its session',
      async (service) => {
        const { input, started } = await (await aMinuteLater(service)).declined;
        const { visit, session } = started;
        const again = dataOf(await service.startAttempt(visit.token, input), sessionSchema);
        mustMatch('The session', again, { attemptsLeft: session.attemptsLeft });
      },
    ),
    rule(
      'A request that was cancelled never charges',
      'Whatever the phone answers later, a cancelled request charges nothing.',
      async (service) => {
        const { started } = await (await aMinuteLater(service)).cancelled;
        const session = await service.sessionUntil(started.visit.token, () => true);
        mustMatch('A minute after the cancellation, the session', session, { status: 'open' });
        mustMatch('Its attempt', session.attempt ?? {}, { status: 'declined' });
      },
    ),
    rule(
      'A webhook that was acknowledged never comes again',
      'Once it is acknowledged, never send it again.',
      async (service) => {
        const { receiver } = service.options;
        if (!receiver) throw new NotTried('Use --webhook-port.');
        await (await aMinuteLater(service)).announced;
        const seen = new Set<string>();
        for (const webhook of receiver.all().filter(isAboutPaid)) {
          const reference = referenceOf(webhook);
          must(!seen.has(reference), `The webhook of ${reference} came after its acknowledgement.`);
          if (webhook.isAcknowledged) seen.add(reference);
        }
        if (!seen.size) throw new NotTried('No webhook arrived.', true);
      },
    ),
  ],
};

function aMinuteLater(service: Service) {
  if (!waits.has(service)) waits.set(service, beginAndWait(service));
  return waits.get(service)!;
}

/** Returns what was begun: each a promise that rejects with what went wrong with it. */
async function beginAndWait(service: Service) {
  const declined = beginDeclined(service);
  await Promise.allSettled([declined]);
  const cancelled = beginCancelled(service);
  await Promise.allSettled([cancelled]);
  const announced = service.paid();
  await Promise.allSettled([announced]);
  await service.options.sleep(A_MINUTE_MS);
  return { declined, cancelled, announced };
}

async function beginDeclined(service: Service) {
  const input = service.card('declined');
  return { input, started: await service.started(input, 'declined') };
}

/** Cancels a request that the phone would have paid. */
async function beginCancelled(service: Service) {
  const input = await service.phone('successful');
  const started = await service.started(input, 'pay-offline');
  const response = await service.withdraw(started.visit.token, input.id);
  if (response.status === 404) throw new NotTried('This service cannot cancel requests.');
  const { attempt } = await prepare(async () => dataOf(response, sessionSchema));
  if (attempt?.reasonForFailure !== WITHDRAWN_REASON)
    throw new NotTried(`The request was not cancelled: it is ${attempt?.status}.`);
  return { input, started };
}
