import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';

import { findFreePort } from '../../../scripts/programs/server-program.ts';
import { type Database, openFreshDatabase } from '../databases.ts';
import type { HarnessOptions } from '../harness.ts';
import { ShopProcess, type ShopSettings } from './shop-process.ts';

/** One call of the merchant's function, as it was written to the disk. */
export interface FulfilCall {
  key: string;
  orderId: string;
  pid: number;
  at: number;
}

/** The stage of a harness: a service, a database, and shops on them. */
export class Scene {
  readonly sandbox: Sandbox;
  readonly database: Database;
  readonly #folder: string;
  readonly #mutant: string | undefined;
  readonly #shops: ShopProcess[] = [];

  private constructor(sandbox: Sandbox, database: Database, folder: string, mutant?: string) {
    this.sandbox = sandbox;
    this.database = database;
    this.#folder = folder;
    this.#mutant = mutant;
  }

  /** With `ownServer`, a harness may harm the PostgreSQL itself. */
  static async open(
    { database: kind, mutant }: HarnessOptions,
    { ownServer = false } = {},
  ): Promise<Scene> {
    const [sandbox, database, folder] = await Promise.all([
      startSandbox({ historyLimit: 1, collectionLimit: 100_000 }),
      openFreshDatabase(kind, { ownServer }),
      mkdtemp(join(tmpdir(), 'faults-')),
    ]);
    return new Scene(sandbox, database, folder, mutant);
  }

  async settings(more: Partial<ShopSettings> = {}): Promise<ShopSettings> {
    return {
      mutant: this.#mutant,
      ledger: join(this.#folder, 'ledger'),
      port: await findFreePort(),
      databaseUrl: this.database.url,
      serviceUrl: this.sandbox.url,
      ...more,
    };
  }

  begin(settings: ShopSettings): ShopProcess {
    const shop = ShopProcess.begin(settings);
    this.#shops.push(shop);
    return shop;
  }

  async start(settings: ShopSettings): Promise<ShopProcess> {
    const shop = this.begin(settings);
    if (!(await shop.responds()))
      throw new Error(`The shop ended before it responded:\n${shop.lines.join('\n')}`);
    return shop;
  }

  async fulfilCalls(): Promise<FulfilCall[]> {
    const text = await readFile(join(this.#folder, 'ledger'), 'utf8').catch(() => '');
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as FulfilCall);
  }

  async close(): Promise<void> {
    await Promise.all(this.#shops.filter(({ isRunning }) => isRunning).map((shop) => shop.kill()));
    await this.sandbox.close();
    await this.database.drop();
    await rm(this.#folder, { recursive: true });
  }
}
