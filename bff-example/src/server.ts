import type { AddressInfo } from 'node:net';
import { type Clock, createPayments, type Fulfil, keepAlive, realClock } from '@service-pay/server';
import { buildHttpServer, type HttpServer } from '@service-pay/server/express';
import { buildLog, type Log } from '@service-pay/server/log';

import { type AppDeps, buildApp } from './app.ts';
import { readCatalogue as readGoods } from './catalogue.ts';
import type { Config } from './config.ts';
import { fulfil as shopsFulfil } from './fulfil.ts';
import type { Cart } from './orders.ts';

const CLOSE_WITHIN_MS = 8_000;

/** Parts that a test, or a customised shop, may replace. */
export interface ShopParts {
  clock?: Clock;
  log?: Log;
  fulfil?: Fulfil<Cart>;
  readCatalogue?: AppDeps['readCatalogue'];
}

export class ListenError extends Error {
  override readonly name = 'ListenError';
}

export interface Shop {
  readonly url: string;
  /** Responds with 503 at `/readyz` from now on, and keeps serving. */
  drain(): void;
  /** Ends streams, finishes running requests, and resolves when everything has stopped. */
  close(): Promise<void>;
}

/**
 * Opens the database, listens, and starts reconciling and fulfilling. Rejects if the port or the
 * database is not available.
 */
export async function startShop(
  config: Config,
  {
    log = buildLog(config),
    fulfil = shopsFulfil,
    readCatalogue = readGoods,
    clock = realClock,
  }: ShopParts = {},
): Promise<Shop> {
  const payments = await createPayments<Cart>({
    ...config,
    clock,
    database: config.databaseUrl,
    fulfil,
    log,
  });
  const http = buildHttpServer({ log });
  try {
    await listen(http, config);
  } catch (error) {
    await payments.close();
    throw error;
  }
  const publicUrl =
    config.publicUrl ?? `http://localhost:${(http.server.address() as AddressInfo).port}`;
  const isStopping = () => http.isStopping;
  const app = buildApp({ config, publicUrl, payments, readCatalogue, isStopping });
  http.serve(app); // first, because early connections would get no response

  return { url: publicUrl, drain: () => http.drain(), close: () => keepAlive(close) };

  async function close(): Promise<void> {
    await Promise.all([payments.drain(), http.close(CLOSE_WITHIN_MS)]);
    await payments.close();
  }
}

async function listen(http: HttpServer, { port, host }: Config): Promise<void> {
  await http
    .listen({ port, ...(host !== undefined && { host }) })
    .catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'EADDRNOTAVAIL') {
        const message = `This machine has no address ${host}: set HOST to one it has, or to 0.0.0.0 for every interface.`;
        throw new ListenError(message, { cause });
      }
      const why =
        cause.code === 'EADDRINUSE'
          ? `is taken: end the program that uses it, or`
          : `cannot be listened on (${cause.code}):`;
      throw new ListenError(`Port ${port} ${why} set PORT to another port (0 takes a free one).`, {
        cause,
      });
    });
}
