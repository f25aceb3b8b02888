import SqliteFile from 'better-sqlite3';
import pg from 'pg';
import { createPayments, type Payments } from '../src/create-payments.ts';
import type { Database } from '../src/database/database.ts';
import type { PaymentsOptions } from '../src/options.ts';
import { makeDatabaseUrl, readRows, type TestDatabase } from '../src/testing/databases.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { collectionResponse, startUpstream, TOKEN } from '../src/testing/upstream.ts';
import { PATIENT_PAYMENTS } from './patience.ts';

export const PRODUCTION = { apiUrl: 'https://pay.example', publicKey: 'pub_live' };
export const PREVIEW_KEY = 'pub_test';
export const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };

const NOT_FOUND = JSON.stringify({ status: false, message: '', errorCode: '11' });
const TABLES = ['payments', 'fulfilments', 'webhook_deliveries', 'idempotency_keys'];

interface Line {
  level: string;
  message: string;
  fields: object;
}

/** A database, the service of a preview, and shops of production and preview that open it. */
export class Environments {
  readonly home: TestDatabase;
  readonly service: Awaited<ReturnType<typeof startUpstream>>;
  /** Whether the preview's service knows a payment, or undefined if it responds with 503. */
  isKnown: ((reference: string) => boolean) | undefined = () => true;
  readonly fulfilled: string[] = [];
  readonly clock = new ManualClock(Date.now());
  lines: Line[] = [];
  readonly #opened: Payments[] = [];

  private constructor(home: TestDatabase, service: Environments['service']) {
    this.home = home;
    this.service = service;
  }

  static async make(kind: Database['kind']): Promise<Environments> {
    const service = await startUpstream((req, res) => {
      const { isKnown } = environments;
      if (!isKnown) res.writeHead(503).end();
      else if (isKnown(req.url!.split('/').at(-1)!)) res.end(collectionResponse(req.url!));
      else res.writeHead(404).end(NOT_FOUND);
    });
    const environments = new Environments(await makeDatabaseUrl(kind), service);
    return environments;
  }

  /** Opens the database with the settings of the preview, or others. */
  async open(options: Partial<PaymentsOptions<unknown>> = {}): Promise<Payments> {
    const log = (level: string) => (fields: object, message: string) =>
      void this.lines.push({ level, message, fields });
    const payments = await createPayments({
      apiUrl: this.service.url,
      apiToken: TOKEN,
      publicKey: PREVIEW_KEY,
      database: this.home.url,
      fulfil: async ({ reference }) => void this.fulfilled.push(reference),
      log: { info: log('info'), warn: log('warn'), error: log('error') },
      ...PATIENT_PAYMENTS,
      ...options,
    });
    this.#opened.push(payments);
    return payments;
  }

  /** Opens the database with production first, and returns the reference of an order. */
  async openProduction(): Promise<string> {
    const production = await this.open({ ...PRODUCTION, background: false });
    const { reference } = await production.create(ORDER);
    await production.close();
    this.lines = [];
    return reference;
  }

  /** Makes the database one of an older version, with an order that is paid and not fulfilled. */
  async makeOlder(): Promise<string> {
    const reference = await this.openProduction();
    await this.change(`update service_pay_payments set state = 'paid'`);
    await this.change(`insert into service_pay_fulfilments
      (order_id, reference, state, attempts, due_at, lease_version, lease_until, created_at)
      select order_id, reference, 'waiting', 0, 0, 0, 0, 0 from service_pay_payments`);
    await this.forgetEnvironments();
    return reference;
  }

  async forgetEnvironments(): Promise<void> {
    await this.change('drop table service_pay_environments');
    await this.change(`delete from service_pay_migrations where name >= '0011'`);
  }

  async change(statement: string): Promise<void> {
    const { url } = this.home;
    if (url.startsWith('file:'))
      return void new SqliteFile(url.slice('file:'.length)).exec(statement).close();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  }

  /** Reads every row, to compare it with a later reading. */
  readAll(): Promise<unknown[]> {
    const names = [...TABLES, 'environments'];
    const read = (name: string) => readRows(this.home.url, `select * from service_pay_${name}`);
    return Promise.all(names.map(read));
  }

  async readPairs(): Promise<string[]> {
    const rows = await readRows<{ service: string; public_key: string }>(
      this.home.url,
      'select service, public_key from service_pay_environments order by 1, 2',
    );
    return rows.map(({ service, public_key: key }) => `${service} ${key}`);
  }

  async close(): Promise<void> {
    const closing = Promise.all(this.#opened.map((payments) => payments.close()));
    await this.clock.jump(2_000); // a confirm may wait until the service may be called again
    await closing;
    await this.service.close();
    await this.home.drop();
  }
}
