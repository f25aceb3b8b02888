import { Pool } from 'undici';

import type { PlacedOrder } from '../../lab/placed-order.ts';
import { from } from './shopping.ts';

export const GIVES_UP_AFTER_MS = 25_000;

export const TRUTHS = ['successful', 'failed', 'pending'] as const;

export interface PolledPayment {
  order: PlacedOrder;
  truth: (typeof TRUTHS)[number];
  status: string | undefined;
}

export class Page {
  readonly figures = {
    endedAfterMs: [] as number[],
    wrongResults: 0,
    notKnownYet: 0,
    shopErrors: 0,
    givenUp: 0,
  };
  readonly #pool: Pool;

  constructor(port: number) {
    this.#pool = new Pool(`http://localhost:${port}`, { connections: 2_000 });
  }

  async poll(payment: PolledPayment, plannedAt?: number): Promise<void> {
    const { reference, cookie, address } = payment.order;
    const { status, data } = await this.#post(`/api/payments/${reference}/verify`, {
      cookie,
      ...from(address),
    });
    if (plannedAt !== undefined) this.figures.endedAfterMs.push(performance.now() - plannedAt);
    if (status === undefined) this.figures.givenUp += 1;
    else if (status === 503) this.figures.notKnownYet += 1;
    else if (status !== 200) this.figures.shopErrors += 1;
    payment.status = data?.status;
    if (data && data.status !== 'pending' && data.status !== payment.truth)
      this.figures.wrongResults += 1;
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
