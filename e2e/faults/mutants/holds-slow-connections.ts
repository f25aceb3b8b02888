import * as sound from '@service-pay/server/internal/express/http-server';

export const insteadOf = '@service-pay/server/internal/express/http-server';
export * from '@service-pay/server/internal/express/http-server';

/** Gives a request all the time in the world to arrive. */
export function buildHttpServer(
  ...given: Parameters<typeof sound.buildHttpServer>
): sound.HttpServer {
  const http = sound.buildHttpServer(...given);
  http.server.headersTimeout = 0;
  http.server.requestTimeout = 0;
  return http;
}
