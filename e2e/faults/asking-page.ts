import { Pool } from 'undici';

import { from, type PlacedOrder } from './shopping.ts';

/** When a page gives up a question, and so the longest that one may take. */
export const GIVES_UP_AFTER_MS = 25_000;

/** What the service knows of each payment, in turn, and what a page may be told of it. */
export const TRUTHS = ['successful', 'failed', 'pending'] as const;

/** One payment of the timetable: what the service knows of it, and what its page was told last. */
export interface Asked {
  order: PlacedOrder;
  truth: (typeof TRUTHS)[number];
  told: string | undefined;
}

/** The page of each customer, as far as the shop sees it. */
export class Page {
  readonly figures = {
    endedAfterMs: [] as number[],
    toldWrongly: 0,
    notKnownYet: 0,
    shopErrors: 0,
    givenUp: 0,
  };
  readonly #pool: Pool;

  constructor(port: number) {
    this.#pool = new Pool(`http://localhost:${port}`, { connections: 2_000 });
  }

  /**
   * Asks how a payment stands. `plannedAt`: when it was to be asked, which its time counts from.
   */
  async ask(payment: Asked, plannedAt?: number): Promise<void> {
    const { reference, cookie, address } = payment.order;
    const { status, data } = await this.#post(`/api/payments/${reference}/verify`, {
      cookie,
      ...from(address),
    });
    if (plannedAt !== undefined) this.figures.endedAfterMs.push(performance.now() - plannedAt);
    if (status === undefined) this.figures.givenUp += 1;
    else if (status === 503) this.figures.notKnownYet += 1;
    else if (status !== 200) this.figures.shopErrors += 1;
    payment.told = data?.status;
    if (data && data.status !== 'pending' && data.status !== payment.truth)
      this.figures.toldWrongly += 1;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  async #post(
    path: string,
    headers: Record<string, string>,
  ): Promise<{ status: number | undefined; data: { status: string } | undefined }> {
    const signal = AbortSignal.timeout(GIVES_UP_AFTER_MS);
    try {
      const { statusCode, body } = await this.#pool.request({
        path,
        method: 'POST',
        headers,
        signal,
      });
      const text = await body.text();
      return { status: statusCode, data: statusCode === 200 ? JSON.parse(text).data : undefined };
    } catch {
      return { status: undefined, data: undefined };
    }
  }
}
