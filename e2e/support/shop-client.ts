import type { APIRequestContext } from '@playwright/test';
import Database from 'better-sqlite3';

export interface Order {
  key: string;
  email: string;
  reference: string;
  amount: string;
  currency: string;
}

export interface VerifiedPayment {
  reference: string;
  status: 'successful' | 'failed' | 'pending';
  amount: string;
  currency: string;
}

/**
 * A browser's dealings with the shop's server, cookie included, and a look into its database file.
 */
export class ShopClient {
  readonly #request: APIRequestContext;
  readonly #url: string;
  readonly #databaseFile: string;

  constructor(request: APIRequestContext, url: string, databaseFile: string) {
    this.#request = request;
    this.#url = url;
    this.#databaseFile = databaseFile;
  }

  async order(): Promise<Order> {
    const catalogue = await this.#data<{ sku: string }[]>(
      await this.#request.get(`${this.#url}/api/catalogue`),
    );
    const sku = catalogue[0]?.sku;
    const response = await this.#request.post(`${this.#url}/api/orders`, {
      data: { items: [{ sku, quantity: 1 }], customer: { email: 'mary@example.com' } },
      headers: { origin: this.#url, 'sec-fetch-site': 'same-origin' },
    });
    return this.#data(response);
  }

  async verify(reference: string): Promise<VerifiedPayment> {
    return this.#data(
      await this.#request.post(`/api/payments/${reference}/verify`, {
        headers: { origin: this.#url, 'sec-fetch-site': 'same-origin' },
        // The shop may close an idle connection just as it is used again; verifying twice is harmless.
        maxRetries: 1,
      }),
    );
  }

  /**
   * The stored state: `awaiting-payment`, `paid`, `failed`, `expired`, `needs-review` or `refused`.
   */
  stateOf(reference: string): string {
    const row = this.#row(
      'select state from service_pay_payments where reference = ?',
      reference,
    ) as {
      state: string;
    };
    return row.state;
  }

  /** Puts a payment into a state that a person or the service brought about meanwhile. */
  setState(reference: string, state: string): void {
    const database = new Database(this.#databaseFile);
    try {
      database
        .prepare('update service_pay_payments set state = ? where reference = ?')
        .run(state, reference);
    } finally {
      database.close();
    }
  }

  fulfilmentsOf(reference: string): number {
    const row = this.#row(
      'select count(*) as n from service_pay_fulfilments where order_id = (select order_id from service_pay_payments where reference = ?)',
      reference,
    ) as { n: number };
    return row.n;
  }

  #row(sql: string, ...values: string[]): unknown {
    const database = new Database(this.#databaseFile, { readonly: true });
    try {
      return database.prepare(sql).get(...values);
    } finally {
      database.close();
    }
  }

  async #data<T>(response: Awaited<ReturnType<APIRequestContext['get']>>): Promise<T> {
    const envelope = (await response.json()) as { status: boolean; message: string; data: T };
    if (!envelope.status)
      throw new Error(`${response.url()}: ${response.status()} ${envelope.message}`);
    return envelope.data;
  }
}
