import { randomBytes } from 'node:crypto';
import { errorEnvelopeSchema } from '@service-pay/contract/envelope';
import * as v from 'valibot';

import { type Config, isLoopback } from '../settings.ts';
import type { Finding } from './finding.ts';
import { type Tried, tryAddress } from './request.ts';

const SLOW_MS = 2_000;

/**
 * A clock further off than this shows in what customers are told, and in which log line came first.
 */
export const MOST_CLOCK_ERROR_MS = 10_000;

/** The `Date` header knows no less than this. */
const DATE_RESOLUTION_MS = 1_000;

/**
 * Asks the service about a reference that nobody has, which shows whether it is there, what it
 * makes of the token, and its time.
 */
export async function checkService({
  apiUrl,
  apiToken,
}: Pick<Config, 'apiUrl' | 'apiToken'>): Promise<Finding[]> {
  const tried = await tryAddress(
    `${apiUrl}/access/v2/collections/status/doctor-${randomBytes(16).toString('hex')}`,
    {
      headers: { authorization: `Bearer ${apiToken}`, accept: 'application/json' },
    },
  );
  return [judgeService(tried, apiUrl), judgeToken(tried), judgeClock(tried)];
}

/** Whether the popup's script is where pages look for it. */
export async function checkScript({ scriptUrl }: Pick<Config, 'scriptUrl'>): Promise<Finding> {
  const tried = await tryAddress(scriptUrl);
  const problem = (says: string, todo: string): Finding => ({
    check: 'Popup script',
    verdict: 'problem',
    says,
    todo,
  });
  if ('failure' in tried) return problem(`SERVICE_PAY_SCRIPT_URL: ${tried.failure}.`, tried.todo);
  if (tried.httpStatus === 200 && /javascript/i.test(tried.type)) {
    return { check: 'Popup script', verdict: 'ok', says: `Arrives in ${tried.tookMs} ms.` };
  }
  return problem(
    `SERVICE_PAY_SCRIPT_URL answers ${tried.httpStatus}, and no script.`,
    'Set it to the script address of the service.',
  );
}

function judgeService(tried: Tried, apiUrl: string): Finding {
  const problem = (says: string, todo: string): Finding => ({
    check: 'Service',
    verdict: 'problem',
    says,
    todo,
  });
  if ('failure' in tried) {
    const isSandboxDown = isLoopback(apiUrl) && tried.failure.startsWith('nothing listens');
    return problem(
      `SERVICE_PAY_API_URL: ${tried.failure}.`,
      isSandboxDown ? 'Start the sandbox: npm run sandbox' : tried.todo,
    );
  }
  const { httpStatus, tookMs } = tried;
  if (isNoCollection(tried) || httpStatus === 401) {
    const says = `Answers in ${tookMs} ms, connecting included.`;
    if (tookMs <= SLOW_MS) return { check: 'Service', verdict: 'ok', says };
    return problem(
      says,
      'Customers wait for this at every payment: look for what is slow between here and there.',
    );
  }
  if (httpStatus >= 300 && httpStatus < 400) {
    return problem(
      `SERVICE_PAY_API_URL answers with a redirect, and no token is sent after one.`,
      'Set it to where the redirect leads.',
    );
  }
  if (httpStatus === 429 || httpStatus >= 500) {
    return problem(
      `The service answers ${httpStatus}.`,
      'Payments are confirmed once it is well again. Ask its operator if it stays so.',
    );
  }
  return problem(
    `SERVICE_PAY_API_URL answers ${httpStatus}, and not as the service does.`,
    'Set it to the base address of the API, without /access.',
  );
}

function judgeToken(tried: Tried): Finding {
  if ('httpStatus' in tried && isNoCollection(tried))
    return { check: 'API token', verdict: 'ok', says: 'The service accepts it.' };
  if ('httpStatus' in tried && tried.httpStatus === 401) {
    return {
      check: 'API token',
      verdict: 'problem',
      says: 'The service refuses it, so no payment can be confirmed.',
      todo: 'Set SERVICE_PAY_API_TOKEN to the one the operator gave you for this environment, and start the shop again.',
    };
  }
  return { check: 'API token', verdict: 'not checked', says: 'The service did not answer.' };
}

function judgeClock(tried: Tried): Finding {
  const theirs = 'httpStatus' in tried ? Date.parse(tried.date ?? '') : Number.NaN;
  if ('failure' in tried || Number.isNaN(theirs))
    return { check: 'Clock', verdict: 'not checked', says: 'The service did not tell its time.' };
  const ours = tried.askedAt + tried.tookMs / 2;
  return judgeClockError(
    Math.round(ours - theirs - DATE_RESOLUTION_MS / 2),
    DATE_RESOLUTION_MS + tried.tookMs,
    "the service's",
  );
}

/**
 * What an error of our clock against another means, where it is known to be that or `uncertainMs`
 * less or more.
 */
export function judgeClockError(errorMs: number, uncertainMs: number, whose: string): Finding {
  const beyond = Math.max(0, Math.abs(errorMs) - uncertainMs);
  if (beyond <= MOST_CLOCK_ERROR_MS)
    return {
      check: 'Clock',
      verdict: 'ok',
      says: `Agrees with ${whose} to ${Math.ceil(beyond / 1000) + 1} s.`,
    };
  return {
    check: 'Clock',
    verdict: 'problem',
    says: `This machine is ${Math.round(Math.abs(errorMs) / 1000)} s ${errorMs > 0 ? 'ahead of' : 'behind'} ${whose} clock.`,
    todo: 'Have this machine set its clock by NTP; if it does, look at the other one.',
  };
}

/** The answer about a reference that does not exist: 404 with code 11. */
function isNoCollection({ httpStatus, text }: { httpStatus: number; text: string }): boolean {
  const answer = parse(text);
  return httpStatus === 404 && v.is(errorEnvelopeSchema, answer) && answer.errorCode === '11';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
