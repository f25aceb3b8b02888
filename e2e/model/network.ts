import { CHECKOUT_PATHS } from '@service-pay/contract/checkout-api';
import type { Call, CheckoutService } from '@service-pay/sandbox/testing';
import type { World } from './world.ts';

const LATENCY_MS = 40;

/**
 * Late by less than the patience of a call, by more, and by more than a minute of sending again.
 */
const LATE_MS = [5_000, 30_000, 95_000] as const;

export const LUCK = {
  responseLost: 650,
  late: 701,
  tooLate: 702,
  twice: 931,
  twiceAndLate: 932,
} as const;

/** The connection of one tab. */
export interface Connection {
  readonly world: World;
  readonly service: CheckoutService;
  isOffline: boolean;
  /** The fate of each sending of an attempt, unless left to chance. */
  luck: number;
}

/**
 * Carries a call from a frame to the service and the response back. Loses or delays either at
 * random, or delivers the call twice. A call that was sent arrives even if its frame is gone.
 */
export function travel(
  { world, service, isOffline, luck: ownLuck }: Connection,
  isAwaited: () => boolean,
  path: string,
  init: RequestInit,
): Promise<Response> {
  const call: Call = {
    method: init.method ?? 'GET',
    path,
    token: (init.headers as Record<string, string>)['Authorization']?.replace('Bearer ', ''),
    body: init.body === undefined ? undefined : JSON.parse(String(init.body)),
  };
  return new Promise((resolve, reject) => {
    const fail = () => reject(new TypeError('the connection was lost'));
    init.signal?.addEventListener('abort', fail);
    const arrive = (afterMs: number, back: 'returned' | 'cut' | 'late') => {
      world.after(afterMs, () => {
        const { status, content } = service.respond(call);
        const text = JSON.stringify(content);
        const respond = () => isAwaited() && resolve(buildResponse(status, text));
        if (back === 'cut') world.after(LATENCY_MS, fail);
        else world.after(back === 'late' ? LATE_MS[0] : LATENCY_MS, respond);
      });
    };
    const luck = (path === CHECKOUT_PATHS.attempts && ownLuck) || world.chance();
    const lateMs = LATE_MS[luck % LATE_MS.length]!;
    if (isOffline) world.after(1, fail);
    else if (luck < 500) arrive(LATENCY_MS, 'returned');
    else if (luck < 600) world.after(LATENCY_MS, fail);
    else if (luck < 700) arrive(LATENCY_MS, 'cut');
    else if (luck < 850) {
      world.after(LATENCY_MS, fail);
      arrive(lateMs, 'cut');
    } else if (luck < 900) arrive(lateMs, 'returned');
    else if (luck < 930) arrive(LATENCY_MS, 'late');
    else if (luck < 960) {
      arrive(LATENCY_MS, 'returned');
      arrive(lateMs, 'cut');
    } else
      world.after(
        LATENCY_MS,
        () =>
          isAwaited() &&
          resolve(buildResponse(503, '{"status":false,"message":"busy","errorCode":"10"}')),
      );
  });
}

function buildResponse(status: number, text: string): Response {
  return { ok: status < 300, status, text: async () => text } as Response;
}
