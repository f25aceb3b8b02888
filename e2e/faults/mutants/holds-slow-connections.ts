import * as sound from '@service-pay/server/internal/express/http-server';

export const insteadOf = '@service-pay/server/internal/express/http-server';
export * from '@service-pay/server/internal/express/http-server';

/** Gives a request all the time in the world to arrive. */
export const buildHttpServer: typeof sound.buildHttpServer = (deps) => {
  const http = sound.buildHttpServer(deps);
  http.server.headersTimeout = 0;
  http.server.requestTimeout = 0;
  return http;
};
