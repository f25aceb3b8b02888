import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { SIGNATURE_HEADER } from '@service-pay/contract/webhook';
import { signWebhook } from '@service-pay/contract/webhook-signature';
import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest';

import { type Sandbox, startSandbox } from '../app/start.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export class TestReceiver {
  received: Received[] = [];
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

export function fits({ headers, body }: Received): boolean {
  return headers[SIGNATURE_HEADER.toLowerCase()] === signWebhook(body, 'sec_sandbox_demo');
}

export function eventOf({ body }: Received): string {
  return JSON.parse(body).event;
}
