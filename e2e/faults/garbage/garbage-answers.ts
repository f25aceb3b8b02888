import { setTimeout as pause } from 'node:timers/promises';
import type { PlacedOrder } from '../shop/shopping.ts';
import type { GarbageScene } from './garbage-scene.ts';
import { judgeAnswer, type Verdict } from './judged-answer.ts';
import { type Answer, mutatedAnswer, type Ordered, writeAnswer } from './mutated-answers.ts';

const AT_ONCE = 32;
const ORDERED = { amount: '92.50', currency: 'ZMW' };

const ASK_AGAIN_MS = 1_000;
const MOST_ROUNDS = 60;

/**
 * Answers this many verifies with garbage, and compares each payment with what its answer really
 * says.
 */
export async function feedAnswers(scene: GarbageScene, count: number): Promise<void> {
  const { answers, shopping, findings } = scene;
  const given = new Map<string, { verdict: Verdict; write: () => Answer }>();
  const sound: PlacedOrder[] = [];

  await scene.feed(mutatedAnswer, count, AT_ONCE, async (mutated) => {
    const placed = await shopping.order();
    const order: Ordered = { reference: placed.reference, ...ORDERED };
    const write = () => writeAnswer(order, mutated);
    const verdict = judgeAnswer(write(), order);
    given.set(placed.reference, { verdict, write });
    answers.set(placed.reference, write);
    if (verdict !== 'awaiting-payment') sound.push(placed);
    const shown = await shopping.verify(placed).catch(() => undefined);
    if (shown === 'successful' && verdict !== 'paid') scene.fail('a page showed paid', { mutated });
    if (shown === 'failed' && verdict !== 'failed') scene.fail('a page showed failed', { mutated });
  });

  for (const [reference, { verdict }] of given)
    if (verdict === 'awaiting-payment') answers.delete(reference);
  findings.limit('sound answers not taken', await askAgain(scene, sound), 0);

  const counts = { paid: 0, 'needs-review': 0, failed: 0, 'awaiting-payment': 0 };
  let wrong = 0;
  for (const { reference, state } of await readStates<keyof typeof counts>(scene)) {
    const said = given.get(reference);
    if (!said) continue;
    counts[state] += 1;
    if (state === said.verdict || state === 'awaiting-payment') continue;
    wrong += 1;
    const { body, ...answer } = said.write();
    scene.fail(`a payment is ${state} and its answer says ${said.verdict}`, {
      ...answer,
      body: body.toString('latin1'),
    });
  }
  answers.clear();
  findings.figures['answers'] = given.size;
  findings.limit('payments moved wrongly', wrong, 0);
  findings.requireDrawn('paid by a sound answer', counts.paid, count / 20);
  findings.figures['sent to review'] = counts['needs-review'];
  findings.figures['failed by a sound answer'] = counts.failed;
}

/** Asks for payments that met the open circuit. Returns how many are still not known. */
async function askAgain(scene: GarbageScene, sound: readonly PlacedOrder[]): Promise<number> {
  for (let round = 0; ; round++) {
    const awaited = new Set<string>();
    for (const { reference, state } of await readStates(scene))
      if (state === 'awaiting-payment') awaited.add(reference);
    const unheard = sound.filter(({ reference }) => awaited.has(reference));
    if (!unheard.length || round === MOST_ROUNDS || !scene.shop.isRunning) return unheard.length;
    const left = [...unheard];
    const askNext = async () => {
      for (let placed = left.pop(); placed; placed = left.pop())
        await scene.shopping.verify(placed).catch(() => undefined);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askNext));
    await pause(ASK_AGAIN_MS);
  }
}

function readStates<State extends string>(
  scene: GarbageScene,
): Promise<{ reference: string; state: State }[]> {
  return scene.database.rows('select reference, state from service_pay_payments');
}
