import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  gunzipSync,
  gzipSync,
} from 'node:zlib';

interface ServedCopy {
  /** The path of the copy that never changes. */
  file: string;
  integrity: string;
}

/** The contents of `integrity.json`: the released version, its script and its page library. */
export interface Integrity extends ServedCopy {
  version: string;
  flow: ServedCopy;
}

const COMPRESSED = { '.br': brotliDecompressSync, '.gz': gunzipSync } as const;

export function integrityOf(bytes: Uint8Array): string {
  return `sha384-${createHash('sha384').update(bytes).digest('base64')}`;
}

export async function compressFolder(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const bytes = await readFile(file);
    await writeFile(
      `${file}.br`,
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    );
    await writeFile(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  }
}

/**
 * Throws unless every copy of the script that could be served, compressed ones included, is byte
 * for byte the one `integrity.json` was written for (T65).
 */
export async function checkServedCopies(dist: string): Promise<void> {
  const released = JSON.parse(
    await readFile(join(dist, 'js/v1/integrity.json'), 'utf8'),
  ) as Integrity;
  const { flow } = released;
  const copies = [
    { copy: 'js/v1/inline.js', integrity: released.integrity },
    { copy: released.file.slice(1), integrity: released.integrity },
    { copy: 'js/v1/flow.js', integrity: flow.integrity },
    { copy: flow.file.slice(1), integrity: flow.integrity },
  ];
  for (const { copy, integrity } of copies) {
    const served = [await readFile(join(dist, copy))];
    for (const [extension, decompress] of Object.entries(COMPRESSED))
      served.push(decompress(await readFile(join(dist, copy + extension))));
    if (!served.every((bytes) => integrityOf(bytes) === integrity)) {
      throw new Error(
        `widget/dist/${copy} or a compressed copy of it does not hash to integrity.json. Run the build again.`,
      );
    }
  }
}
