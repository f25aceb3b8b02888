import { createHash, type Hash } from 'node:crypto';
import { readFileSync, realpathSync, statSync, writeSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Logger } from 'pino';

import { pauseInRealTime, realTimeMs } from '../time/clock.ts';
import { type FileLock, takeFileLock } from './file-lock.ts';

/**
 * Something that can be written down and gone on with. `restore` throws where it is given no
 * snapshot of its own.
 */
export interface StatePart {
  snapshot(): object;
  restore(data: unknown): void;
}

/** What a state file is made of. `parts` come back in this order. */
export interface StateFileDeps {
  parts: Readonly<Record<string, StatePart>>;
  log: Logger;
}

/** What the first line says. The version goes up with each change that older files do not fit. */
const FORMAT = { format: 'service-pay-sandbox-state', version: 2 } as const;

/** Lists whose elements are packed: texts of characters up to 255, each a byte. */
const PACKED = new Set(['store.sessions', 'webhooks.deliveries']);

/**
 * Changes wait this long for others to be written with them; longer where writing takes long, so
 * that it never takes a tenth of the time.
 */
const PAUSE = { leastMs: 500, timesTaken: 10 } as const;

const CHUNK_BYTES = 1024 * 1024;

/**
 * Keeps the state of a sandbox in a file, across restarts: a line that says what it is, a line for
 * each thing, and a line with the digest of all of them. Written beside the file and moved onto it,
 * so that the file is whole at every moment.
 */
export class StateFile {
  readonly #path: string;
  readonly #parts: StateFileDeps['parts'];
  readonly #log: Logger;
  readonly #lock: FileLock;
  #isChanged = false;
  #isClosed = false;
  #isWaiting = false;
  #underWay: Promise<void> | undefined;

  constructor(path: string, { parts, log }: StateFileDeps) {
    this.#path = findFile(path);
    this.#parts = parts;
    this.#log = log;
    this.#lock = lockFile(this.#path);
  }

