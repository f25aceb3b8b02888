/**
 * A file as a disk holds it: what is synced for sure, and later writes, which a loss of power may
 * or may not take.
 */
class DiskFile {
  syncs = 0;
  #synced: Buffer;
  #since: readonly Change[];

  constructor(synced: Buffer = Buffer.alloc(0), since: readonly Change[] = []) {
    this.#synced = synced;
    this.#since = since;
  }

  change(change: Change): void {
    this.#since = [...this.#since, change];
  }

  sync(): void {
    this.#synced = this.#since.reduce(apply, this.#synced);
    this.#since = [];
    this.syncs += 1;
  }

  copy(): DiskFile {
    const copy = new DiskFile(this.#synced, this.#since);
    copy.syncs = this.syncs;
    return copy;
  }

  /** The content after a loss of power: what was synced, and each later write that `isKept`. */
  afterLoss(isKept: () => boolean): Buffer {
    return this.#since.filter(isKept).reduce(apply, this.#synced);
  }
}

type Change = { at: number; bytes: Buffer } | { length: number };

/**
 * The disk at the moment at which a response left, and every response that had left by then, by
 * request id.
 */
export interface Disk {
  files: DiskFile[];
  responded: string[];
}

const CALL = /^\d+ +(\w+)\((.*)$/;
const REQUEST_ID = /x-request-id: ([0-9a-f-]{36})/i;

/**
 * Replays a trace of system calls (`strace -f -xx`), as far as they concern these files and the
 * responses with these request ids. Returns the disk at each such response.
 */
export function replay(
  trace: string,
  paths: readonly string[],
  requestIds: ReadonlySet<string>,
): Disk[] {
  const files = paths.map(() => new DiskFile());
  const open = new Map<number, DiskFile>();
  const syncing = new Map<string, DiskFile>();
  const disks: Disk[] = [];
  const responded: string[] = [];

  for (const line of trace.split('\n')) {
    const [pid = ''] = line.split(' ', 1);
    if (line.includes('sync resumed>')) {
      syncing.get(pid)?.sync();
      syncing.delete(pid);
      continue;
    }
    const [, name, rest = ''] = CALL.exec(line) ?? [];
    const descriptor = Number.parseInt(rest, 10);
    const file = open.get(descriptor);
    if (name === 'openat') {
      const index = paths.indexOf(readTexts(rest)[0]?.toString() ?? '');
      const given = Number(/= (\d+)$/.exec(line)?.[1]);
      if (index >= 0 && !Number.isNaN(given)) open.set(given, files[index]!);
      else open.delete(given);
    } else if (name === 'close') open.delete(descriptor);
    else if (name === 'pwrite64')
      file?.change({ bytes: readTexts(rest)[0]!, at: Number(/", \d+, (\d+)/.exec(rest)?.[1]) });
    else if (name === 'ftruncate') file?.change({ length: Number(/, (\d+)/.exec(rest)?.[1]) });
    else if (name === 'fsync' || name === 'fdatasync') {
      if (file && line.includes('<unfinished')) syncing.set(pid, file);
      else file?.sync();
    } else if (name === 'write' || name === 'writev') {
      const [, requestId] =
        REQUEST_ID.exec(Buffer.concat(readTexts(rest)).toString('latin1')) ?? [];
      if (!requestId || !requestIds.has(requestId)) continue;
      responded.push(requestId);
      disks.push({ files: files.map((each) => each.copy()), responded: [...responded] });
    }
  }
  return disks;
}

function readTexts(rest: string): Buffer[] {
  return [...rest.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text]) =>
    Buffer.from(text!.replaceAll('\\x', ''), 'hex'),
  );
}

function apply(content: Buffer, change: Change): Buffer {
  if ('length' in change) return Buffer.concat([content.subarray(0, change.length)], change.length);
  const { at, bytes } = change;
  const grown = Buffer.concat([content], Math.max(content.length, at + bytes.length));
  bytes.copy(grown, at);
  return grown;
}
