import { collectionSchema } from '@service-pay/contract/collection';
import { listEnvelopeSchema } from '@service-pay/contract/envelope';
import { isFinalStatus } from '@service-pay/contract/status';
import { must, mustMatch, NotTried, prepare } from '../must.ts';
import { type Chapter, rule } from '../rule.ts';
import { bodyOf, dataOf, mustBeError, type Service } from '../service.ts';

const listSchema = listEnvelopeSchema(collectionSchema);
const LISTED =
  '`GET /access/v2/collections?page=&status=&type=&from=&to=` lists collections, newest first.';

export const MERCHANT_API: Chapter = {
  title: 'Verify and lists',
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
      'returns the collection, in the usual envelope.',
      async (service) => {
        const { request } = await service.started(service.card('successful'), 'successful');
        const collection = dataOf(await service.verify(request.reference), collectionSchema);
        mustMatch('The collection', collection, {
          status: 'successful',
          reference: request.reference,
          amount: '10.00',
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
          [service.phone('waits'), 'pay-offline'],
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
    rule('References are case sensitive', 'A reference is case sensitive.', async (service) => {
      const { request } = await service.paid();
      mustBeError(await service.verify(request.reference.toUpperCase()), '404·11');
    }),
    rule(
      'A collection is found by its id',
      '`GET /access/v2/collections/<id>` returns the same by id.',
      async (service) => {
        const { collection } = await service.paid();
        const path = `/access/v2/collections/${collection.id}`;
        const answer = await service.call('GET', path, { token: service.options.token });
        mustMatch('It', dataOf(answer, collectionSchema), { reference: collection.reference });
      },
    ),
    rule('The list has the newest first', LISTED, async (service) => {
      const older = (await service.paid()).collection;
      const newer = (await service.paid()).collection;
      const { data } = bodyOf(await service.list({}), listSchema);
      const [first, second] = [newer, older].map(({ id }) =>
        data.findIndex((one) => one.id === id),
      );
      must(first! >= 0 && second! >= 0, 'A new collection is not on the first page.');
      must(first! < second!, 'The older collection comes first.');
    }),
    rule(
      'The list says how many there are and which page this is',
      '`meta` says how many there are and which page this is.',
      async (service) => {
        await service.paid();
        const { data, meta } = await prepare(async () =>
          bodyOf(await service.list({}), listSchema),
        );
        const pageCount = Math.ceil(meta.total / meta.perPage);
        mustMatch('meta', meta, { currentPage: 1, pageCount });
        mustMatch('data', data, { length: Math.min(meta.total, meta.perPage) });
      },
    ),
    rule(
      'A payment is one collection, however often its attempt was sent',
      'If it is sent again, return the session and do not charge again.',
      async (service) => {
        const input = service.card('successful');
        const { request, visit } = await service.started(input, 'successful');
        await service.startAttempt(visit.token, input);
        const data = await listed(service, { status: 'successful' });
        const count = data.filter(({ reference }) => reference === request.reference).length;
        must(count === 1, `The list contains it ${count} times.`);
      },
    ),
    rule('The list filters by status and type', LISTED, async (service) => {
      await service.paid();
      for (const [filter, value] of [
        ['status', 'successful'],
        ['type', 'card'],
        ['type', 'mobile-money'],
      ] as const) {
        const data = await listed(service, { [filter]: value });
        const others = data.filter((one) => one[filter] !== value).length;
        must(!others, `${filter}=${value} lists ${others} others.`);
      }
      must((await listed(service, { type: 'card' })).length > 0, 'type=card lists nothing.');
    }),
    rule(
      'from includes its time, and to excludes it',
      '`from` is inclusive, `to` exclusive, on `initiatedAt`',
      async (service) => {
        const { id, initiatedAt } = (await service.paid()).collection;
        const from = await listed(service, { from: initiatedAt });
        must(
          from.some((one) => one.id === id),
          'from excludes a collection of its time.',
        );
        const to = await listed(service, { to: initiatedAt });
        must(!to.some((one) => one.id === id), 'to includes a collection of its time.');
      },
    ),
    rule(
      'Beyond the last page the list is empty',
      'Beyond the last page, `data` is empty.',
      async (service) => {
        const { data, meta } = bodyOf(await service.list({ page: '900000' }), listSchema);
        mustMatch('data', data, { length: 0 });
        mustMatch('meta', meta, { currentPage: 900_000 });
      },
    ),
    rule(
      'A page that cannot exist is rejected',
      'A page that cannot exist is `400·01`.',
      async (service) => {
        mustBeError(await service.list({ page: '0' }), '400·01');
      },
    ),
    rule('No response has a card number', 'The full card number is nowhere.', async (service) => {
      const number = service.options.numbers.cards.successful;
      if (number === undefined) throw new NotTried('--numbers has no card "successful".');
      const { request, visit } = await service.paid();
      for (const { what, text } of [
        await service.readSession(visit.token),
        await service.verify(request.reference),
      ])
        must(!text.includes(number), `${what} has it.`);
    }),
  ],
};

function listed(service: Service, query: Record<string, string>) {
  return prepare(async () => bodyOf(await service.list(query), listSchema).data);
}
