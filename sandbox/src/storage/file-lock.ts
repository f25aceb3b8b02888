import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Who holds a lock: a process, and when it was born, since numbers of processes come again. */
interface Holder {
  readonly pid: number;
  readonly bornAt: string | null;
}

/** A lock that was taken. */
export interface FileLock {
  release(): void;
}

const TRIES = 5;

/**
 * Takes the lock beside a file, `<file>.lock`, or gives undefined where a process that lives holds
 * it. That of a process that is gone is taken over. It comes into being whole, so that nobody ever
 * reads half of it.
 */
export function takeFileLock(file: string): FileLock | undefined {
  const path = `${file}.lock`;
  const own = JSON.stringify({ id: randomUUID(), pid: process.pid, bornAt: birthOf(process.pid) });
  const aside = `${path}-${randomUUID()}`;
  writeFileSync(aside, own, { mode: 0o600, flag: 'wx' });
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      if (isLinked(aside, path)) return { release: () => rmSync(path, { force: true }) };
      const other = readText(path);
      if (other !== undefined && (isHeld(other) || !isTakenAway(path, other))) return undefined;
    }
    return undefined;
  } finally {
    rmSync(aside, { force: true });
  }
}

function isLinked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Takes a lock away that nobody holds; one that somebody has taken since is put back. */
function isTakenAway(path: string, stale: string): boolean {
  const aside = `${path}-${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch {
    return true; // Somebody else was faster: the next try finds whose it is.
  }
  const isStale = readText(aside) === stale;
  if (!isStale) isLinked(aside, path);
  rmSync(aside, { force: true });
  return isStale;
}

function isHeld(text: string): boolean {
  let holder: Holder;
  try {
    holder = JSON.parse(text) as Holder;
    process.kill(holder.pid, 0);
  } catch (error) {
    // It is there, but somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return holder.bornAt === birthOf(holder.pid);
}

/** When a process was born, where the system tells. */
function birthOf(pid: number): string | null {
  // The name before it, in brackets, may hold anything.
  return readText(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ')[19] ?? null;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
