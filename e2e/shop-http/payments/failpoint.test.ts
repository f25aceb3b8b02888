import {
  collectionResponse,
  DATABASES,
  type FailpointName,
  startUpstream,
} from '@service-pay/server/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { PATIENT } from '../../lab/patience.ts';
import { startTestShop, tell } from '../shop.ts';

let closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

describe.each(DATABASES)('a payment that a webhook reports, on %s', (kind) => {
  test('a webhook passes every failpoint, and is acknowledged after its content is on the disk', async () => {
    const upstream = await startUpstream((req, res) => res.end(collectionResponse(req.url ?? '')));
    const passed: FailpointName[] = [];
    const rowsAt = new Map<FailpointName, number>();
    let isWatched = false;
    const failpoint = async (name: FailpointName) => {
      if (!isWatched || passed.includes(name)) return;
      passed.push(name);
      const table = { 'before-acknowledge': 'webhook_deliveries', 'after-fulfil': 'fulfilments' }[
        name as string
      ];
      if (table) rowsAt.set(name, (await shop.rows(`select 1 from service_pay_${table}`)).length);
    };
    const shop = await startTestShop(upstream.url, { hooks: { failpoint } }, {}, kind);
    closers.push(upstream.close, shop.close);
    const reference = await shop.browser().order();
    isWatched = true;

    expect(await tell(shop, reference)).toBe(200);

    await vi.waitFor(
      async () =>
        expect(await shop.rows('select state from service_pay_fulfilments')).toEqual([
          { state: 'done' },
        ]),
      PATIENT,
    );
    // the worker's claims commit too, so the place of the commits is not certain
    expect(passed).toEqual(expect.arrayContaining(['before-commit', 'after-commit']));
    expect(passed.filter((name) => !name.endsWith('-commit'))).toEqual([
      'before-acknowledge',
      'after-verify',
      'after-fulfil',
    ]);
    expect([...rowsAt.values()]).toEqual([1, 1]);
  });
});
