import { expect, test } from 'vitest';

import { type Attempt, CollectionStore, type SessionTerms } from './collection-store.ts';

const terms = (reference: string): SessionTerms => ({
  merchant: 'pub_sandbox_demo',
  accountId: 'account',
  reference,
  amount: '10.00',
  currency: 'ZMW',
  bearer: 'merchant',
  label: null,
  channels: ['card'],
  networks: [],
  charge: { fee: '0.25', total: '10.00', settled: '9.75' },
  expiresAt: 0,
});

test('a hundred thousand sessions nobody tried to pay in: the oldest go first, with their visits (T52)', () => {
  const store = new CollectionStore();
  const first = store.addVisit(store.addSession(terms('first')));
  let lastToken = '';
  for (let at = 0; at < 100_000; at++) lastToken = store.addVisit(store.addSession(terms(`r-${at}`))).token;

  expect(store.findSession('pub_sandbox_demo', 'first')).toBeUndefined();
  expect(store.findVisit(first.token)).toBeUndefined();
  expect(store.findSession('pub_sandbox_demo', 'r-89999')).toBeUndefined();
  expect(store.findSession('pub_sandbox_demo', 'r-90000')).toBeDefined();
  expect(store.findVisit(lastToken)?.session.reference).toBe('r-99999');
});

test('a session remembers its newest tokens only, and the last one of who made an attempt', () => {
  const store = new CollectionStore();
  const session = store.addSession(terms('busy'));
  const owner = store.addVisit(session);
  const again = store.addVisit(session, owner.visit);
  session.attempts.push({ visit: owner.visit.id } as Attempt);
  const tokens = Array.from({ length: 1_000 }, () => store.addVisit(session).token);

  expect(tokens.filter((token) => store.findVisit(token)).length).toBe(63);
  expect(store.isNewest(store.findVisit(tokens.at(-1)!)!)).toBe(true);
  expect(store.findVisit(owner.token)).toBeUndefined();
  expect(store.findVisit(again.token)?.id).toBe(owner.visit.id);
});

test('a session remembers a bounded number of attempts it passed over', () => {
  const store = new CollectionStore();
  const session = store.addSession(terms('greedy'));
  for (let at = 0; at < 1_000; at++) store.passOver(session, `id-${at}`);

  expect(session.passedOver).toHaveLength(64);
  expect(session.passedOver.at(-1)).toBe('id-999');
});
