import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { TEMPLATE } from './harness.ts';

/** One text of one file, which must stand there exactly once, and what takes its place. */
export interface SourcePatch {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/**
 * Runs something on a copy of a folder of sources with patches applied, and removes the copy.
 * Throws where a patch does not apply.
 */
export async function withBrokenBuild<Result>(
  patches: readonly SourcePatch[],
  run: (source: string) => Promise<Result>,
  sound: string = TEMPLATE,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'broken-shop-'));
  try {
    return await run(writeBrokenBuild(folder, sound, patches));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The copy lies as the template does, so that it finds its pages and packages. */
function writeBrokenBuild(folder: string, sound: string, patches: readonly SourcePatch[]): string {
  const template = dirname(sound);
  const copy = join(folder, 'shop', 'src');
  cpSync(sound, copy, { recursive: true });
  for (const shared of ['pages', 'assets', 'node_modules', 'package.json'])
    link(join(template, shared), join(folder, 'shop', shared));
  link(join(dirname(template), 'node_modules'), join(folder, 'node_modules'));
  for (const patch of patches) apply(copy, patch);
  return copy;
}

function link(target: string, path: string): void {
  if (existsSync(target)) symlinkSync(target, path);
}

function apply(source: string, { file, find, replace }: SourcePatch): void {
  const path = join(source, file);
  const text = readFileSync(path, 'utf8');
  const found = text.split(find).length - 1;
  if (found !== 1) {
    throw new Error(
      `A broken build cannot be made: ${file} holds the text to replace ${found} times, not once. Write its patch anew:\n${find}`,
    );
  }
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
}
