import { collectionSchema, VERIFY_LIMITS } from '@service-pay/contract/collection';
import { isFinalStatus } from '@service-pay/contract/status';
import { must, mustMatch, NotTried, prepare } from '../must.ts';
import { dataOf, mustBeError } from '../responses.ts';
import { type Chapter, rule } from '../rule.ts';
import { wrongTokens } from '../wrong-tokens.ts';
import { usedUp } from './attempts.ts';

export const MERCHANT_API: Chapter = {
  title: 'Verify',
  rules: [
    rule(
      'A reference without an attempt is not found',
      'A collection exists from its first attempt on; before that, return `404·11`.',
      async (service) => {
        const request = service.newRequest();
        await service.opened(request);
        mustBeError(await service.verify(request.reference), '404·11');
      },
    ),
    rule(
      'Verify returns a paid collection with every field',
      'If the payment exists, the response is HTTP 200, whether it was paid or not',
      async (service) => {
        const { request, session } = await service.started(
          service.card('successful'),
          'successful',
        );
        const collection = dataOf(await service.verify(request.reference), collectionSchema);
        mustMatch('The collection', collection, {
          status: 'successful',
          reference: request.reference,
          amount: '10.00',
          currency: session.currency,
          type: 'card',
          reasonForFailure: null,
        });
        must(collection.completedAt !== null, 'completedAt is null although it is paid.');
      },
    ),
    rule(
      'A payment that the customer can still complete is not final',
      'As long as the customer can still pay, its status is not final.',
      async (service) => {
        for (const [input, status] of [
          [await service.phone('waits'), 'pay-offline'],
          [service.card('declined'), 'declined'],
        ] as const) {
          const { request } = await service.started(input, status);
          const found = dataOf(await service.verify(request.reference), collectionSchema);
          must(
            !isFinalStatus(found.status),
            `While its attempt is ${status}, verify reports ${found.status}.`,
          );
        }
      },
    ),
    rule(
      'A payment that failed is found, and is final',
      'A payment that failed is `failed`, with 200.',
      async (service) => {
        const { request } = await prepare(() => usedUp(service));
        const found = dataOf(await service.verify(request.reference), collectionSchema);
        mustMatch('The collection', found, { status: 'failed', reference: request.reference });
      },
    ),
    rule(
      'Verify requires the exact API token',
      'Only an API token opens this API: without one, with another, or with a public key',
      async (service) => {
        const { request, visit, collection } = await service.paid();
        const { token, key } = service.options;
        const wrong: { token: string | undefined; what: string }[] = [
          ...wrongTokens(token),
          { token: key, what: 'the public key' },
          { token: visit.token, what: 'the token of the session' },
        ];
        const status = `/access/v2/collections/status/${request.reference}`;
        for (const path of [status, `/access/v2/collections/${collection.id}`]) {
          mustBeError(await service.call('GET', path), '401·09', ' without a token');
          for (const { token: sent, what } of wrong)
            mustBeError(await service.call('GET', path, { token: sent }), '401·09', ` for ${what}`);
        }
      },
    ),
    rule(
      'Verify responds within the limits of a shop',
      "A shop's server waits 8 s for a response of verify, and reads 64 kB.",
      async (service) => {
        const { request } = await service.started(service.card('successful'), 'successful');
        await service.verify(request.reference, service.options.token, VERIFY_LIMITS);
      },
    ),
    rule('References are case sensitive', 'A reference is case sensitive.', async (service) => {
      const { request } = await service.paid();
      mustBeError(await service.verify(request.reference.toUpperCase()), '404·11');
    }),
    rule(
      'A collection is found by its id',
      '`GET /access/v2/collections/<id>` returns one by its id.',
      async (service) => {
        const { collection } = await service.paid();
        const path = `/access/v2/collections/${collection.id}`;
        const response = await service.call('GET', path, { token: service.options.token });
        mustMatch('It', dataOf(response, collectionSchema), { reference: collection.reference });
      },
    ),
    rule('No response has a card number', 'The full card number is nowhere.', async (service) => {
      const number = service.options.numbers.cards.successful?.replace(/[ -]/g, '');
      if (number === undefined) throw new NotTried('--numbers has no card "successful".');
      const { request, visit } = await service.paid();
      const { receiver } = service.options;
      const responses = [
        await service.openSession(request, visit.token),
        await service.readSession(visit.token),
        await service.verify(request.reference),
        await service.list({}),
        ...(receiver?.all() ?? []).map(({ body }) => ({ what: 'A webhook', text: `${body}` })),
      ];
      // with spaces, too
      for (const { what, text } of responses)
        must(!text.replace(/[ -]/g, '').includes(number), `${what} has it.`);
    }),
  ],
};
