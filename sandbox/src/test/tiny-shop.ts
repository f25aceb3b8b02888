import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isSignatureOf } from '@service-pay/contract/webhook-signature';

interface Order {
  readonly owner: string;
  readonly key: string;
  readonly amount: string;
  readonly currency: string;
  readonly references: string[];
  shown: 'successful' | 'failed' | 'pending';
  isWaiting: boolean;
  isInReview: boolean;
  /** True once the service was away when the shop verified this order. */
  wasAway: boolean;
  work: Promise<unknown>;
}

/** What the service says about a payment; null if it says nothing that can be read. */
type Said = { status: string; reference?: string; amount?: string; currency?: string } | null;

interface Reply {
  status: number;
  data?: unknown;
  headers?: Record<string, string>;
  /** Sent instead of `data`. */
  text?: string;
}

const TOKENS = ['sec_sandbox_demo', 'sec_previous'];
const WAITING = ['pay-offline', 'otp-required', '3ds-auth-required'];
const LARGEST_BODY = 64 * 1024;

/** The ways of a shop that keeps every rule. A test replaces one of them. */
export const GOOD_WAYS = {
  /** Where it verifies, if not at the service that it was started with. */
  serviceUrl: '',
  /** The cookie and the header of a forgery token, which it sets on its page and demands. */
  demands: undefined as { token: string; header: string } | undefined,
  verifiesWithinMs: 1_000,
  price: (_body: any): { amount: string; currency: string } => ({
    amount: '92.50',
    currency: 'ZMW',
  }),
  reference: (_body: any): string => randomUUID(),
  isSameOrder: (order: Order, owner: string, key: string) =>
    order.owner === owner && order.key === key,
  /** Called before it writes an order or a payment; `owner` is empty for a new browser. */
  beforeWriting: async (_owner: string): Promise<void> => {},
  /** An order is verified, and retried, once at a time. */
  isLocked: true,
  isOwner: (order: Order, owner: string) => order.owner === owner,
  isOf: (order: Order, reference: string) => order.references.includes(reference),
  isOpen: (order: Order) => order.shown === 'pending' && !order.isInReview,
  findOpen: (open: Order[]) => open.at(-1),
  headers: { 'cache-control': 'no-store' } as Record<string, string>,
  cookie: 'HttpOnly; SameSite=Lax; Path=/',
  isForeign: (headers: IncomingMessage['headers']) => headers['sec-fetch-site'] === 'cross-site',
  events: (shown: object): Reply => ({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    text: `event: payment\ndata: ${JSON.stringify(shown)}\n\n`,
  }),
  /** Reads a response of the service; undefined before the first attempt. */
  read: (status: number, text: string, _order?: Order): Said | undefined => {
    if (status === 404) return undefined;
    try {
      const { status: isOk, data } = JSON.parse(text);
      return status === 200 && isOk === true ? data : null;
    } catch {
      return null;
    }
  },
  isAbout: ({ reference }: NonNullable<Said>, wanted: string) => (reference ?? wanted) === wanted,
  whenAway: (_order: Order): Said => null,
  isPaid: (said: NonNullable<Said>, { amount, currency }: Order) =>
    Number(said.amount) === Number(amount) && said.currency === currency,
  isFailed: (status: string): boolean => status === 'failed',
  isWaiting: (status: string) => WAITING.includes(status),
  /** The payments of an order that failed, and may still be paid. */
  mayBePaidLate: (references: string[]) => references.slice(0, -1),
  /** True for an order that is not verified again. */
  isKnown: (order: Order) => order.shown === 'successful',
  /** Verifies in the background, and returns what it knew. */
  isLate: false,
  /** Makes a payment although the service did not respond. */
  retriesUnknown: false,
  isRetried: (order: Order) => order.shown === 'failed',
  unknown: { status: 503 } as Reply,
  unfound: { status: 404 } as Reply,
  isSigned: (raw: Buffer, signature: unknown) => isSignatureOf(raw, signature, TOKENS),
  onUnsigned: (_event: any, _order: Order): void => {},
  onWebhook: (
    _event: any,
    confirm: () => Promise<unknown>,
    _order: Order | undefined,
    _pay: () => void,
  ): Reply | Promise<Reply> => {
    void confirm();
    return { status: 200 };
  },
  findOfWebhook: (find: (reference: string) => Order | undefined, event: any) =>
    find(event?.data?.reference),
  brokenOrder: { status: 400 } as Reply,
  limit: LARGEST_BODY,
  tooLarge: (_headers: IncomingMessage['headers']) => 413,
  onPaid: (_order: Order, _all: Order[]): void => {},
  onReview: (_list: string[], _reference: string): void => {},
  fulfil: (list: string[], reference: string) => void list.push(reference),
  verified: (shown: any): any => shown,
  payable: (payable: any): any => payable,
};
export type Ways = typeof GOOD_WAYS;

