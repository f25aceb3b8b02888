import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

import { pause, realClock } from '../src/support/clock.ts';

export interface SlowCommits {
  readonly url: string;
  delayMs: number;
  close(): Promise<void>;
}

/** Opens a proxy that delays the responses to commits. They are committed at once. */
export async function openSlowCommits(databaseUrl: string): Promise<SlowCommits> {
  const to = new URL(databaseUrl);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(to.port), to.hostname);
    let lateUntil = 0;
    client.on('data', (data) => {
      if (slow.delayMs && data.includes('commit\0')) lateUntil = realClock.now() + slow.delayMs;
      upstream.write(data);
    });
    let written = Promise.resolve();
    upstream.on('data', (data) => {
      written = written.then(async () => {
        const lateMs = lateUntil - realClock.now();
        if (lateMs > 0) await pause(realClock, lateMs);
        client.write(data);
      });
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one);
      one.on('error', () => {});
      one.once('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const through = new URL(databaseUrl);
  through.port = String((server.address() as AddressInfo).port);
  const slow: SlowCommits = {
    url: through.href,
    delayMs: 0,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return slow;
}
