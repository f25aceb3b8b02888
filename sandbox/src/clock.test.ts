import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';

import { Clock } from './clock.ts';

const clock = new Clock();
afterEach(() => clock.reset());

test('runs everything due by due time, then by order of creation (T60)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 }), async (delays) => {
      clock.reset();
      await clock.makeVirtual();
      const start = clock.now();
      const ran: [number, number][] = [];
      delays.forEach((delay, order) => {
        clock.schedule(start + delay, () => void ran.push([clock.now() - start, order]));
      });

      await clock.advance(20);

      const expected = delays.map((delay, order) => [delay, order]).sort(([a, x], [b, y]) => a! - b! || x! - y!);
      expect(ran).toEqual(expected);
    }),
  );
});

test('runs what becomes due on the way, at its time', async () => {
  await clock.makeVirtual();
  const start = clock.now();
  const ran: number[] = [];
  clock.schedule(start + 10, () => {
    ran.push(clock.now() - start);
    clock.schedule(start + 15, () => void ran.push(clock.now() - start));
  });

  await clock.advance(20);

  expect(ran).toEqual([10, 15]);
  expect(clock.now()).toBe(start + 20);
});

test('waits for work begun at one moment before it moves on, and lets work of that moment run side by side', async () => {
  await clock.makeVirtual();
  const start = clock.now();
  const log: string[] = [];
  let release = () => {};
  const both = new Promise<void>((resolve) => {
    release = resolve;
  });
  clock.schedule(start + 1, async () => {
    log.push('first begins');
    await both;
    log.push('first ends');
  });
  clock.schedule(start + 1, async () => {
    log.push('second');
    release();
  });
  clock.schedule(start + 2, () => void log.push('later'));

  await clock.advance(5);

  expect(log).toEqual(['first begins', 'second', 'first ends', 'later']);
});

test('queues two advances (T59)', async () => {
  await clock.makeVirtual();
  const start = clock.now();

  await Promise.all([clock.advance(1_000), clock.advance(2_000)]);

  expect(clock.now()).toBe(start + 3_000);
});

test('runs nothing after a reset that was due before it, not even within an advance (T59)', async () => {
  await clock.makeVirtual();
  const start = clock.now();
  const ran: string[] = [];
  clock.schedule(start + 1, async () => {
    ran.push('before');
    clock.reset();
  });
  clock.schedule(start + 2, () => void ran.push('after'));

  await clock.advance(10);
  await clock.makeVirtual();
  await clock.advance(10_000);

  expect(ran).toEqual(['before']);
});

test('a stopped clock still runs what is due now, without an advance', async () => {
  await clock.makeVirtual();

  await new Promise<void>((resolve) => {
    clock.schedule(clock.now(), resolve);
  });
});

test('time never goes back but by a reset (T59)', async () => {
  await clock.makeVirtual();
  await clock.advance(60_000);
  const ahead = clock.now();

  expect(await clock.makeVirtual(ahead - 1)).toBe(false);
  await clock.makeReal();
  expect(clock.now()).toBeGreaterThanOrEqual(ahead);
  clock.reset();
  expect(clock.now()).toBeLessThan(ahead);
});

test('advancing a real clock lets it go on from there', async () => {
  const before = clock.now();

  await clock.advance(60_000);

  expect(clock.now()).toBeGreaterThanOrEqual(before + 60_000);
  expect(clock.mode).toBe('real');
  await new Promise<void>((resolve) => {
    clock.schedule(clock.now() + 5, resolve);
  });
});

test('what was called off does not run', async () => {
  await clock.makeVirtual();
  const ran: string[] = [];
  const callOff = clock.schedule(clock.now() + 1, () => void ran.push('called off'));
  callOff();

  await clock.advance(10);

  expect(ran).toEqual([]);
});
