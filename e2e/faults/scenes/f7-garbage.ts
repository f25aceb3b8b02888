import { feedAnswers } from '../garbage/garbage-answers.ts';
import { feedRequests } from '../garbage/garbage-requests.ts';
import { GarbageScene } from '../garbage/garbage-scene.ts';
import { feedSettings } from '../garbage/garbage-settings.ts';
import { feedWebhooks } from '../garbage/garbage-webhooks.ts';
import { Findings, type Harness, type HarnessOptions, type HarnessResult } from '../harness.ts';

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
    { name: 'takes-what-looks-successful' },
    { name: 'takes-capitals' },
    { name: 'shows-wrong-settings' },
  ],
};

export async function runF7(options: HarnessOptions): Promise<HarnessResult> {
  const counts = COUNTS[options.scale];
  const findings = new Findings('F7', options);
  await feedSettings(findings, counts.settings, options.mutant);
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
