import type { Sandbox } from '../../app/start.ts';
import { SANDBOX_NUMBERS } from '../../check/numbers.ts';
import type { Chapter } from '../../check/rule.ts';
import { CHAPTERS, runCheck, START } from '../../check/run-check.ts';
import type { RuleResult } from '../../check/run-rules.ts';
import type { Service, ServiceOptions } from '../../check/service.ts';
import type { WebhookReceiver } from '../../check/webhook-receiver.ts';
import type { Fault } from '../broken-service.ts';
import { startBrokenService } from '../broken-service.ts';
import { buildAttemptBreaks } from './attempts.ts';
import { FILE_BREAKS } from './files.ts';
import { buildMerchantApiBreaks } from './merchant-api.ts';
import { type Breaks, CheckTime, KEY, OTHER, Past, TOKEN } from './past.ts';
import { buildPhoneBreaks } from './phones.ts';
import { buildSessionBreaks } from './sessions.ts';
import { WEBHOOK_BREAKS } from './webhooks.ts';

export const ORIGIN = 'http://localhost:3000';

const PASSES: Fault = (call, next) => next(call);

/** Every break of a service: the rule that must name it, and what the service does. */
export const BREAKS: readonly { rule: string; does: string }[] = [
  ...Object.entries(buildBreaks(new Past(new CheckTime()))),
  ...Object.entries(WEBHOOK_BREAKS),
].flatMap(([rule, breaks]) =>
  (typeof breaks === 'function' ? [''] : Object.keys(breaks)).map((does) => ({ rule, does })),
);

/** Checks the broken service without waiting, and returns the results. */
export async function checkBroken(
  broken: { rule: string; does: string },
  sandbox: Sandbox,
  receiver: WebhookReceiver,
  chapters: readonly Chapter[] = [START, ...CHAPTERS],
  changed: Partial<ServiceOptions> = {},
): Promise<RuleResult[]> {
  const past = new Past(new CheckTime());
  const followed = chapters.map(({ title, rules }) => ({
    title,
    rules: rules.map((rule) => ({
      ...rule,
      check(service: Service) {
        past.isOwnRule = rule.title === broken.rule;
        return rule.check(service);
      },
    })),
  }));
  const { options, close } = await breakService(broken, sandbox, receiver, past);
  const results: RuleResult[] = [];
  for await (const result of runCheck({ ...options, ...changed }, followed)) results.push(result);
  close();
  return results;
}

/** Starts the broken service, and returns how to check it. */
export async function breakService(
  { rule, does }: { rule: string; does: string },
  sandbox: Sandbox,
  receiver: WebhookReceiver,
  past: Past,
): Promise<{ options: ServiceOptions; close: () => void }> {
  const { time } = past;
  const faults = buildBreaks(past)[rule] ?? PASSES;
  const fault = typeof faults === 'function' ? faults : faults[does]!;
  const { url, close } = await startBrokenService(sandbox.url, past.around(fault));
  const received = WEBHOOK_BREAKS[rule]?.[does]?.(receiver, time);
  return {
    options: checkOptions(url, sandbox, { ...receiver, ...received }, time),
    close,
  };
}

/** Returns options with which a check of a sandbox waits for nothing. */
export function checkOptions(
  url: string,
  sandbox: Sandbox,
  receiver: WebhookReceiver,
  time = new CheckTime(),
): ServiceOptions {
  return {
    url,
    key: KEY,
    token: TOKEN,
    other: OTHER,
    origin: ORIGIN,
    numbers: SANDBOX_NUMBERS,
    patienceMs: 2 * 60 * 60_000,
    async sleep(ms) {
      await sandbox.control.advance(ms / 1_000); // sends what is due, too
      time.pass(ms);
    },
    deadline: (ms) => time.deadline(ms),
    receiver,
  };
}

function buildBreaks(past: Past): Breaks {
  return {
    ...FILE_BREAKS,
    ...buildSessionBreaks(past),
    ...buildAttemptBreaks(past),
    ...buildPhoneBreaks(past),
    ...buildMerchantApiBreaks(past),
  };
}
