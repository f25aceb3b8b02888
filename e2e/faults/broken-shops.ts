import type { BrokenBuild } from './harness.ts';

export const ACKNOWLEDGES_FIRST: BrokenBuild = {
  name: 'acknowledges before it commits',
  patches: [
    {
      file: 'server/src/webhooks/receive.ts',
      find: '      const isNew = await store.storeDelivery(delivery, now + FIRST_PAUSE_MS);\n',
      replace: `
      setImmediate(() => store.storeDelivery(delivery, now + FIRST_PAUSE_MS).catch(() => {}));
      const isNew = true;
`,
    },
  ],
};

export const READS_FIRST: BrokenBuild = {
  name: 'reads, then writes',
  patches: [
    {
      file: 'server/src/payments/store.ts',
      find: "  async markPaid(reference: string, now: number): Promise<'paid' | 'needs-review' | undefined> {",
      replace: `
  async markPaid(reference, now) {
    const { orderId } = (await this.findPayment(reference))!;
    const paid = await this.#db.selectFrom('service_pay_fulfilments').select('reference')
      .where('order_id', '=', orderId).executeTakeFirst();
    const set = (values) => this.#write((trx) =>
      trx.updateTable('service_pay_payments').set({ moved_at: now, ...values }).where('reference', '=', reference).execute());
    if (paid) {
      await set({ state: 'needs-review', review_reason: 'order already paid' });
      return 'needs-review';
    }
    await set({ state: 'paid' });
    await this.#write((trx) => trx.insertInto('service_pay_fulfilments').values({
      order_id: orderId, reference, state: 'waiting', attempts: 0, due_at: now,
      lease_owner: null, lease_version: 0, lease_until: 0, created_at: now,
    }).onConflict((conflict) => conflict.column('order_id').doUpdateSet({ reference, state: 'waiting' })).execute());
    return 'paid';`,
    },
  ],
};

export const MARKS_FIRST: BrokenBuild = {
  name: 'marks as handed over, then hands over',
  patches: [
    {
      file: 'server/src/fulfilment/worker.ts',
      find: '    const failure = await call(held,',
      replace:
        "    await letGo(held, { state: 'done', done_at: clock.now() });\n    const failure = await call(held,",
    },
  ],
};

export const RECONCILES_NEVER: BrokenBuild = {
  name: 'relies on webhooks',
  patches: [
    {
      file: 'server/src/payments/reconciler.ts',
      find: '      if (limit === 0) return;',
      replace: '      return;',
    },
  ],
};

export const GIVES_UP_AFTER_A_DAY: BrokenBuild = {
  name: 'gives payments up after a day',
  patches: [
    {
      file: 'server/src/payments/reconciler.ts',
      find: "payment = await confirm(reference, 'due');",
      replace: "if (ageMs < GIVES_UP_AT_AGE_MS / 30) payment = await confirm(reference, 'due');",
    },
  ],
};

export const TAKES_LATE_WRITES: BrokenBuild = {
  name: 'takes late writes',
  patches: [
    {
      file: 'server/src/fulfilment/store.ts',
      find: `        .where('lease_version', '=', leaseVersion)
        .where(isHolder)
`,
      replace: '',
    },
  ],
};

export const HOLDS_FOR_AN_HOUR: BrokenBuild = {
  name: 'holds what it took for an hour',
  patches: [
    {
      file: 'server/src/fulfilment/worker.ts',
      find: 'const LEASE_MS = ',
      replace: 'const LEASE_MS = 3_600_000 + ',
    },
  ],
};

export const SYNCS_SELDOM: BrokenBuild = {
  name: 'syncs now and then',
  patches: [
    {
      file: 'server/src/database/sqlite.ts',
      find: "connection.pragma('synchronous = FULL');",
      replace: "connection.pragma('synchronous = NORMAL');",
    },
    {
      file: 'server/src/database/sqlite.ts',
      find: 'synchronous !== 2',
      replace: 'synchronous !== 1',
    },
  ],
};

export const KEEPS_WEBHOOKS: BrokenBuild = {
  name: 'keeps what every webhook came in',
  patches: [
    {
      file: 'server/src/webhooks/receive.ts',
      find: '      const now = clock.now();\n',
      replace:
        '      const now = clock.now();\n      (globalThis.kept ??= []).push(Buffer.alloc(64 * 1024, body));\n',
    },
  ],
};
