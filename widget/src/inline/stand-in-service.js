import { createServer } from 'node:http';

/** Answers of the stand-in, by path; everything else is 404. */
const ANSWERS = {
  '/checkout/v1/': ['text/html', '<!doctype html><title>Stand-in</title><script type="module" src="/stand-in-frame.js"></script>'],
  '/js/v1/integrity.json': ['application/json', '{}'],
};

/**
 * A plugin of the test server: a payment service on an origin of its own that does only what the test tells its frame to.
 * Tests import its address from `/stand-in-origin.js`.
 */
export function standInService() {
  let server;
  return {
    name: 'stand-in-service',
    async serverStart() {
      server = createServer((request, response) => {
        const [type, body] = ANSWERS[new URL(request.url, 'http://localhost').pathname] ?? [];
        response.writeHead(body ? 200 : 404, { 'content-type': type ?? 'text/plain', 'access-control-allow-origin': '*' });
        response.end(body);
      });
      await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
    },
    serverStop() {
      server.closeAllConnections();
      server.close();
    },
    serve({ path }) {
      if (path === '/stand-in-origin.js') return `export const standInOrigin = 'http://127.0.0.1:${server.address().port}';`;
    },
  };
}
