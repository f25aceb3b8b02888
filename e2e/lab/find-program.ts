import { spawnSync } from 'node:child_process';

const FOLDERS = ['', '/usr/sbin/', '/usr/local/sbin/'];

/** Returns the path of an installed program, or undefined. `argument` is a harmless one to try it with. */
export function findProgram(name: string, argument: string): string | undefined {
  return FOLDERS.map((folder) => folder + name).find(
    (path) => spawnSync(path, [argument]).error === undefined,
  );
}