  /**
   * Takes a file for this process and gives every part what it holds; makes it where there is none.
   * Rejects with an error whose message says what to do, and then has changed nothing.
   */
  static async open(path: string, deps: StateFileDeps): Promise<StateFile> {
    const file = new StateFile(path, deps);
    try {
      const state = readState(file.#path);
      if (state) file.#restore(state);
      else await file.write();
      return file;
    } catch (error) {
      file.release();
      throw error;
    }
  }

  /** Says that something has changed: it is written soon. */
  touch(): void {
    this.#isChanged = true;
    if (!this.#isClosed && !this.#isWaiting) void this.#writeSoon();
  }

  /** Writes everything as it is at one moment; resolves once that lasts. Never twice at a time. */
  async write(): Promise<void> {
    const beside = `${this.#path}.new`;
    const file = await open(beside, 'w', 0o600);
    try {
      await file.chmod(0o600);
      writeLines(file.fd, linesOf(this.#parts));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, this.#path);
    await syncFolder(dirname(this.#path));
  }

  /** Lets others have the file, and writes no more. */
  release(): void {
    this.#isClosed = true;
    this.#lock.release();
  }

  /**
   * Writes what is left and lets others have the file. Rejects with a sentence where it could not
   * be written.
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#underWay?.catch(() => undefined);
    try {
      await this.write();
    } catch (cause) {
      throw new Error(
        `The state could not be written (${codeOf(cause)}): its file holds what was known before.`,
        { cause },
      );
    } finally {
      this.release();
    }
  }

  async #writeSoon(): Promise<void> {
    this.#isWaiting = true;
    let pauseMs: number = PAUSE.leastMs;
    while (this.#isChanged) {
      await pauseInRealTime(pauseMs);
      if (this.#isClosed) return;
      const startedAt = realTimeMs();
      this.#isChanged = false;
      try {
        this.#underWay = this.write();
        await this.#underWay;
      } catch (error) {
        this.#isChanged = true;
        this.#log.error(
          { code: codeOf(error) },
          'the state could not be written: it is tried again',
        );
      }
      pauseMs = Math.max(PAUSE.leastMs, PAUSE.timesTaken * (realTimeMs() - startedAt));
    }
    this.#isWaiting = false;
  }

  #restore(state: ReadonlyMap<string, unknown>): void {
    try {
      for (const [name, part] of Object.entries(this.#parts)) part.restore(state.get(name));
    } catch (cause) {
      throw new Error(
        'The state file does not hold what this version of the sandbox keeps. Remove it to start anew.',
        { cause },
      );
    }
  }
}

function* linesOf(parts: StateFileDeps['parts']): Generator<string> {
  yield JSON.stringify(FORMAT);
  for (const [name, part] of Object.entries(parts)) {
    const snapshot = Object.entries(part.snapshot());
    yield `${name}\t${JSON.stringify(Object.fromEntries(snapshot.map(([member, value]) => [member, Array.isArray(value) ? [] : value])))}`;
    for (const [member, value] of snapshot) {
      if (!Array.isArray(value)) continue;
      const list = `${name}.${member}`;
      for (const element of value)
        yield `${list}\t${PACKED.has(list) ? Buffer.from(element, 'latin1').toString('base64') : JSON.stringify(element)}`;
    }
  }
}

function writeLines(file: number, lines: Iterable<string>): void {
  const hash = createHash('sha256');
  let chunk: string[] = [];
  let length = 0;
  for (const line of lines) {
    chunk.push(line, '\n');
    length += line.length;
    if (length < CHUNK_BYTES) continue;
    writeChunk(file, chunk.join(''), hash);
    chunk = [];
    length = 0;
  }
  writeChunk(file, chunk.join(''), hash);
  writeAll(file, Buffer.from(`${endOf(hash)}\n`));
}

function writeChunk(file: number, text: string, hash: Hash): void {
  const bytes = Buffer.from(text);
  hash.update(bytes);
  writeAll(file, bytes);
}

/** A write may take less than it was given. */
function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

function endOf(hash: Hash): string {
  return JSON.stringify({ sha256: hash.digest('hex') });
}

/**
 * The file itself, also where the path is a link to it: moving another onto the link would part
 * them.
 */
function findFile(path: string): string {
  const whole = resolve(path);
  try {
    if (!statSync(whole).isFile())
      throw new Error(
        'The state file must be a file: what is there is a folder or a device. Choose another path.',
      );
    return realpathSync(whole);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return findNewFile(whole);
    if (codeOf(error) === 'none') throw error;
    throw unusable('read', error);
  }
}

function findNewFile(whole: string): string {
  try {
    return join(realpathSync(dirname(whole)), basename(whole));
  } catch (cause) {
    throw new Error('The folder of the state file is not there. Make it, or choose another path.', {
      cause,
    });
  }
}

function lockFile(path: string): FileLock {
  let lock: FileLock | undefined;
  try {
    lock = takeFileLock(path);
  } catch (error) {
    throw unusable('written', error);
  }
  if (!lock)
    throw new Error(
      'Another sandbox keeps its state in this file. Stop that one, or choose another path.',
    );
  return lock;
}

/** What a file holds, by part; undefined where there is none. */
function readState(path: string): Map<string, unknown> | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unusable('read', error);
  }
  refuseOthers(bytes);
  const end = bytes.lastIndexOf('\n', bytes.length - 2) + 1;
  const digest = createHash('sha256').update(bytes.subarray(0, end));
  if (bytes.at(-1) !== NEWLINE || bytes.toString('utf8', end, bytes.length - 1) !== endOf(digest)) {
    throw new Error(
      'The state file is damaged: part of it is missing or was changed. Put a copy in its place, or remove it to start anew.',
    );
  }
  return readLines(bytes.subarray(0, end));
}

const NEWLINE = 10;

function refuseOthers(bytes: Buffer): void {
  const first = bytes.toString('utf8', 0, Math.max(0, bytes.subarray(0, 256).indexOf(NEWLINE)));
  let said: { format?: unknown; version?: unknown } | null;
  try {
    said = JSON.parse(first);
  } catch {
    said = null;
  }
  if (said?.format !== FORMAT.format) {
    throw new Error(
      'The state file holds something else than the state of a sandbox. Choose another path, or remove the file.',
    );
  }
  if (said.version !== FORMAT.version) {
    throw new Error(
      'The state file is of another version of the sandbox. Start that version, or choose another path.',
    );
  }
}

function readLines(bytes: Buffer): Map<string, unknown> {
  const state = new Map<string, unknown>();
  let from = bytes.indexOf(NEWLINE) + 1;
  while (from < bytes.length) {
    const to = bytes.indexOf(NEWLINE, from);
    const tab = bytes.indexOf('\t', from);
    const [name = '', list] = bytes.toString('utf8', from, tab).split('.');
    const text = bytes.toString('utf8', tab + 1, to);
    const isPacked = PACKED.has(`${name}.${list}`);
    const value = isPacked ? Buffer.from(text, 'base64').toString('latin1') : JSON.parse(text);
    if (list === undefined) state.set(name, value);
    else (state.get(name) as Record<string, unknown[]>)[list]!.push(value);
    from = to + 1;
  }
  return state;
}

/** Some systems cannot make a folder's entries last on demand. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

function unusable(what: 'read' | 'written', cause: unknown): Error {
  return new Error(
    `The state file cannot be ${what} (${codeOf(cause)}). Allow it, or choose another path.`,
    { cause },
  );
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'none';
}
