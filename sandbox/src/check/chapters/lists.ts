import { collectionSchema } from '@service-pay/contract/collection';
import { listEnvelopeSchema } from '@service-pay/contract/envelope';
import { must, mustMatch, NotTried, prepare } from '../must.ts';
import { bodyOf, mustBeError } from '../responses.ts';
import { type Chapter, rule } from '../rule.ts';
import type { Service } from '../service.ts';

const listSchema = listEnvelopeSchema(collectionSchema);
/** Payments that may be added, so that there is a second page. */
const MOST_ADDED = 150;
const AT_ONCE = 10;
const MOST_PAGES = 4;

export const LISTS: Chapter = {
  title: 'Lists',
  rules: [
    rule(
      'The list has the newest first',
      '`GET /access/v2/collections` returns the newest first',
      async (service) => {
        const older = (await service.paid()).collection;
        const newer = (await service.paid()).collection;
        const { data } = bodyOf(await service.list({}), listSchema);
        const [first, second] = [newer, older].map(({ id }) =>
          data.findIndex((one) => one.id === id),
        );
        must(first! >= 0 && second! >= 0, 'A new collection is not on the first page.');
        must(first! < second!, 'The older collection comes first.');
      },
    ),
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
    rule(
      'The list filters by status and type',
      'payments with that status, such as `successful`; by `card` or `mobile-money`',
      async (service) => {
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
      },
    ),
    rule(
      'from includes its time, and to excludes it',
      'those initiated at `from` or later, and before `to`',
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
      'Page 2 goes on where page 1 ends',
      'Each collection is on exactly one page.',
      async (service) => {
        const window = await twoPages(service);
        const ids: string[] = [];
        let pages = 1;
        for (let page = 1; page <= pages; page++) {
          const { data, meta } = await pageOf(service, { ...window, page: `${page}` });
          ids.push(...data.map(({ id }) => id));
          pages = Math.min(Math.ceil(meta.total / meta.perPage), MOST_PAGES);
          if (page < pages) continue;
          const found = new Set(ids).size;
          must(found === ids.length, `${ids.length - found} of ${meta.total} are on two pages.`);
          const expected = Math.min(meta.total, pages * meta.perPage);
          must(found === expected, `Its pages list ${found} of ${expected}.`);
        }
      },
    ),
    rule(
      'Beyond the last page the list is empty',
      'Beyond the last, `data` is empty',
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
  ],
};

/**
 * Returns a time window with two to four pages that grows no more. Pays for more collections if
 * there are too few.
 */
async function twoPages(service: Service): Promise<{ from?: string; to: string }> {
  const before = (await pageOf(service, {})).meta;
  const missing = before.perPage + 2 - before.total;
  if (missing > MOST_ADDED)
    throw new NotTried(`A page has ${before.perPage} collections, too many to pay for this rule.`);
  for (let added = 0; added < missing; added += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, () =>
        service.started(service.card('successful'), 'successful'),
      ),
    );
  const {
    data: [newest],
    meta,
  } = await pageOf(service, {});
  const to = new Date(Date.parse(newest!.initiatedAt) + 1).toISOString();
  if (meta.total <= MOST_PAGES * meta.perPage) return { to };
  const from = (await listed(service, { to, page: '2' })).at(-1)!.initiatedAt;
  return { from, to };
}

function pageOf(service: Service, query: Record<string, string>) {
  return prepare(async () => bodyOf(await service.list(query), listSchema));
}

function listed(service: Service, query: Record<string, string>) {
  return pageOf(service, query).then(({ data }) => data);
}
