import { closeSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Logger } from 'pino';

import { pauseWhileRunning } from '../time/real-time.ts';
import {
  codeOf,
  damagedFile,
  foreignFile,
  isNotADatabase,
  otherVersion,
  StateError,
  toSentence,
  unusable,
} from './state-errors.ts';

export interface StatePart {
  /** Plain data, saved with every change. */
  snapshot(): object;
  /** Restores what was written, records in order of creation. Throws on anything else. */
  restore(snapshot: unknown, records: readonly unknown[]): void;
  /** Records, if it has many: only changed ones are written. */
  readonly records?: Records;
}

export interface Records {
  /** Called with the key of each record that is created, changed or deleted. */
  onChange: (key: string) => void;
  find(key: string): object | undefined;
}

export interface StateDeps {
  parts: Readonly<Record<string, StatePart>>;
  log: Logger;
}

/** Identifies the file in its header. Raise `version` when older files no longer fit. */
const FORMAT = { applicationId: 0x53_50_61_79, version: 3 } as const;

/** Files of versions 1 and 2 were lines of JSON that began like this. */
const OLDER = '{"format":"service-pay-sandbox-state"';

const TABLES = `
  create table snapshots (part text primary key, value text not null) strict;
  create table records (
    id integer primary key,
    part text not null,
    key text not null,
    value text not null,
    unique (part, key)
  ) strict;
  pragma application_id = ${FORMAT.applicationId};
  pragma user_version = ${FORMAT.version};
`;

/** Time for which a change waits for others to be written with it. */
const PAUSE_MS = 500;

/** Keeps the state of a sandbox in one SQLite file, locked against other sandboxes. */
export class State {
  readonly #db: DatabaseSync;
  readonly #parts: StateDeps['parts'];
  readonly #log: Logger;
  readonly #changed = new Map<string, Set<string>>();
  readonly #putSnapshot: StatementSync;
  readonly #putRecord: StatementSync;
  readonly #dropRecord: StatementSync;
  #isClosed = false;
  #isWaiting = false;

  /**
   * Opens or creates a file and restores every part from it. Throws an error whose message says
   * what to do, and then changes nothing.
   */
  constructor(path: string, { parts, log }: StateDeps) {
    this.#parts = parts;
    this.#log = log;
    const file = findFile(path);
    this.#db = openFile(file);
    try {
      const isNew = prepareTables(this.#db);
      this.#putSnapshot = this.#db.prepare(
        'insert into snapshots values (?, ?) on conflict (part) do update set value = excluded.value',
      );
      this.#putRecord = this.#db.prepare(
        `insert into records (part, key, value) values (?, ?, ?)
         on conflict (part, key) do update set value = excluded.value`,
      );
      this.#dropRecord = this.#db.prepare('delete from records where part = ? and key = ?');
      if (!isNew) this.#restore();
      this.#watch();
      this.write();
    } catch (error) {
      this.#db.close();
      throw isOlder(file, error) ? otherVersion() : toSentence(error);
    }
  }

  touch(): void {
    if (this.#isWaiting || this.#isClosed) return;
    this.#isWaiting = true;
    void pauseWhileRunning(PAUSE_MS).then(() => {
      this.#isWaiting = false;
      if (this.#isClosed) return;
      try {
        this.write();
      } catch (error) {
        this.#log.error({ code: codeOf(error) }, 'state not written, will retry');
        this.touch();
      }
    });
  }

  /** Writes every change in one transaction. */
  write(): void {
    this.#db.exec('begin immediate');
    try {
      for (const [name, part] of Object.entries(this.#parts)) {
        this.#putSnapshot.run(name, JSON.stringify(part.snapshot()));
        for (const key of this.#changed.get(name) ?? []) {
          const record = part.records?.find(key);
          if (record) this.#putRecord.run(name, key, JSON.stringify(record));
          else this.#dropRecord.run(name, key);
        }
      }
      this.#db.exec('commit');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('rollback');
      throw error;
    }
    for (const keys of this.#changed.values()) keys.clear();
  }

  /** Unlocks the file without writing. */
  release(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#db.close();
  }

  /** Writes the remaining changes and unlocks the file. */
  close(): void {
    if (this.#isClosed) return;
    try {
      this.write();
    } catch (cause) {
      throw new Error(
        `Could not write the state (${codeOf(cause)}). The file keeps the last state written. Check its disk and its permissions.`,
        { cause },
      );
    } finally {
      this.release();
    }
  }

  #watch(): void {
    for (const [name, { records }] of Object.entries(this.#parts)) {
      if (!records) continue;
      const keys = this.#changed.get(name) ?? new Set<string>();
      this.#changed.set(name, keys);
      records.onChange = (key) => void keys.add(key);
    }
  }

  #restore(): void {
    try {
      for (const [name, part] of Object.entries(this.#parts)) {
        const snapshot = this.#db.prepare('select value from snapshots where part = ?').get(name);
        const rows = this.#db
          .prepare('select key, value from records where part = ? order by id')
          .all(name) as { key: string; value: string }[];
        part.restore(
          JSON.parse(String(snapshot?.['value'])),
          rows.map(({ value }) => JSON.parse(value)),
        );
        // A part keeps fewer records than before if its limit was lowered.
        const left = rows.filter(({ key }) => !part.records?.find(key)).map(({ key }) => key);
        this.#changed.set(name, new Set(left));
      }
    } catch (cause) {
      throw new StateError(
        'This version of the sandbox cannot read the state file. Remove it, or choose another path.',
        { cause },
      );
    }
  }
}

function prepareTables(db: DatabaseSync): boolean {
  // Holds the lock until the file is closed.
  db.exec('pragma locking_mode = exclusive; begin exclusive; commit');
  const read = (pragma: string) => Object.values(db.prepare(`pragma ${pragma}`).get() ?? {})[0];
  if (read('schema_version') === 0) {
    db.exec(`begin; ${TABLES} commit`);
    return true;
  }
  if (read('application_id') !== FORMAT.applicationId) throw foreignFile();
  if (read('user_version') !== FORMAT.version) throw otherVersion();
  if (read('quick_check(1)') !== 'ok') throw damagedFile();
  return false;
}

function openFile(path: string): DatabaseSync {
  try {
    // Opening and closing an existing file here would release this process's lock on it.
    if (!statSync(path, { throwIfNoEntry: false })) closeSync(openSync(path, 'wx', 0o600));
    return new (loadSqlite().DatabaseSync)(path);
  } catch (error) {
    throw unusable(error);
  }
}

/** Loads `node:sqlite` without the experimental warning of Node 22. */
function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

function findFile(path: string): string {
  const whole = resolve(path);
  try {
    if (!statSync(whole).isFile())
      throw new StateError("The state file's path is a folder or a device. Choose another path.");
    return realpathSync(whole);
  } catch (error) {
    if (error instanceof StateError) throw error;
    if (codeOf(error) === 'ENOENT') return findNewFile(whole);
    throw unusable(error);
  }
}

function findNewFile(whole: string): string {
  try {
    return join(realpathSync(dirname(whole)), basename(whole));
  } catch (cause) {
    throw new StateError(
      'The folder of the state file does not exist. Create it, or choose another path.',
      { cause },
    );
  }
}

function isOlder(path: string, error: unknown): boolean {
  return isNotADatabase(error) && readFileSync(path, 'utf8').startsWith(OLDER);
}
