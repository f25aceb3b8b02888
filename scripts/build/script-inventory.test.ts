import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { buildInventory } from './script-inventory.ts';
import { integrityOf } from './served-copies.ts';

describe('the script inventory (card-industry requirements 6.4.3 and 11.6.1)', () => {
  let dist: string;

  beforeEach(async () => {
    dist = await mkdtemp(join(tmpdir(), 'service-pay-inventory-'));
    await put('js/v1/inline.js', 'inline');
    await put('js/1.2.3/inline.js', 'inline');
    await put('js/v1/flow.js', 'flow');
    await put('js/1.2.3/flow.js', 'flow');
    await put('checkout/v1/assets/index-Ab_-12xY.js', 'main');
    await put('checkout/v1/assets/fr-12345678.js', 'words');
    await put('checkout/v1/assets/lazy-12345678.js', 'lazy');
    await put('checkout/v1/assets/index-Ab_-12xY.js.br', 'compressed');
    await put(
      'checkout/v1/index.html',
      '<script type="module" src="/checkout/v1/assets/index-Ab_-12xY.js"></script>',
    );
  });

  afterEach(() => rm(dist, { recursive: true }));

  async function put(file: string, content: string): Promise<void> {
    await mkdir(dirname(join(dist, file)), { recursive: true });
    await writeFile(join(dist, file), content);
  }

  it('the script inventory lists each script of both pages once, with its hash, its purpose, what authorises it and when it is loaded', async () => {
    const { version, scripts, headers } = await buildInventory(dist, '1.2.3');

    expect(version).toBe('1.2.3');
    expect(
      scripts.map(({ page, file, integrity, loaded }) => [page, file, integrity, loaded]),
    ).toEqual([
      ['merchant', '/js/v1/inline.js', integrityOf(Buffer.from('inline')), 'always'],
      ['merchant', '/js/1.2.3/inline.js', integrityOf(Buffer.from('inline')), 'always'],
      ['merchant', '/js/v1/flow.js', integrityOf(Buffer.from('flow')), 'when needed'],
      ['merchant', '/js/1.2.3/flow.js', integrityOf(Buffer.from('flow')), 'when needed'],
      [
        'payment',
        '/checkout/v1/assets/fr-12345678.js',
        integrityOf(Buffer.from('words')),
        'when needed',
      ],
      [
        'payment',
        '/checkout/v1/assets/index-Ab_-12xY.js',
        integrityOf(Buffer.from('main')),
        'always',
      ],
      [
        'payment',
        '/checkout/v1/assets/lazy-12345678.js',
        integrityOf(Buffer.from('lazy')),
        'always',
      ],
    ]);
    for (const { purpose, authorisedBy } of scripts) expect(purpose && authorisedBy).toMatch(/\.$/);
    for (const { purpose } of headers) expect(purpose).toMatch(/\.$/);
  });

  it('the script inventory stops on a script without a purpose', async () => {
    await put('checkout/v1/assets/tracker-12345678.js', 'new');

    await expect(buildInventory(dist, '1.2.3')).rejects.toThrow(
      'Add the purpose of the checkout page\'s script "tracker"',
    );
  });
});
