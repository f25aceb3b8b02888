import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The memory that bodies and waiting requests may take, over all connections (T120). */
const MOST_HELD_BYTES = 8 * 1024 * 1024;

/**
 * Memory taken besides the bytes that arrived, by a request with a body, by each piece of it, and
 * by a request that waits.
 */
const BYTES_OF_A_REQUEST = 8 * 1024;
const BYTES_OF_A_PIECE = 2 * 1024;
const BYTES_OF_A_WAITING_REQUEST = 1024;

interface Connection {
  readonly socket: Socket;
  /** The answer under way. */
  current: ServerResponse | undefined;
  latest: ServerResponse;
  readonly waiting: { req: IncomingMessage; res: ServerResponse; bytes: number }[];
  heldBytes: number;
  isCut: boolean;
}

/**
 * Takes requests as Node emits them, and passes them on so that no stranger fills the memory or
 * keeps the others waiting.
 */
export interface Intake {
  take: RequestListener;
  /**
   * Returns true if the next bytes on a connection would be read as the answer to an earlier
   * request.
   */
  isAnswerOwed(socket: Socket): boolean;
}

/**
 * Passes on one request of a connection at a time: pipelined ones wait until the answer before them
 * is finished, and are dropped with their connection (T119). Beyond `mostHeldBytes` it cuts the
 * connection whose body has been arriving for longest, since an honest one takes milliseconds
 * (T120). `serve` answers a request, `cut` closes a connection.
 */
export function buildIntake({
  serve,
  cut,
  mostHeldBytes = MOST_HELD_BYTES,
}: {
  serve: RequestListener;
  cut: (socket: Socket) => void;
  mostHeldBytes?: number | undefined;
}): Intake {
  const connections = new WeakMap<Socket, Connection>();
  const holding = new Set<Connection>();
  /** In the order in which they came. */
  const halfSent = new Set<IncomingMessage>();
  let heldBytes = 0;

  return {
    take(req, res) {
      const connection = connections.get(req.socket) ?? connect(req.socket, res);
      connection.latest = res;
      if (hasBody(req)) watchBody(connection, req, res);
      if (connection.isCut) return;
      if (connection.current) wait(connection, req, res);
      else begin(connection, req, res);
    },
    isAnswerOwed(socket) {
      const { current, latest } = connections.get(socket) ?? {};
      if (!current || !latest || latest.writableFinished) return false;
      return current !== latest || latest.headersSent || latest.req.complete;
    },
  };

  function connect(socket: Socket, latest: ServerResponse): Connection {
    const connection: Connection = {
      socket,
      current: undefined,
      latest,
      waiting: [],
      heldBytes: 0,
      isCut: false,
    };
    connections.set(socket, connection);
    socket.once('close', () => {
      for (const { bytes } of connection.waiting.splice(0)) hold(connection, -bytes);
    });
    return connection;
  }

  function wait(connection: Connection, req: IncomingMessage, res: ServerResponse): void {
    const bytes =
      BYTES_OF_A_WAITING_REQUEST +
      req.rawHeaders.reduce((sum, { length }) => sum + length, req.url?.length ?? 0);
    connection.waiting.push({ req, res, bytes });
    hold(connection, bytes);
  }

  function begin(connection: Connection, req: IncomingMessage, res: ServerResponse): void {
    connection.current = res;
    // The other connections get their turn first.
    res.once('close', () => setImmediate(() => goOn(connection)));
    serve(req, res);
  }

  function goOn(connection: Connection): void {
    connection.current = undefined;
    const next = connection.socket.writable ? connection.waiting.shift() : undefined;
    if (!next) return;
    hold(connection, -next.bytes);
    begin(connection, next.req, next.res);
  }

  /**
   * Counts a request until its body has all come and was read, and the body until the request is
   * answered: what comes then is dropped.
   */
  function watchBody(connection: Connection, req: IncomingMessage, res: ServerResponse): void {
    let bytes = 0;
    let isAnswered = false;
    const releaseBody = () => {
      hold(connection, -bytes);
      bytes = 0;
    };
    req.once('close', () => {
      halfSent.delete(req);
      hold(connection, -BYTES_OF_A_REQUEST);
      releaseBody();
    });
    res.once('close', () => {
      isAnswered = true;
      releaseBody();
    });

    // Listening to its data would start to read it.
    const push = req.push.bind(req);
    req.push = (piece: Buffer | null, encoding) => {
      if (piece && !isAnswered) {
        bytes += piece.length + BYTES_OF_A_PIECE;
        hold(connection, piece.length + BYTES_OF_A_PIECE);
      }
      // of one that was cut not even the end: it would pass for whole
      return !connection.isCut && push(piece, encoding);
    };

    halfSent.add(req);
    hold(connection, BYTES_OF_A_REQUEST);
  }

  function hold(connection: Connection, bytes: number): void {
    if (connection.isCut) return;
    connection.heldBytes += bytes;
    heldBytes += bytes;
    if (connection.heldBytes > 0) holding.add(connection);
    else holding.delete(connection);
    if (heldBytes > mostHeldBytes) makeRoom();
  }

  function makeRoom(): void {
    const connection = findOldestHalfSent() ?? findLargest();
    heldBytes -= connection.heldBytes;
    holding.delete(connection);
    connection.isCut = true;
    cut(connection.socket);
  }

  function findOldestHalfSent(): Connection | undefined {
    for (const req of halfSent) {
      halfSent.delete(req);
      const connection = connections.get(req.socket)!;
      if (!req.complete && !connection.isCut) return connection;
    }
    return undefined;
  }

  function findLargest(): Connection {
    return [...holding].reduce((largest, one) =>
      one.heldBytes > largest.heldBytes ? one : largest,
    );
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
