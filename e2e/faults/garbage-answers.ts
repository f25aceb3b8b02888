import type { GarbageScene } from './garbage-scene.ts';
import { judgeAnswer } from './judged-answer.ts';
import { mutatedAnswer, type Ordered, writeAnswer } from './mutated-answers.ts';

const AT_ONCE = 32;
const ORDERED = { amount: '92.50', currency: 'ZMW' };

/** Lets the service answer so many verifies with garbage, and compares each payment with what its answer really says. */
export async function feedAnswers(scene: GarbageScene, count: number): Promise<void> {
  const { answers, shopping, findings } = scene;
  const verdicts = new Map<string, ReturnType<typeof judgeAnswer>>();

  await scene.feed(mutatedAnswer, count, AT_ONCE, async (mutated) => {
    const placed = await shopping.order();
    const order: Ordered = { reference: placed.reference, ...ORDERED };
    const verdict = judgeAnswer(writeAnswer(order, mutated), order);
    verdicts.set(placed.reference, verdict);
    answers.set(placed.reference, () => writeAnswer(order, mutated));
    const told = await shopping.verify(placed).catch(() => undefined);
    if (told === 'successful' && verdict !== 'paid') scene.fail('a page was told paid', { mutated });
    if (told === 'failed' && verdict !== 'failed') scene.fail('a page was told failed', { mutated });
  });

  const counts = { paid: 0, 'needs-review': 0, failed: 0, 'awaiting-payment': 0 };
  let wrong = 0;
  let unheard = 0;
  for (const { reference, state } of await scene.database.rows<{ reference: string; state: keyof typeof counts }>(
    'select reference, state from payments',
  )) {
    const verdict = verdicts.get(reference);
    if (!verdict) continue;
    counts[state] += 1;
    if (state === verdict) continue;
    if (state === 'awaiting-payment') unheard += 1;
    else {
      wrong += 1;
      const { body, ...answer } = answers.get(reference)!();
      scene.fail(`a payment is ${state} and its answer says ${verdict}`, { ...answer, body: body.toString('latin1') });
    }
  }
  answers.clear();
  findings.figures['answers'] = verdicts.size;
  findings.limit('payments moved wrongly', wrong, 0);
  findings.require('paid by a sound answer', counts.paid, count / 20);
  findings.figures['sent to review'] = counts['needs-review'];
  findings.figures['failed by a sound answer'] = counts.failed;
  // Some come while the circuit is open, and are asked about again; most of them meanwhile.
  findings.limit('sound answers not taken, share', Math.round((unheard / count) * 1000) / 1000, 0.05);
}
