import { isBrokenCircuitError } from 'cockatiel';
import { describe, expect, test, vi } from 'vitest';
import { PATIENT } from '../../test/patience.ts';
import { buildCircuitBreaker, type CircuitBreaker } from './circuit-breaker.ts';

const FAILURE = new Error('no response');

async function call(circuit: CircuitBreaker, isUp: boolean, times = 1): Promise<string[]> {
  const ends: string[] = [];
  for (let at = 0; at < times; at++)
    ends.push(await endOf(circuit, async () => (isUp ? 'returned' : Promise.reject(FAILURE))));
  return ends;
}

function endOf(circuit: CircuitBreaker, call: () => Promise<string>): Promise<string> {
  return circuit
    .run(call)
    .catch((error: unknown) => (isBrokenCircuitError(error) ? 'rejected' : 'failed'));
}

const build = () => buildCircuitBreaker((error) => error === FAILURE);

async function openCircuit(): Promise<CircuitBreaker> {
  const circuit = build();
  await call(circuit, false, 5);
  return circuit;
}

function isHalfOpen(circuit: CircuitBreaker): Promise<void> {
  return vi.waitFor(() => expect(circuit.state).toBe('half-open'), PATIENT);
}

describe.concurrent('the circuit', () => {
  test('the circuit breaker opens at the fifth failure in a row, not before', async () => {
    const circuit = build();

    await call(circuit, false, 4);
    const afterFour = circuit.state;
    await call(circuit, false);

    expect([afterFour, circuit.state]).toEqual(['closed', 'open']);
    expect(await call(circuit, true)).toEqual(['rejected']);
  });

  test('the circuit breaker opens soon when a busy service goes down, and never when every other call succeeds', async () => {
    const [down, shaky] = [build(), build()];

    await call(down, true, 500);
    await call(down, false, 17);
    for (let at = 0; at < 500; at++) await call(shaky, at % 2 === 0);

    expect([down.state, shaky.state]).toEqual(['open', 'closed']);
  });

  test('the circuit breaker counts no error that comes from a service that is there', async () => {
    const circuit = build();

    const ends = await Promise.all(
      Array.from({ length: 30 }, () => endOf(circuit, () => Promise.reject(new Error('rejected')))),
    );

    expect([new Set(ends), circuit.state]).toEqual([new Set(['failed']), 'closed']);
  });

  test('the circuit breaker lets one call probe the service after two seconds, and others wait for its result', async () => {
    const circuit = await openCircuit();
    const openedAt = performance.now();
    await isHalfOpen(circuit);
    expect(performance.now() - openedAt).toBeGreaterThan(1_900);

    const response = Promise.withResolvers<string>();
    const called: string[] = [];
    const probe = circuit.run(() => {
      called.push('probe');
      return response.promise;
    });
    const other = circuit.run(async () => void called.push('other'));
    const calledAtFirst = [...called];
    response.resolve('returned');

    expect(await probe).toBe('returned');
    await other;
    expect([calledAtFirst, called, circuit.state]).toEqual([
      ['probe'],
      ['probe', 'other'],
      'closed',
    ]);
  });

  test('the circuit breaker stays open for two more seconds when the probe fails, and rejects the calls that waited', async () => {
    const circuit = await openCircuit();
    await isHalfOpen(circuit);

    const response = Promise.withResolvers<string>();
    const ends = [
      circuit.run(() => response.promise),
      ...[1, 2].map(() => circuit.run(async () => '')),
    ];
    response.reject(FAILURE);

    expect((await Promise.allSettled(ends)).map(({ status }) => status)).toEqual(
      Array.from({ length: 3 }, () => 'rejected'),
    );
    expect(circuit.state).toBe('open');
    await isHalfOpen(circuit);
  });

  test('the circuit breaker stays open when calls that began before it opened end', async () => {
    const circuit = build();
    const [slow, late] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const ends = [slow, late].map(({ promise }) => endOf(circuit, () => promise));
    await call(circuit, false, 5);

    slow.resolve('returned');
    late.reject(FAILURE);

    expect(await Promise.all(ends)).toEqual(['returned', 'failed']);
    expect(circuit.state).toBe('open');
  });
});
