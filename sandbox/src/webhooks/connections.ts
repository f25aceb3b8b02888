import PQueue from 'p-queue';
import { Agent } from 'undici';

/** Limits connections to one URL when many deliveries are due together. */
const MOST_AT_ONCE = 64;

const AGENT_OPTIONS: Agent.Options = {
  pipelining: 1,
  allowH2: false,
  keepAliveTimeout: 250,
  keepAliveMaxTimeout: 250,
};

export interface Connection {
  readonly queue: PQueue;
  readonly agent: Agent;
  /** On a virtual clock, settles once this and every earlier delivery has its response. */
  latest: Promise<unknown>;
}

/** The connections of a sender, by URL. */
export class Connections {
  readonly #byUrl = new Map<string, Connection>();

  to(url: string): Connection {
    const connection = this.#byUrl.get(url) ?? {
      queue: new PQueue({ concurrency: MOST_AT_ONCE }),
      agent: new Agent(AGENT_OPTIONS),
      latest: Promise.resolve(),
    };
    this.#byUrl.set(url, connection);
    return connection;
  }

  /** Closes an idle connection, because a receiver may have restarted before the next attempt. */
  closeIdle(url: string): void {
    const connection = this.#byUrl.get(url);
    if (!connection || connection.queue.size + connection.queue.pending > 0) return;
    this.#byUrl.delete(url);
    void connection.agent.destroy();
  }

  async closeAll(): Promise<void> {
    const all = [...this.#byUrl.values()];
    this.#byUrl.clear();
    await Promise.all(all.map(({ agent }) => agent.destroy()));
  }
}
