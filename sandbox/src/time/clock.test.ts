import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { Clock, type ClockSnapshot } from './clock.ts';

const clock = new Clock();
afterEach(() => clock.reset());

let named = 0;
function schedule(at: number, run: () => void | Promise<void>): () => void {
  const kind = `step ${named++}`;
  clock.handle(kind, run);
  const planned = clock.plan(at, kind, '');
  return () => clock.callOff(planned);
}

test('the clock runs everything by due time, then in order of creation (T60)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 }),
      async (delays) => {
        clock.reset();
        await clock.makeVirtual();
        const start = clock.now();
        const ran: [number, number][] = [];
        delays.forEach((delay, order) => {
          schedule(start + delay, () => void ran.push([clock.now() - start, order]));
        });

        await clock.advance(20);

        const expected = delays
          .map((delay, order) => [delay, order])
          .sort(([a, x], [b, y]) => a! - b! || x! - y!);
        expect(ran).toEqual(expected);
      },
    ),
  );
});

test('the clock runs what becomes due during an advance, at its time', async () => {
  await clock.makeVirtual();
  const start = clock.now();
  const ran: number[] = [];
  schedule(start + 10, () => {
    ran.push(clock.now() - start);
    schedule(start + 15, () => void ran.push(clock.now() - start));
  });

  await clock.advance(20);

  expect(ran).toEqual([10, 15]);
  expect(clock.now()).toBe(start + 20);
});

test('the clock finishes the work of one moment before the next, and runs work of one moment concurrently', async () => {
  await clock.makeVirtual();
  const start = clock.now();
  const log: string[] = [];
  let release = () => {};
  const both = new Promise<void>((resolve) => {
    release = resolve;
  });
  schedule(start + 1, async () => {
    log.push('first begins');
    await both;
    log.push('first ends');
  });
  schedule(start + 1, async () => {
    log.push('second');
    release();
  });
  schedule(start + 2, () => void log.push('later'));

  await clock.advance(5);

  expect(log).toEqual(['first begins', 'second', 'first ends', 'later']);
});

test('the clock runs a limited number of the tasks due at one moment at a time, in order, until all are done', async () => {
  await clock.makeVirtual();
  let [underWay, most] = [0, 0];
  const began: string[] = [];
  clock.handle('work', async (subject) => {
    began.push(subject);
    underWay += 1;
    most = Math.max(most, underWay);
    await Promise.resolve();
    underWay -= 1;
  });
  const subjects = Array.from({ length: 1_000 }, (_, at) => String(at));
  for (const subject of subjects) clock.plan(clock.now() + 5, 'work', subject);

  await clock.advance(5);

  expect(began).toEqual(subjects);
  expect(most).toBe(256);
  expect(underWay).toBe(0);
});

test('the clock queues two advances (T59)', async () => {
  await clock.makeVirtual();
  const start = clock.now();
  schedule(start + 500, () => new Promise((resolve) => setImmediate(resolve)));

  await Promise.all([clock.advance(1_000), clock.advance(2_000)]);

  expect(clock.now()).toBe(start + 3_000);
});

test('the clock runs nothing planned before a reset, not even during an advance (T59)', async () => {
  await clock.makeVirtual();
  const start = clock.now();
  const ran: string[] = [];
  schedule(start + 1, async () => {
    ran.push('before');
    clock.reset();
  });
  schedule(start + 2, () => void ran.push('after'));

  await clock.advance(10);
  await clock.makeVirtual();
  await clock.advance(10_000);

  expect(ran).toEqual(['before']);
});

test('a reset cancels queued advances (T59)', async () => {
  await clock.makeVirtual();
  const start = clock.now();
  schedule(start + 1, () => clock.reset());

  await Promise.all([
    clock.advance(10),
    clock.advance(60 * 60_000),
    clock.makeVirtual(start + 24 * 60 * 60_000),
  ]);

  expect(clock.mode).toBe('real');
  expect(clock.now()).toBeLessThan(start + 60 * 60_000);
});

test('a virtual clock runs what is due now without an advance', async () => {
  await clock.makeVirtual();

  await new Promise<void>((resolve) => {
    schedule(clock.now(), resolve);
  });
});

