import { sessionGrantSchema } from '@service-pay/contract/checkout-api';
import { collectionSchema } from '@service-pay/contract/collection';
import { listEnvelopeSchema } from '@service-pay/contract/envelope';
import { must, mustMatch, NotTried, prepare } from '../must.ts';
import { bodyOf, dataOf, mustBeError } from '../responses.ts';
import { type Chapter, rule } from '../rule.ts';
import type { Credentials, Service } from '../service.ts';

export const TWO_MERCHANTS: Chapter = {
  title: 'Two merchants',
  rules: [
    rule(
      "Another merchant's token finds none of these payments",
      'An API token finds its own payments only: for any other, return `404·11`.',
      async (service) => {
        const { token } = otherOf(service);
        const { id, reference } = (await service.paid()).collection;
        mustBeError(await service.verify(reference, token), '404·11', ' for the other merchant');
        const byId = await service.call('GET', `/access/v2/collections/${id}`, { token });
        mustBeError(byId, '404·11', ' for the other merchant');
        const list = await prepare(async () =>
          bodyOf(await service.list({}, token), listEnvelopeSchema(collectionSchema)),
        );
        must(
          !list.data.some((one) => one.id === id),
          "The list of the other merchant contains this merchant's payment.",
        );
      },
    ),
    rule(
      'The same reference at another merchant is another payment',
      'Two merchants may use the same reference, for two payments that know nothing of each other.',
      async (service) => {
        const { key } = otherOf(service);
        const { request, visit, collection } = await service.paid();
        const theirs = { ...request, key, amount: '12.00' };
        const { session } = dataOf(
          await service.openSession(theirs, visit.token),
          sessionGrantSchema,
        );
        mustMatch('The session at the other merchant', session, {
          amount: '12.00',
          status: 'open',
          attempt: null,
        });
        const ours = await prepare(async () =>
          dataOf(await service.verify(request.reference), collectionSchema),
        );
        mustMatch('The collection of the first merchant', ours, { id: collection.id });
      },
    ),
  ],
};

function otherOf({ options: { other } }: Service): Credentials {
  if (other) return other;
  throw new NotTried('Use --other-key and --other-token, of a second merchant.');
}
