import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { DEMO_MERCHANTS } from '../payments/merchants.ts';
import { type Sandbox, startSandbox } from '../start.ts';
import { ConversationNotes } from './conversation-notes.ts';

export const CONVERSATIONS = fileURLToPath(new URL('../../conversations/', import.meta.url));

interface Exchange {
  readonly intro: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: string;
  readonly times: number;
  readonly isDelivery: boolean;
}

interface Written {
  readonly head: readonly string[];
  readonly body: string;
}

interface Delivered {
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const ANSWER_HEADERS = ['Content-Type', 'Cache-Control', 'Retry-After', 'WWW-Authenticate'];
const DELIVERY_HEADERS = ['Content-Type', 'User-Agent', 'X-ServicePay-Signature'];

export function listConversations(): string[] {
  return readdirSync(CONVERSATIONS)
    .filter((name) => name.endsWith('.http'))
    .sort();
}

/**
 * Plays a conversation against its own sandbox and returns the record, with placeholders for values
 * that vary.
 */
export async function playConversation(conversation: string): Promise<string> {
  const sandbox = await startSandbox();
  const receiver = await startReceiver();
  const notes = new ConversationNotes({
    '{{host}}': new URL(sandbox.url).host,
    '{{receiver}}': receiver.url,
  });
  notes.fix(DEMO_MERCHANTS.map(({ accountId }) => accountId).join(' '));
  try {
    const played: string[] = [];
    for (const exchange of parseConversation(conversation)) {
      notes.fix(`${exchange.target} ${exchange.headers.join(' ')} ${exchange.body}`);
      played.push(
        exchange.isDelivery
          ? await playDelivery(exchange, receiver, notes)
          : await playExchange(exchange, sandbox, notes),
      );
    }
    return played.join('\n');
  } finally {
    await sandbox.close();
    await receiver.close();
  }
}

function parseConversation(conversation: string): Exchange[] {
  return conversation.split(/^(?=### )/m).map((block) => {
    const lines = block.trimEnd().split('\n');
    const start = lines.findIndex((line) => !line.startsWith('#'));
    const intro = lines.slice(0, start).join('\n');
    const answerAt = lines.findIndex((line) => line.startsWith('HTTP/1.1 '));
    const message = lines.slice(start, answerAt < 0 ? undefined : answerAt);
    const blankAt = message.indexOf('');
    const head = blankAt < 0 ? message : message.slice(0, blankAt);
    const [, method, target] = /^([A-Z]+) (\S+)$/.exec(head[0] ?? '') ?? [];
    if (!method || !target) throw new Error(`This block has no request line:\n${intro}`);
    return {
      intro,
      method,
      target,
      headers: head.slice(1),
      body: blankAt < 0 ? '' : message.slice(blankAt).join('\n').trim(),
      times: Number(/^# Sent (\d+) times/m.exec(intro)?.[1] ?? 1),
      isDelivery: /^# Sent by the service/m.test(intro),
    };
  });
}

async function playExchange(
  exchange: Exchange,
  sandbox: Sandbox,
  notes: ConversationNotes,
): Promise<string> {
  let answer: IncomingMessage | undefined;
  let body = '';
  for (let count = 1; count <= exchange.times; count++) {
    const fill = (text: string) => notes.fill(text).replaceAll('{{n}}', String(count));
    answer = await send(sandbox, {
      ...exchange,
      target: fill(exchange.target),
      headers: exchange.headers.map(fill),
      body: fill(exchange.body),
    });
    body = await readText(answer);
  }
  const { statusCode, statusMessage, headers } = answer!;
  const isJson = `${headers['content-type']}`.startsWith('application/json');
  return write(
    exchange.intro,
    { head: [`${exchange.method} ${exchange.target}`, ...exchange.headers], body: exchange.body },
    {
      head: [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...pick(headers, ANSWER_HEADERS)],
      body: isJson ? JSON.stringify(notes.note(JSON.parse(body)), null, 2) : notes.replace(body),
    },
  );
}

async function playDelivery(
  { intro }: Exchange,
  receiver: Receiver,
  notes: ConversationNotes,
): Promise<string> {
  const { target, headers, body } = await receiver.next();
  const noted = notes.replace(body);
  const head = [`POST ${target}`, ...pick(headers, DELIVERY_HEADERS)];
  return write(
    intro,
    { head: noted === body ? head : head.map((line) => notes.replace(line)), body: noted },
    { head: ['HTTP/1.1 200 OK'], body: '' },
  );
}

function send(
  sandbox: Sandbox,
  { method, target, headers, body }: Exchange,
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(sandbox.url);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        path: target,
        method,
        ...(body && { headers: { 'content-length': Buffer.byteLength(body) } }),
      },
      resolve,
    );
    for (const header of headers) {
      const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(header) ?? [];
      sent.setHeader(name, value);
    }
    sent.on('error', reject);
    sent.end(body);
  });
}

function pick(headers: IncomingMessage['headers'], names: readonly string[]): string[] {
  return names.flatMap((name) =>
    headers[name.toLowerCase()] === undefined ? [] : [`${name}: ${headers[name.toLowerCase()]}`],
  );
}

function write(intro: string, sent: Written, answered: Written): string {
  return [
    intro,
    ...[sent, answered].flatMap(({ head, body }) => [...head, '', ...(body ? [body, ''] : [])]),
  ].join('\n');
}

interface Receiver {
  readonly url: string;
  next(): Promise<Delivered>;
  close(): Promise<void>;
}

async function startReceiver(): Promise<Receiver> {
  const came: Delivered[] = [];
  const server = createServer(async (req, res) => {
    came.push({ target: req.url ?? '', headers: req.headers, body: await readText(req) });
    res.end();
    server.emit('delivered');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async next() {
      while (!came.length) await once(server, 'delivered');
      return came.shift()!;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