test('a real clock continues from where an advance ended', async () => {
  const before = clock.now();

  await clock.advance(60_000);

  expect(clock.now()).toBeGreaterThanOrEqual(before + 60_000);
  expect(clock.mode).toBe('real');
  await new Promise<void>((resolve) => {
    schedule(clock.now() + 5, resolve);
  });
});

test('the clock does not run cancelled plans', async () => {
  await clock.makeVirtual();
  const ran: string[] = [];
  const callOff = schedule(clock.now() + 1, () => void ran.push('called off'));
  callOff();

  await clock.advance(10);

  expect(ran).toEqual([]);
});

test('the clock returns the next due time without cancelled plans', async () => {
  await clock.makeVirtual();
  expect(clock.nextDueAt()).toBeNull();
  const callOff = schedule(clock.now() + 1, () => undefined);
  schedule(clock.now() + 2, () => undefined);
  expect(clock.nextDueAt()).toBe(clock.now() + 1);

  callOff();

  expect(clock.nextDueAt()).toBe(clock.now() + 2);
});

test('a snapshot contains no cancelled plans', async () => {
  await clock.makeVirtual();
  clock.handle('never', () => undefined);
  for (let at = 0; at < 10_000; at++)
    clock.callOff(clock.plan(clock.now() + 60_000 + at, 'never', `${at}`));
  clock.plan(clock.now() + 1_000_000, 'never', 'kept');

  expect(clock.snapshot().plans.map(({ subject }) => subject)).toEqual(['kept']);
});

describe('after a restart', () => {
  const goOn = (snapshot: ClockSnapshot, ran: string[], heldUp?: Promise<void>) => {
    const next = new Clock();
    next.handle('step', (subject) => {
      ran.push(`${subject} at ${next.now() - snapshot.now}`);
      return heldUp;
    });
    next.restore(snapshot);
    return next;
  };

  test('a virtual clock keeps its time and runs plans in order (T60)', async () => {
    await clock.makeVirtual();
    clock.handle('step', () => undefined);
    for (const [afterMs, subject] of [
      [20, 'third'],
      [10, 'first'],
      [10, 'second'],
      [5, 'called off'],
    ] as const) {
      const planned = clock.plan(clock.now() + afterMs, 'step', subject);
      if (subject === 'called off') clock.callOff(planned);
    }
    const ran: string[] = [];

    const next = goOn(JSON.parse(JSON.stringify(clock.snapshot())), ran);
    next.start();
    expect(next.now()).toBe(clock.now());
    next.plan(next.now() + 10, 'step', 'planned since');
    await next.advance(30);

    expect(ran).toEqual(['first at 10', 'second at 10', 'planned since at 10', 'third at 20']);
    next.reset();
  });

  test('a real clock has moved on: what became due meanwhile runs in order at start', async () => {
    const snapshot: ClockSnapshot = {
      mode: 'real',
      now: Date.now() - 60_000,
      aheadMs: 0,
      created: 9,
      plans: [
        { at: Date.now() - 10_000, order: 7, kind: 'step', subject: 'second' },
        { at: Date.now() - 20_000, order: 8, kind: 'step', subject: 'first' },
      ],
    };
    const ran: string[] = [];
    const next = goOn(snapshot, ran);

    expect(next.now()).toBeGreaterThanOrEqual(snapshot.now + 60_000);
    expect(ran).toEqual([]);
    next.start();
    await vi.waitFor(() => expect(ran).toHaveLength(2), { timeout: 60_000 });

    expect(ran.map((line) => line.split(' ')[0])).toEqual(['first', 'second']);
    next.reset();
  });

  test('the clock repeats unfinished work', async () => {
    await clock.makeVirtual();
    let release = () => {};
    const heldUp = new Promise<void>((resolve) => {
      release = resolve;
    });
    clock.handle('step', () => heldUp);
    clock.plan(clock.now() + 1, 'step', 'begun');
    const advanced = clock.advance(1);
    await vi.waitFor(() => expect(clock.nextDueAt()).toBeNull(), { timeout: 60_000 });
    const ran: string[] = [];

    const next = goOn(clock.snapshot(), ran);
    await next.advance(0);

    expect(ran).toEqual(['begun at 0']);
    release();
    await advanced;
    expect(clock.snapshot().plans).toEqual([]);
    next.reset();
  });
});