/** A shop without a database, for tests of `check-shop`. */
export async function startTinyShop(serviceUrl: string, changed: Partial<Ways> = {}) {
  const ways: Ways = { ...GOOD_WAYS, ...changed };
  const orders: Order[] = [];
  const fulfilled: string[] = [];
  const find = (reference: string) => orders.find((one) => ways.isOf(one, reference));

  async function verify(order: Order, reference: string): Promise<Said | undefined> {
    try {
      const response = await fetch(
        `${ways.serviceUrl || serviceUrl}/access/v2/collections/status/${reference}`,
        {
          headers: { authorization: `Bearer ${TOKENS[0]}` },
          signal: AbortSignal.timeout(ways.verifiesWithinMs),
        },
      );
      return ways.read(response.status, await response.text(), order);
    } catch {
      order.wasAway = true;
      return ways.whenAway(order);
    }
  }

  /** Does one thing at a time with an order. */
  function locked<Result>(order: Order, work: () => Promise<Result>): Promise<Result> {
    if (!ways.isLocked) return work();
    const done = order.work.then(work);
    order.work = done;
    return done;
  }

  /** Verifies an order with the service; false if its state is unknown. */
  async function confirm(order: Order): Promise<boolean> {
    if (ways.isKnown(order)) return true;
    for (const earlier of ways.mayBePaidLate(order.references)) {
      const said = await verify(order, earlier);
      if (
        said?.status === 'successful' &&
        ways.isAbout(said, earlier) &&
        ways.isPaid(said, order)
      ) {
        pay(order, earlier);
        return true;
      }
    }
    const reference = order.references.at(-1)!;
    const said = await verify(order, reference);
    if (said === undefined) return true;
    if (said === null || !ways.isAbout(said, reference)) return false;
    order.isWaiting = ways.isWaiting(said.status);
    if (said.status === 'successful') {
      if (ways.isPaid(said, order)) pay(order, reference);
      else {
        order.isInReview = true;
        ways.onReview(fulfilled, reference);
      }
    } else order.shown = ways.isFailed(said.status) ? 'failed' : 'pending';
    return true;
  }

  function pay(order: Order, reference: string): void {
    order.shown = 'successful';
    ways.onPaid(order, orders);
    ways.fulfil(fulfilled, reference);
  }

  async function place(owner: string, key: string, body: any): Promise<Reply> {
    if (body?.sku !== 'honey') return ways.brokenOrder;
    let order = orders.find((one) => ways.isSameOrder(one, owner, key));
    await ways.beforeWriting(owner);
    if (!order) {
      order = {
        ...{
          owner: owner || randomUUID(),
          key,
          ...ways.price(body),
          references: [ways.reference(body)],
          shown: 'pending',
        },
        ...{ isWaiting: false, isInReview: false, wasAway: false, work: Promise.resolve() },
      };
      orders.push(order);
    }
    const headers = { 'set-cookie': `owner=${order.owner}; ${ways.cookie}` };
    return { status: 201, data: payable(order), headers };
  }

  function payable({ references, amount, currency }: Order) {
    const reference = references.at(-1);
    const request = { key: 'pub_sandbox_demo', email: 'ada@shop.example', reference };
    return ways.payable({ ...request, amount, currency });
  }

  function shownOf({ references, amount, currency, shown, isWaiting, isInReview }: Order) {
    const state = { status: shown, isWaitingForCustomer: isWaiting, isInReview };
    return { reference: references.at(-1), amount, currency, ...state };
  }

  async function retry(order: Order): Promise<Reply> {
    const isKnown = await confirm(order);
    if (!isKnown && !ways.retriesUnknown) return ways.unknown;
    if (!isKnown || ways.isRetried(order)) {
      await ways.beforeWriting(order.owner);
      order.references.push(randomUUID());
      order.shown = 'pending';
      return { status: 201, data: payable(order) };
    }
    return ways.isOpen(order) ? { status: 200, data: payable(order) } : { status: 400 };
  }

  async function respond(req: IncomingMessage, raw: Buffer): Promise<Reply> {
    const path = req.url ?? '';
    const owner = /owner=([\w-]+)/.exec(req.headers.cookie ?? '')?.[1] ?? '';
    const body = readJson(raw);
    if (path === '/fulfilled') return { status: 200, text: fulfilled.join('\n') };
    if (path === '/webhooks/service-pay') {
      const order = ways.findOfWebhook(find, body);
      if (!ways.isSigned(raw, req.headers['x-servicepay-signature'])) {
        if (order) ways.onUnsigned(body, order);
        return { status: 401 };
      }
      const confirmIt = async () => order && locked(order, () => confirm(order));
      const payIt = () => order && pay(order, body.data.reference);
      return ways.onWebhook(body, confirmIt, order, payIt);
    }
    const { token, header = '' } = ways.demands ?? {};
    if (path === '/')
      return { status: 200, text: '', headers: { 'set-cookie': `${token}=a%3Db; Path=/` } };
    const isForged = token && req.method === 'POST' && req.headers[header] !== 'a=b';
    if (isForged || ways.isForeign(req.headers)) return { status: 403 };
    if (path === '/api/orders') return place(owner, `${req.headers['idempotency-key']}`, body);
    if (path === '/api/orders/open') {
      const open = ways.findOpen(
        orders.filter((one) => ways.isOwner(one, owner) && ways.isOpen(one)),
      );
      return { status: 200, data: open ? payable(open) : null };
    }
    const [, reference = '', action] = /^\/api\/payments\/([^/]+)\/(\w+)$/.exec(path) ?? [];
    const order = find(reference);
    if (!order) return ways.unfound;
    if (!ways.isOwner(order, owner)) return { status: 404 };
    if (action === 'retry') return locked(order, () => retry(order));
    if (action === 'events') return ways.events(shownOf(order));
    const before = ways.verified(shownOf(order));
    const verifying = locked(order, () => confirm(order));
    if (ways.isLate) return { status: 200, data: before };
    const isKnown = await verifying;
    return isKnown ? { status: 200, data: ways.verified(shownOf(order)) } : ways.unknown;
  }

  const server = createServer(async (req, res) => {
    const raw = await readBody(req, ways.limit);
    if (!raw) {
      res.writeHead(ways.tooLarge(req.headers), { connection: 'close' }).end(() => req.destroy());
      return;
    }
    reply(res, ways.headers, await respond(req, raw).catch(() => ({ status: 500 })));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readBody(req: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function reply(
  res: ServerResponse,
  headers: Record<string, string>,
  { status, data = null, headers: more, text = JSON.stringify({ data }) }: Reply,
): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers, ...more }).end(text);
}

function readJson(raw: Buffer): any {
  try {
    return JSON.parse(raw.toString());
  } catch {
    return undefined;
  }
}
