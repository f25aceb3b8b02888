import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SOUND, type SourcePatch } from './harness.ts';

/**
 * Runs something on a patched copy of the shop and its package, and removes the copy. Throws if a
 * patch does not apply.
 */
export async function withBrokenBuild<Result>(
  patches: readonly SourcePatch[],
  run: (source: string) => Promise<Result>,
  sound: string = SOUND,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'broken-shop-'));
  try {
    writeBrokenBuild(folder, sound, patches);
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function writeBrokenBuild(folder: string, sound: string, patches: readonly SourcePatch[]): void {
  for (const copied of [
    'server/src',
    'server/test/histories.ts',
    'server/test/manual-clock.ts',
    'server/package.json',
    'bff-example/src',
  ])
    cpSync(join(sound, copied), join(folder, copied), { recursive: true });
  for (const linked of ['pages', 'assets', 'package.json'])
    symlinkSync(join(sound, 'bff-example', linked), join(folder, 'bff-example', linked));
  const packages = join(folder, 'bff-example/node_modules');
  mkdirSync(join(packages, '@service-pay'), { recursive: true });
  symlinkSync(join(folder, 'server'), join(packages, '@service-pay/server'));
  for (const own of readdirSync(join(sound, 'bff-example/node_modules')))
    symlinkSync(join(sound, 'bff-example/node_modules', own), join(packages, own));
  for (const linked of ['node_modules', 'tsconfig.json'])
    symlinkSync(join(sound, linked), join(folder, linked));
  for (const [file, text] of patchedFiles(sound, patches)) writeFileSync(join(folder, file), text);
}

export function patchedFiles(
  sound: string,
  patches: readonly SourcePatch[],
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const patch of patches) {
    const text = texts.get(patch.file) ?? readFileSync(join(sound, patch.file), 'utf8');
    texts.set(patch.file, patched(text, patch));
  }
  return texts;
}

function patched(text: string, { file, find, replace }: SourcePatch): string {
  const found = text.split(find).length - 1;
  if (found !== 1) {
    throw new Error(
      `A broken build cannot be made: ${file} holds the text to replace ${found} times, not once. Write its patch anew:\n${find}`,
    );
  }
  return text.replace(find, () => replace);
}
