import { expect, test } from 'vitest';
import type { Attempt, SessionTerms } from './session.ts';
import { CollectionStore } from './store.ts';

const terms = (reference: string): SessionTerms => ({
  merchant: 'pub_sandbox_demo',
  accountId: 'account',
  reference,
  amount: '10.00',
  currency: 'ZMW',
  bearer: 'merchant',
  email: null,
  label: null,
  channels: ['card'],
  networks: [],
  charge: { fee: '0.25', total: '10.00', settled: '9.75' },
});

test('of a hundred thousand sessions without an attempt, the oldest are deleted with their visits (T52)', () => {
  const store = new CollectionStore();
  const first = store.visits.add(store.addSession(terms('first'), 0));
  let lastToken = '';
  for (let at = 0; at < 100_000; at++)
    lastToken = store.visits.add(store.addSession(terms(`r-${at}`), 0)).token;

  expect(store.findSession({ merchant: 'pub_sandbox_demo', reference: 'first' })).toBeUndefined();
  expect(store.visits.find(first.token)).toBeUndefined();
  expect(store.findSession({ merchant: 'pub_sandbox_demo', reference: 'r-89999' })).toBeUndefined();
  expect(store.findSession({ merchant: 'pub_sandbox_demo', reference: 'r-90000' })).toBeDefined();
  expect(store.visits.find(lastToken)?.session.reference).toBe('r-99999');
});

test('a session keeps only its newest tokens, and the last one of each visitor with an attempt', () => {
  const store = new CollectionStore();
  const session = store.addSession(terms('busy'), 0);
  const owner = store.visits.add(session);
  const again = store.visits.add(session, owner.visit);
  session.attempts.push({ visit: owner.visit.id } as Attempt);
  const tokens = Array.from({ length: 1_000 }, () => store.visits.add(session).token);

  expect(tokens.filter((token) => store.visits.find(token)).length).toBe(63);
  expect(store.visits.isNewest(store.visits.find(tokens.at(-1)!)!)).toBe(true);
  expect(store.visits.find(owner.token)).toBeUndefined();
  expect(store.visits.find(again.token)?.id).toBe(owner.visit.id);
});

test('a session remembers a limited number of rejected attempts', () => {
  const store = new CollectionStore();
  const session = store.addSession(terms('greedy'), 0);
  for (let at = 0; at < 1_000; at++) store.passOver(session, `id-${at}`);

  expect(session.passedOver).toHaveLength(64);
  expect(session.passedOver.at(-1)).toBe('id-999');
});

function place(store: CollectionStore, reference: string, initiatedAt: number): void {
  const session = store.addSession(terms(reference), 0);
  const collection = {
    ...store.newCollection(new Date(initiatedAt).toISOString()),
    reference,
    status: 'successful',
    type: 'card',
  };
  session.life = { session: 'successful', isOverdue: false, attempts: [] };
  store.addCollection(session, collection);
  store.markChanged(session);
}

test('a list is in order of time, whatever the order of placing', () => {
  const store = new CollectionStore();
  for (let at = 5_000; at > 0; at--) place(store, `back-${at}`, at * 1000);
  place(store, 'middle', 2_000_500);

  const { total, found } = store.listCollections(
    { from: 1_999_000, to: 2_002_000 },
    { start: 0, count: 10 },
  );

  expect(total).toBe(4);
  expect(found.map(({ collection }) => collection.reference)).toEqual([
    'back-2001',
    'middle',
    'back-2000',
    'back-1999',
  ]);
  expect(store.listCollections({}, { start: 5_000, count: 10 })).toMatchObject({
    total: 5_001,
    found: [{ collection: { reference: 'back-1' } }],
  });
});

test('beyond 10 000 finished collections the one that finished first is deleted completely (B32)', () => {
  const store = new CollectionStore();
  const gone: string[] = [];
  const open = store.addSession(terms('open'), 0);
  store.addCollection(open, { ...store.newCollection('2020-01-01T00:00:00.000Z') });
  for (let at = 0; at < 10_001; at++) place(store, `r-${at}`, at);
  const { token } = store.visits.add(
    store.findSession({ merchant: 'pub_sandbox_demo', reference: 'r-1' })!,
  );
  const { id } = store.findCollection({ merchant: 'pub_sandbox_demo', reference: 'r-1' })!;
  store.records.onChange = (key) => store.records.find(key) || gone.push(key);

  place(store, 'r-10001', 0);

  expect(gone).toEqual(['pub_sandbox_demo r-1']);
  expect(store.findSession({ merchant: 'pub_sandbox_demo', reference: 'r-1' })).toBeUndefined();
  expect(store.visits.find(token)).toBeUndefined();
  expect(store.findCollectionById({ merchant: 'pub_sandbox_demo', id })).toBeUndefined();
  expect(store.findCollection({ merchant: 'pub_sandbox_demo', reference: 'open' })).toBeDefined();
  expect(store.listCollections({}, { start: 0, count: 1 }).total).toBe(10_001);
});

test('a token keeps its owner when the session ends and reopens', () => {
  const store = new CollectionStore();
  place(store, 'ended', 1);
  const owner = store.visits.add(
    store.findSession({ merchant: 'pub_sandbox_demo', reference: 'ended' })!,
  );
  const again = store.visits.add(
    store.findSession({ merchant: 'pub_sandbox_demo', reference: 'ended' })!,
    store.visits.find(owner.token),
  );
  const stranger = store.visits.add(
    store.findSession({ merchant: 'pub_sandbox_demo', reference: 'ended' })!,
  );

  expect(store.visits.find(again.token)?.id).toBe(owner.visit.id);
  expect(store.visits.find(stranger.token)?.id).not.toBe(owner.visit.id);
  expect(store.visits.isNewest(store.visits.find(stranger.token)!)).toBe(true);
  expect(store.visits.isNewest(store.visits.find(again.token)!)).toBe(false);
});
