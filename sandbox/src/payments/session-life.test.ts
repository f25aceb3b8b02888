import { isFinalStatus } from '@service-pay/contract/collection';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  attemptsLeft,
  begin,
  collectionStatus,
  decline,
  expire,
  findRunning,
  type Life,
  moveOn,
  NEW_LIFE,
  type RunningStatus,
  reasonForFailure,
  succeed,
} from './session-life.ts';

const RUNNING: readonly RunningStatus[] = [
  'pending',
  '3ds-auth-required',
  'otp-required',
  'pay-offline',
];
const idArbitrary = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
const moveArbitrary: fc.Arbitrary<(life: Life) => Life> = fc.oneof(
  fc.tuple(idArbitrary, fc.constantFrom(...RUNNING)).map(
    ([id, status]) =>
      (life: Life) =>
        begin(life, id, status),
  ),
  fc.tuple(idArbitrary, fc.constantFrom(...RUNNING)).map(
    ([id, status]) =>
      (life: Life) =>
        moveOn(life, id, status),
  ),
  idArbitrary.map((id) => (life: Life) => succeed(life, id)),
  fc.tuple(idArbitrary, fc.constantFrom('Card declined', 'Not enough funds')).map(
    ([id, reason]) =>
      (life: Life) =>
        decline(life, id, reason),
  ),
  fc.constant(expire),
);

function everyHistory(holds: (before: Life, after: Life) => void): void {
  fc.assert(
    fc.property(fc.array(moveArbitrary, { maxLength: 40 }), (moves) => {
      let life = NEW_LIFE;
      for (const move of moves) {
        const after = move(life);
        holds(life, after);
        life = after;
      }
    }),
    { numRuns: 2_000 },
  );
}

test('final states stay final (D31)', () => {
  everyHistory((before, after) => {
    if (before.session !== 'open') expect(after).toBe(before);
    const status = collectionStatus(before);
    if (status && isFinalStatus(status)) expect(collectionStatus(after)).toBe(status);
  });
});

test('exactly one attempt of a successful session succeeds, and none of any other', () => {
  everyHistory((_, after) => {
    const successful = after.attempts.filter((attempt) => attempt.status === 'successful').length;
    expect(successful).toBe(after.session === 'successful' ? 1 : 0);
  });
});

test('at most five attempts, one of them running (D37, T42)', () => {
  everyHistory((_, after) => {
    expect(after.attempts.length).toBeLessThanOrEqual(5);
    expect(
      after.attempts.filter(({ status }) => RUNNING.includes(status as RunningStatus)).length,
    ).toBeLessThanOrEqual(1);
    expect(attemptsLeft(after)).toBe(after.session === 'open' ? 5 - after.attempts.length : 0);
    if (after.session !== 'open') expect(findRunning(after)).toBeUndefined();
  });
});

test('attempts are only added, and a finished one never changes', () => {
  everyHistory((before, after) => {
    before.attempts.forEach((attempt, at) => {
      expect(after.attempts[at]?.id).toBe(attempt.id);
      if (!RUNNING.includes(attempt.status as RunningStatus))
        expect(after.attempts[at]).toEqual(attempt);
    });
  });
});

test('between attempts the collection is pending without a reason; a failed one has the last decline\'s (architecture, "The collection\'s life")', () => {
  everyHistory((_, after) => {
    const last = after.attempts.at(-1);
    if (!last) expect(collectionStatus(after)).toBeUndefined();
    if (last?.status === 'declined' && after.session === 'open')
      expect(collectionStatus(after)).toBe('pending');
    expect(reasonForFailure(after)).toBe(
      after.session === 'failed' ? (last?.reasonForFailure ?? null) : null,
    );
  });
});

test('a session that runs out during an attempt waits for its end, which counts (T43)', () => {
  const running = expire(begin(NEW_LIFE, 'a', 'pay-offline'));

  expect(running.session).toBe('open');
  expect(succeed(running, 'a').session).toBe('successful');
  expect(decline(running, 'a', 'Incorrect Pin').session).toBe('failed');
});

test('the fifth decline ends the session (D37)', () => {
  let life: Life = NEW_LIFE;
  for (const id of ['a', 'b', 'c', 'd', 'e']) {
    expect(life.session).toBe('open');
    life = decline(begin(life, id, 'pending'), id, `declined ${id}`);
  }

  expect(life.session).toBe('failed');
  expect(reasonForFailure(life)).toBe('declined e');
  expect(begin(life, 'f', 'pending')).toBe(life);
});
