import { hash, randomUUID } from 'node:crypto';
import { CHANNELS } from '@service-pay/contract/payment-request';
import * as v from 'valibot';

import { type MerchantSettings, merchantSettingsSchema } from './merchant-settings.ts';

export interface Merchant extends Readonly<MerchantSettings> {
  readonly publicKey: string;
  readonly accountId: string;
}

const DEFAULTS = {
  logo: null,
  cardBrands: ['visa', 'mastercard'],
  webhookUrl: null,
  bearer: null,
  defaultCurrency: 'ZMW',
  allowedOrigins: ['*'],
  channels: [...CHANNELS],
  events: ['collection.successful'],
  networkNotices: {},
} satisfies Partial<MerchantSettings>;

const snapshotSchema = v.strictObject({
  webhookUrl: v.nullable(v.string()),
  merchants: v.array(
    v.strictObject({
      ...merchantSettingsSchema.entries,
      logo: v.optional(merchantSettingsSchema.entries.logo, DEFAULTS.logo),
      cardBrands: v.optional(merchantSettingsSchema.entries.cardBrands, DEFAULTS.cardBrands),
      networkNotices: v.optional(
        merchantSettingsSchema.entries.networkNotices,
        DEFAULTS.networkNotices,
      ),
      publicKey: v.string(),
      accountId: v.string(),
    }),
  ),
});

const DEMO_LOGO =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>%3Cpath fill='%230b6b4f' d='M0 0h32v32H0z'/>%3Cpath d='M8 13h16l-2 11H10zM12 13a4 4 0 0 1 8 0' fill='none' stroke='%23fff' stroke-width='2'/>%3C/svg>";

export const DEMO_MERCHANTS = [
  {
    publicKey: 'pub_sandbox_demo',
    apiToken: 'sec_sandbox_demo',
    name: 'Kabwata Market',
    logo: DEMO_LOGO,
    accountId: '0b7f3c52-3a56-4a63-8d0f-2f1c9a6b7e22',
  },
  {
    publicKey: 'pub_sandbox_other',
    apiToken: 'sec_sandbox_other',
    name: 'Other Shop',
    accountId: '6d1e8a94-0c37-4f52-b9e8-51f7d2a4c063',
  },
] as const;

export class Merchants {
  readonly #webhookUrl: string | null;
  readonly #byKey = new Map<string, Merchant>();
  readonly #byToken = new Map<string, Merchant>();

  constructor(webhookUrl: string | null) {
    this.#webhookUrl = webhookUrl;
    this.reset();
  }

  reset(): void {
    this.#byKey.clear();
    this.#byToken.clear();
    for (const { publicKey, ...settings } of DEMO_MERCHANTS) this.put(publicKey, settings);
    this.put(DEMO_MERCHANTS[0].publicKey, { webhookUrl: this.#webhookUrl });
  }

  list(): Merchant[] {
    return [...this.#byKey.values()];
  }

  /** Includes API tokens: calls and signatures depend on them. */
  snapshot(): v.InferOutput<typeof snapshotSchema> {
    return { webhookUrl: this.#webhookUrl, merchants: [...this.#byKey.values()] };
  }

  /**
   * Restores a snapshot. Keeps the webhook URL given at this start unless the last start had the
   * same one.
   */
  restore(data: unknown): void {
    const { webhookUrl, merchants } = v.parse(snapshotSchema, data);
    this.#byKey.clear();
    this.#byToken.clear();
    for (const { publicKey, ...settings } of merchants) this.put(publicKey, settings);
    if (this.#webhookUrl !== webhookUrl && this.#webhookUrl !== null)
      this.put(DEMO_MERCHANTS[0].publicKey, { webhookUrl: this.#webhookUrl });
  }

  find(publicKey: string): Merchant | undefined {
    return this.#byKey.get(publicKey);
  }

  /** Returns the merchant of a session, which is there as long as its sessions. */
  get(publicKey: string): Merchant {
    const merchant = this.find(publicKey);
    if (!merchant) throw new Error('A session has no merchant.');
    return merchant;
  }

  /** Looks the token up by digest, so that timing reveals nothing about it. */
  findByToken(apiToken: string): Merchant | undefined {
    return this.#byToken.get(digest(apiToken));
  }

  /**
   * Changes the given settings or creates the merchant, which needs a token. Returns false if the
   * token is missing or taken.
   */
  put(
    publicKey: string,
    settings: Partial<MerchantSettings & Pick<Merchant, 'accountId'>>,
  ): Merchant | false {
    const before = this.#byKey.get(publicKey);
    const apiToken = settings.apiToken ?? before?.apiToken;
    if (apiToken === undefined) return false;
    const holder = this.findByToken(apiToken);
    if (holder && holder.publicKey !== publicKey) return false;
    const merchant: Merchant = {
      name: publicKey,
      ...DEFAULTS,
      accountId: randomUUID(),
      ...before,
      ...settings,
      apiToken,
      publicKey,
    };
    if (before) this.#byToken.delete(digest(before.apiToken));
    this.#byKey.set(publicKey, merchant);
    this.#byToken.set(digest(apiToken), merchant);
    return merchant;
  }
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}
