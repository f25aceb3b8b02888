import cluster from 'node:cluster';
import { once } from 'node:events';
import {
  type AddressInfo,
  createServer,
  type ListenOptions,
  type Server,
  type Socket,
} from 'node:net';

/**
 * Sockets that listen on the one port. Node takes one connection of each in a turn of its loop,
 * however many wait: with one socket customers waited for seconds behind strangers who came and
 * went (T90). Linux spreads connections over them; workers of a cluster share what their primary
 * listens on.
 */
const SOCKETS = process.platform === 'linux' && cluster.isPrimary ? 8 : 1;

/** Hands the connections of a port to a server. */
export interface Listening {
  /** Takes no more connections, and resolves when all that were taken are closed. */
  close(): Promise<void>;
}

type Place = Pick<ListenOptions, 'port' | 'host'>;

/**
 * Has a server take connections at a port, one that is free where it is 0. Rejects as Node does,
 * also where another program has the port.
 */
export async function listenAt(server: Server, place: Place): Promise<Listening> {
  // Sockets that share a port would share it with another shop's, too.
  if (SOCKETS > 1 && place.port !== 0) await closeAll([await listen(createServer(), place)]);
  // A system may not let them share one at all.
  const isShared =
    SOCKETS > 1 &&
    (await listen(server, { ...place, reusePort: true }).catch(() => false)) !== false;
  if (!isShared) await listen(server, place);
  const servers = [server];
  const { port } = server.address() as AddressInfo;
  while (isShared && servers.length < SOCKETS)
    servers.push(await listen(buildFeeder(server), { ...place, port, reusePort: true }));
  return { close: () => closeAll(servers) };
}

/** Takes connections for another server, as an HTTP server takes its own. */
function buildFeeder(server: Server): Server {
  return createServer(
    { allowHalfOpen: true, noDelay: true },
    (socket: Socket) => void server.emit('connection', socket),
  );
}

async function listen(server: Server, place: ListenOptions): Promise<Server> {
  server.listen(place);
  await once(server, 'listening');
  return server;
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  const closed = servers.map((server) => once(server, 'close'));
  for (const server of servers) server.close();
  await Promise.all(closed);
}
