import fc from 'fast-check';
import { expect, test } from 'vitest';

import { Clock } from '../time/clock.ts';
import { type Happening, History, type NewHappening } from './history.ts';

const happened = (
  reference: string | null,
  summary: string,
  merchant: string | null = 'pub_a',
): NewHappening => ({
  kind: 'state',
  merchant: reference === null ? null : merchant,
  reference,
  summary,
  detail: null,
});

function build(limit: number): History {
  return new History({ clock: new Clock('virtual'), limit });
}

function summaries(happenings: readonly Happening[] | undefined): string[] | undefined {
  return happenings?.map(({ summary }) => summary);
}

test('the history keeps the newest happenings with number and sandbox time', () => {
  const clock = new Clock('virtual');
  const history = new History({ clock, limit: 3 });

  for (const summary of ['1', '2', '3', '4']) history.record(happened('r', summary));

  expect(history.since(1)).toEqual(
    ['2', '3', '4'].map((summary, at) => ({
      ...happened('r', summary),
      seq: at + 2,
      at: clock.timestamp(),
    })),
  );
  expect(history.since(0)).toBeUndefined();
  expect(summaries(history.since(1, 2))).toEqual(['2', '3']);
  expect(history.since(4)).toEqual([]);
  expect(history.since(5)).toBeUndefined();
});

test('the history returns the story of each collection, as a plain list would', () => {
  const references = fc.constantFrom('r', 'R', 's', '__proto__', null);
  const merchants = fc.constantFrom('pub_a', 'pub_b');
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 7 }),
      fc.array(fc.tuple(references, merchants), { maxLength: 40 }),
      (limit, recorded) => {
        const history = build(limit);
        for (const [at, [reference, merchant]] of recorded.entries())
          history.record(happened(reference, String(at), merchant));

        const kept = recorded
          .map(([reference, merchant], at) => ({ reference, merchant, summary: String(at) }))
          .slice(-limit);
        for (const reference of ['r', 'R', 's', '__proto__']) {
          for (const merchant of ['pub_a', 'pub_b']) {
            expect(summaries(history.storyOf({ merchant, reference }))).toEqual(
              kept
                .filter((one) => one.reference === reference && one.merchant === merchant)
                .map(({ summary }) => summary),
            );
          }
        }
      },
    ),
  );
});

test('the history never keeps more than the limit (B32)', () => {
  const history = build(1_000);

  for (let at = 0; at < 200_000; at++) history.record(happened(`r-${at % 20_000}`, 'happened'));

  expect(history.size).toBe(1_000);
  expect(history.since(history.last - 1_001)).toBeUndefined();
  expect(history.storyOf({ merchant: 'pub_a', reference: 'r-18999' })).toEqual([]);
  expect(history.storyOf({ merchant: 'pub_a', reference: 'r-19000' })).toHaveLength(1);
});

test('the history notifies a listener of everything until it unsubscribes, resets included', () => {
  const history = build(10);
  const news: unknown[] = [];
  const stop = history.subscribe((one) => news.push(one === 'reset' ? one : one.summary));

  history.record(happened('r', 'one'));
  history.reset();
  history.record(happened('r', 'two'));
  stop();
  history.record(happened('r', 'three'));

  expect(news).toEqual(['one', 'reset', 'two']);
  expect(summaries(history.storyOf({ merchant: 'pub_a', reference: 'r' }))).toEqual([
    'two',
    'three',
  ]);
  expect(history.since(0)).toBeUndefined();
  expect(summaries(history.since(1))).toEqual(['two', 'three']);
});

test('the history restores a snapshot, also with another limit, and rejects anything else', () => {
  const history = build(5);
  for (let at = 1; at <= 8; at++) history.record(happened(at % 2 ? 'odd' : 'even', String(at)));
  const snapshot = structuredClone(history.snapshot());
  const kept = structuredClone(history.since(3)!);

  const [same, smaller] = [build(5), build(2)];
  same.restore(snapshot, kept);
  smaller.restore(snapshot, kept);
  for (const restored of [same, smaller]) restored.record(happened('odd', '9'));

  expect(same.last).toBe(9);
  expect(summaries(same.storyOf({ merchant: 'pub_a', reference: 'odd' }))).toEqual(['5', '7', '9']);
  expect(summaries(smaller.since(7))).toEqual(['8', '9']);
  for (const none of [null, {}, { ...snapshot, last: 4 }, { ...snapshot, more: 1 }])
    expect(() => build(5).restore(none, kept)).toThrow();
  for (const none of [[{}], kept.slice(1, 2), [...kept.slice(0, 2), kept[4]]])
    expect(() => build(5).restore(snapshot, none)).toThrow();
});
