/** A file of the state that cannot be used. The message says what to do. */
export class StateError extends Error {}

const RESULT = { busy: 5, corrupt: 11, notADatabase: 26 } as const;

export function toSentence(error: unknown): Error {
  if (error instanceof StateError) return error;
  const result = resultOf(error);
  if (result === RESULT.busy)
    return new StateError(
      'Another sandbox uses this state file. Stop it, or choose another path.',
      { cause: error },
    );
  if (result === RESULT.notADatabase) return foreignFile();
  if (result === RESULT.corrupt) return damagedFile();
  return unusable(error);
}

export function foreignFile(): StateError {
  return new StateError(
    'The state file belongs to another program. Choose another path, or remove the file.',
  );
}

export function otherVersion(): StateError {
  return new StateError(
    'Another version of the sandbox wrote the state file: remove it, or choose another path.',
  );
}

export function damagedFile(): StateError {
  return new StateError('The state file is damaged. Restore a copy, or remove it to start empty.');
}

export function unusable(cause: unknown): StateError {
  return new StateError(
    `Cannot use the state file (${codeOf(cause)}). Make it and its folder readable and writable, or choose another path.`,
    { cause },
  );
}

/** True if SQLite says that a file is no database. */
export function isNotADatabase(error: unknown): boolean {
  return resultOf(error) === RESULT.notADatabase;
}

/** The low byte of SQLite's extended result code. */
function resultOf(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) & 0xff;
}

export function codeOf(error: unknown): string {
  const { errcode, errstr, code } = error as NodeJS.ErrnoException & {
    errcode?: number;
    errstr?: string;
  };
  return errcode === undefined ? (code ?? 'no code') : (errstr ?? `SQLite ${errcode}`);
}
