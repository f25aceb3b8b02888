import { type Collection, collectionSchema } from '@service-pay/contract/collection';
import * as v from 'valibot';

const deliverySchema = v.looseObject({ id: v.string(), event: v.string(), reference: v.string() });

/** The service as a test steers it (control API) and reads it (merchant API). */
export class ServiceControl {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async reset(): Promise<void> {
    await this.#send('POST', '/_sandbox/reset');
  }

  async stopClock(): Promise<void> {
    await this.#send('PUT', '/_sandbox/clock', { mode: 'virtual' });
  }

  async advance(seconds: number): Promise<void> {
    await this.#send('POST', '/_sandbox/clock/advance', { seconds });
  }

  async approve(phone: string): Promise<void> {
    await this.#send('POST', `/_sandbox/phones/${phone}/approve`);
  }

  async decline(phone: string): Promise<void> {
    await this.#send('POST', `/_sandbox/phones/${phone}/decline`);
  }

  /** Creates a collection, successful by default; with `notify` its webhook goes out. */
  async place(collection: {
    reference: string;
    amount: string;
    currency: string;
    status?: string;
    notify?: boolean;
  }): Promise<void> {
    await this.#send('POST', '/_sandbox/collections', collection);
  }

  async setMerchant(
    settings: Record<string, unknown>,
    publicKey = 'pub_sandbox_demo',
  ): Promise<void> {
    await this.#send('PUT', `/_sandbox/merchants/${publicKey}`, settings);
  }

  async setFaults(faults: Record<string, unknown>): Promise<void> {
    await this.#send('PUT', '/_sandbox/faults', faults);
  }

  async deliveriesOf(reference: string): Promise<v.InferOutput<typeof deliverySchema>[]> {
    const { data } = await this.#send('GET', '/_sandbox/webhooks');
    return v
      .parse(v.array(deliverySchema), data)
      .filter((delivery) => delivery.reference === reference);
  }

  /**
   * The collection as the merchant API returns it (specification 4.2), or undefined before the first
   * attempt (D35).
   */
  async collectionOf(
    reference: string,
    token = 'sec_sandbox_demo',
  ): Promise<Collection | undefined> {
    const response = await fetch(`${this.url}/access/v2/collections/status/${reference}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (response.status === 404) return undefined;
    const { data } = (await response.json()) as { data: unknown };
    return v.parse(collectionSchema, data);
  }

  async #send(method: string, path: string, body?: unknown): Promise<{ data: unknown }> {
    const response = await fetch(this.url + path, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const json = (await response.json()) as { data: unknown; message: string };
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${json.message}`);
    return json;
  }
}
