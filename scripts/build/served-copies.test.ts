import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';

import { checkServedCopies, compressFolder, integrityOf } from './served-copies.ts';

describe('served copies of the script', () => {
  let dist: string;

  beforeEach(async () => {
    dist = await mkdtemp(join(tmpdir(), 'service-pay-dist-'));
    const bytes = Buffer.from('globalThis.ServicePay = {};');
    for (const folder of ['js/v1', 'js/1.2.3']) {
      await mkdir(join(dist, folder), { recursive: true });
      for (const script of ['inline.js', 'flow.js'])
        await writeFile(join(dist, folder, script), bytes);
    }
    const integrity = {
      version: '1.2.3',
      file: '/js/1.2.3/inline.js',
      integrity: integrityOf(bytes),
      flow: { file: '/js/1.2.3/flow.js', integrity: integrityOf(bytes) },
    };
    await writeFile(join(dist, 'js/v1/integrity.json'), JSON.stringify(integrity));
    await compressFolder(join(dist, 'js'));
  });

  it('the check of served copies passes copies that are byte for byte the same, compressed or not (T65)', async () => {
    await expect(checkServedCopies(dist)).resolves.toBeUndefined();
  });

  it.each(['js/v1/inline.js', 'js/1.2.3/inline.js', 'js/v1/flow.js', 'js/1.2.3/flow.js'])(
    'the check of served copies stops on one changed byte in %s (T65)',
    async (copy) => {
      const bytes = await readFile(join(dist, copy));
      bytes[3] = (bytes[3] ?? 0) ^ 1;
      await writeFile(join(dist, copy), bytes);

      await expect(checkServedCopies(dist)).rejects.toThrow('does not hash to integrity.json');
    },
  );

  it('the check of served copies fails if a compressed copy contains other bytes (T65)', async () => {
    await writeFile(join(dist, 'js/v1/inline.js.gz'), gzipSync('globalThis.ServicePay = { };'));

    await expect(checkServedCopies(dist)).rejects.toThrow('does not hash to integrity.json');
  });
});
