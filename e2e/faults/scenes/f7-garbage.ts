import { feedAnswers } from '../garbage/garbage-answers.ts';
import { feedRequests } from '../garbage/garbage-requests.ts';
import { GarbageScene } from '../garbage/garbage-scene.ts';
import { feedSettings } from '../garbage/garbage-settings.ts';
import { feedWebhooks } from '../garbage/garbage-webhooks.ts';
import {
  Findings,
  type Harness,
  type HarnessOptions,
  type HarnessResult,
  SOUND,
} from '../harness.ts';

const COUNTS = {
  short: { answers: 300, webhooks: 400, requests: 300, settings: 1_500 },
  full: { answers: 100_000, webhooks: 100_000, requests: 100_000, settings: 100_000 },
};

const WARM_AFTER = 0.2;
const MEMORY_GROWS_AT_MOST_MB = 64;

/**
 * F7: garbage as answers, webhooks, requests and settings. A failure names the draw; `--seed` plays
 * all of them again.
 */
export const F7: Harness = {
  id: 'F7',
  what: 'garbage',
  databases: ['sqlite', 'postgres'],
  run: runF7,
  broken: [
    {
      name: 'takes what looks successful for successful',
      patches: [
        {
          file: 'server/src/payments/decide.ts',
          find: "collection.status !== 'successful'",
          replace: '!/success/i.test(collection.status)',
        },
      ],
    },
    {
      name: 'takes a signature in capitals',
      patches: [
        {
          file: 'server/src/webhooks/event.ts',
          find: 'SIGNATURE_PATTERN.test(signature) ? signature :',
          replace: 'SIGNATURE_PATTERN.test(signature.toLowerCase()) ? signature.toLowerCase() :',
        },
      ],
    },
    {
      name: 'shows a setting that is wrong',
      patches: [
        {
          file: 'server/src/cli/settings.ts',
          find: 'given[name] ? issue.message :',
          replace: 'given[name] ? String(issue.input) :',
        },
      ],
    },
  ],
};

export async function runF7(options: HarnessOptions): Promise<HarnessResult> {
  const { scale, source = SOUND } = options;
  const counts = COUNTS[scale];
  const findings = new Findings('F7', options);
  await feedSettings(source, findings, counts.settings);
  const scene = await GarbageScene.open(options, findings);
  try {
    await feedWebhooks(scene, counts.webhooks * WARM_AFTER);
    await feedRequests(scene, counts.requests * WARM_AFTER);
    await feedAnswers(scene, counts.answers * WARM_AFTER);
    const warm = await scene.readMemory();
    await feedWebhooks(scene, counts.webhooks);
    await feedRequests(scene, counts.requests);
    await feedAnswers(scene, counts.answers);
    const grownBy = (await scene.readMemory()) - warm;
    // in the short form the program itself still warms up
    findings.limitInFull('memory grown by MB', grownBy, MEMORY_GROWS_AT_MOST_MB);
    scene.conclude();
    return findings.result();
  } finally {
    await scene.close();
  }
}
