import { describe, expect, test } from 'vitest';

import { Circuit } from './circuit.ts';
import { ManualClock } from './test-shop.ts';

async function call(circuit: Circuit, wasAnswered: boolean, times = 1): Promise<void> {
  for (let at = 0; at < times; at++) {
    const admitted = await circuit.admit();
    if (admitted !== 'refused') circuit.note(admitted, wasAnswered);
  }
}

async function openCircuit(): Promise<{ circuit: Circuit; clock: ManualClock }> {
  const clock = new ManualClock();
  const circuit = new Circuit(clock);
  await call(circuit, false, 5);
  return { circuit, clock };
}

describe('the circuit', () => {
  test('opens at the fifth failure in a row, not before', async () => {
    const circuit = new Circuit(new ManualClock());

    await call(circuit, false, 4);
    const afterFour = circuit.state;
    await call(circuit, false);

    expect([afterFour, circuit.state]).toEqual(['closed', 'open']);
    expect(await circuit.admit()).toBe('refused');
  });

  test('opens soon where a busy service goes down, and never where every other call is answered', async () => {
    const down = new Circuit(new ManualClock());
    const shaky = new Circuit(new ManualClock());

    await call(down, true, 500);
    await call(down, false, 16);
    for (let at = 0; at < 500; at++) await call(shaky, at % 2 === 0);

    expect([down.state, shaky.state]).toEqual(['open', 'closed']);
  });

  test('lets failures that lie far apart be: a lonely one is never held against the next customer', async () => {
    const clock = new ManualClock();
    const circuit = new Circuit(clock);

    for (let at = 0; at < 100; at++) {
      await call(circuit, false);
      await clock.advance(2_500);
    }

    expect(circuit.state).toBe('closed');
  });

  test('lets one call find out after two seconds, and the others wait for what it finds', async () => {
    const { circuit, clock } = await openCircuit();
    await clock.advance(1_999);
    const early = await circuit.admit();
    await clock.advance(1);
    const halfOpen = circuit.state;

    const probe = await circuit.admit();
    const others = [circuit.admit(), circuit.admit()];
    circuit.note('probe', true);

    expect([early, halfOpen, probe]).toEqual(['refused', 'half-open', 'probe']);
    expect(await Promise.all(others)).toEqual(['call', 'call']);
    expect(circuit.state).toBe('closed');
  });

  test('stays open for two seconds more where the one call fails, and refuses those who waited', async () => {
    const { circuit, clock } = await openCircuit();
    await clock.advance(2_000);

    await circuit.admit();
    const others = [circuit.admit(), circuit.admit()];
    await clock.advance(500);
    circuit.note('probe', false);

    expect(await Promise.all(others)).toEqual(['refused', 'refused']);
    expect(circuit.state).toBe('open');
    await clock.advance(2_000);
    expect(circuit.state).toBe('half-open');
  });

  test('lets nobody wait for more than a second for a call that finds out nothing', async () => {
    const { circuit, clock } = await openCircuit();
    await clock.advance(2_000);
    await circuit.admit();
    const ends: string[] = [];
    void circuit.admit().then((end) => ends.push(end));

    await clock.advance(999);
    const before = [...ends];
    await clock.advance(1);
    await new Promise(setImmediate);

    expect([before, ends, circuit.state]).toEqual([[], ['refused'], 'half-open']);
  });

  test('finds out after two seconds also where the clock was set back meanwhile', async () => {
    const { circuit, clock } = await openCircuit();

    await clock.jump(-60 * 60_000);
    await clock.advance(2_000);

    expect([circuit.state, await circuit.admit()]).toEqual(['half-open', 'probe']);
  });

  test('does not count what was asked before it opened', async () => {
    const circuit = new Circuit(new ManualClock());
    const [slow, late] = [await circuit.admit(), await circuit.admit()];
    await call(circuit, false, 5);

    circuit.note(slow as 'call', true);
    circuit.note(late as 'call', false);

    expect([slow, late, circuit.state]).toEqual(['call', 'call', 'open']);
  });
});
