import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { SIGNATURE_HEADER } from '@service-pay/contract/webhook';
import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest';

import { type Sandbox, startSandbox } from '../start.ts';
import { signWebhook } from '../webhooks/signature.ts';

/** One webhook as it arrived, whole. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A merchant's webhook URL, over a real socket. It answers 200 unless a test says otherwise. */
export class TestReceiver {
  /** What arrived whole, in the order of its ends. */
  received: Received[] = [];
  /** How many requests broke off. */
  broken = 0;
  respond: (res: ServerResponse, req: IncomingMessage) => void = (res) => void res.end('ok');
  readonly #server: Server = createServer((req, res) => void this.#take(req, res));

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  url(path = '/hook'): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** As a correct shop answers: 401 to what does not fit its signature. */
  readonly checkSignature = (res: ServerResponse): void => {
    const last = this.received.at(-1)!;
    res.writeHead(fits(last) ? 200 : 401).end();
  };

  reset(): void {
    this.received = [];
    this.broken = 0;
    this.respond = (res) => void res.end('ok');
  }

  async #take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const body = await readText(req);
      this.received.push({ path: req.url ?? '', headers: req.headers, body });
      this.respond(res, req);
    } catch {
      this.broken++;
    }
  }
}

/**
 * Gives the tests of a file a sandbox, to `begin` with, that delivers to the receiver. Each test
 * begins with both quiet and empty, on a virtual clock.
 */
export function deliverTo(receiver: TestReceiver, begin: (sandbox: Sandbox) => void): void {
  let sandbox: Sandbox;

  beforeAll(async () => {
    await receiver.listen();
    sandbox = await startSandbox({ webhookUrl: receiver.url() });
    begin(sandbox);
  });
  afterAll(async () => {
    await sandbox.close();
    receiver.close();
  });
  beforeEach(async () => {
    await untilQuiet(sandbox);
    receiver.reset();
    await sandbox.control.reset();
    await sandbox.control.setClock({ mode: 'virtual' });
  });
}

/** Waits until no webhook is due or on its way: what one test sent must not reach the next. */
export async function untilQuiet({ control }: Sandbox): Promise<void> {
  await vi.waitFor(
    async () => {
      const { now } = await control.clock();
      const onItsWay = (await control.webhooks()).filter(
        ({ status, nextAttemptAt }) => status === 'waiting' && (nextAttemptAt ?? now) <= now,
      );
      expect(onItsWay).toEqual([]);
    },
    { timeout: 10_000 },
  );
}

/** Tells whether a webhook carries the signature of the demo merchant's token over its body. */
export function fits({ headers, body }: Received): boolean {
  return headers[SIGNATURE_HEADER.toLowerCase()] === signWebhook(body, 'sec_sandbox_demo');
}

/** What a webhook tells of. */
export function eventOf({ body }: Received): string {
  return JSON.parse(body).event;
}
