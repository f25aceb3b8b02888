import { createHash } from 'node:crypto';
import { SIGNATURE_HEADER } from '@service-pay/contract/webhook';
import { type Database, isDatabaseFailure } from '../../database/open.ts';
import { realClock } from '../../support/clock.ts';
import { sign } from '../../webhooks/signature.ts';
import { OperatorStore } from '../operator-store.ts';
import { type Config, isLoopback } from '../settings.ts';
import type { Finding } from './finding.ts';
import { tryAddress } from './request.ts';

/** Each try waits for other writers for half a second. */
const MOST_TRIES = 5;

/**
 * Whether the shop answers where browsers and the service look for it, and takes a webhook there.
 */
export async function checkShop(
  config: Config,
  database: Database | undefined,
): Promise<Finding[]> {
  const { publicUrl } = config;
  if (!publicUrl) {
    const says = 'PORT is 0 and PUBLIC_URL is not set, so nobody knows where the shop answers.';
    return [{ check: 'Shop', verdict: 'problem', says, todo: 'Set PUBLIC_URL.' }];
  }
  const answering = await checkAnswering(publicUrl);
  if (answering.verdict !== 'ok') {
    return [
      answering,
      { check: 'Webhook', verdict: 'not checked', says: 'The shop did not answer.' },
    ];
  }
  return [answering, await checkWebhook(config, publicUrl, database)];
}

async function checkAnswering(publicUrl: string): Promise<Finding> {
  const tried = await tryAddress(`${publicUrl}/healthz`);
  const problem = (says: string, todo: string): Finding => ({
    check: 'Shop',
    verdict: 'problem',
    says,
    todo,
  });
  if ('failure' in tried) {
    return problem(
      `PUBLIC_URL: ${tried.failure}.`,
      isLoopback(publicUrl) ? 'Start the shop: npm start' : tried.todo,
    );
  }
  if (tried.httpStatus !== 200 || !tried.text.includes('"alive"')) {
    const says = `PUBLIC_URL answers ${tried.httpStatus} at /healthz, and not as the shop does.`;
    return problem(says, 'Check that its proxy sends every path on to the shop.');
  }
  const how = publicUrl.startsWith('https:') ? 'over https' : 'on this machine alone';
  return {
    check: 'Shop',
    verdict: 'ok',
    says: `Answers at PUBLIC_URL in ${tried.tookMs} ms, ${how}.`,
  };
}

/**
 * Posts an event that means nothing, signed with our token, as the service would; and takes it out
 * of the inbox again.
 */
async function checkWebhook(
  { apiToken }: Config,
  publicUrl: string,
  database: Database | undefined,
): Promise<Finding> {
  const body = Buffer.from(
    JSON.stringify({ event: 'doctor.check', data: { at: realClock.now() } }),
  );
  const headers = {
    'content-type': 'application/json',
    [SIGNATURE_HEADER]: sign(body, apiToken).toString('latin1'),
  };
  const tried = await tryAddress(`${publicUrl}/webhooks/service-pay`, {
    method: 'POST',
    headers,
    body,
  });
  const inbox =
    database && (await takeBack(database, createHash('sha256').update(body).digest('hex')));
  const problem = (says: string, todo: string): Finding => ({
    check: 'Webhook',
    verdict: 'problem',
    says,
    todo,
  });
  if ('failure' in tried) return problem(`The webhook address: ${tried.failure}.`, tried.todo);
  const { httpStatus } = tried;
  if (httpStatus === 200) {
    if (inbox === 'not there') {
      return problem(
        'A signed event is accepted, but stored in another database.',
        'Start the shop with the settings of this folder.',
      );
    }
    if (inbox === 'stays') {
      return problem(
        'A signed event arrives and is stored, but cannot be taken out of the inbox again: the database does not answer.',
        'Look at what else holds it. The event, doctor.check, names no payment and does no harm.',
      );
    }
    return {
      check: 'Webhook',
      verdict: 'ok',
      says: 'A signed event arrives, its signature holds, and it is stored.',
    };
  }
  if (httpStatus === 401) {
    return problem(
      'The running shop refuses a signature made with SERVICE_PAY_API_TOKEN.',
      'It was started with another token, or a proxy changes bodies: start it again, then look at the proxy.',
    );
  }
  if (httpStatus === 503)
    return problem(
      'The running shop cannot store a delivery (503).',
      'Look at its log, and at its database.',
    );
  if (httpStatus >= 300 && httpStatus < 400) {
    return problem(
      `The webhook address answers with a redirect (${httpStatus}), which the service does not follow.`,
      'Have it answer at PUBLIC_URL itself.',
    );
  }
  return problem(
    `The webhook address answers ${httpStatus}, and not as the shop does.`,
    'Look for a login, a firewall or a path rule before the shop that must let the service in.',
  );
}

/**
 * Takes the event out of the inbox, also where the shop's answer was lost, or says that it was not
 * there or that it stays.
 */
async function takeBack(
  database: Database,
  id: string,
): Promise<'taken back' | 'not there' | 'stays'> {
  const store = new OperatorStore(database);
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    try {
      return (await store.removeDelivery(id)) ? 'taken back' : 'not there';
    } catch (error) {
      if (!isDatabaseFailure(error)) throw error;
    }
  }
  return 'stays';
}
