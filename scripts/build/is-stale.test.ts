import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { isStale } from './is-stale.ts';

let folder: string;
let product: string;
let source: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'service-pay-stale-'));
  product = join(folder, 'product.js');
  source = join(folder, 'src');
  mkdirSync(join(source, 'deep'), { recursive: true });
  writeAt(join(source, 'deep/a.ts'), 1_000);
  writeAt(product, 2_000);
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('a product', () => {
  test('a product is fresh if it is newer than all its sources', () => {
    expect(isStale(product, [source])).toBe(false);
  });

  test('a product is stale if it is missing', () => {
    expect(isStale(join(folder, 'missing.js'), [source])).toBe(true);
  });

  test('a product is stale if a file deep below is newer', () => {
    writeAt(join(source, 'deep/a.ts'), 3_000);

    expect(isStale(product, [source])).toBe(true);
  });

  test('a product stays fresh if only a test is newer', () => {
    writeAt(join(source, 'deep/a.test.ts'), 3_000);

    expect(isStale(product, [source])).toBe(false);
  });
});

function writeAt(file: string, seconds: number): void {
  writeFileSync(file, '');
  utimesSync(file, seconds, seconds);
}
