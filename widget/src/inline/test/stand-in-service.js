import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const FRAME_SCRIPT = `
const { searchParams } = new URL(location.href);
const page = searchParams.get('origin');
const key = searchParams.get('key');
let port;
let isMute = false;
const acts = {
  greet: ({ versions = [1] }) => parent.postMessage({ type: 'service-pay:ready', versions }, page),
  say: ({ messages }) => messages.forEach((message) => port.postMessage(message)),
  mute: () => { isMute = true; },
  reload: () => location.reload(),
};
addEventListener('message', ({ data, origin, source, ports }) => {
  if (source !== parent || origin !== page) return;
  if (data.standIn) return acts[data.standIn](data);
  port = ports[0];
  report(data);
  port.onmessage = ({ data }) => {
    report(data);
    if (data.type === 'ping' && !isMute) port.postMessage({ type: 'pong' });
  };
});
const report = (received) => parent.postMessage({ received }, page);
if (key === 'pub_old') acts.greet({ versions: [0] });
else if (key !== 'pub_silent') acts.greet({});
`;

const FILES = {
  '/checkout/v1/': [
    'text/html',
    `<!doctype html><title>Stand-in</title><button>In the frame</button><script type="module" src="/frame.js"></script>`,
  ],
  '/frame.js': ['text/javascript', FRAME_SCRIPT],
  '/js/v1/integrity.json': ['application/json', '{}'],
  '/js/v1/words/fr.json': [
    'application/json',
    '{"lang":"fr","dialog":"Paiement","close":"Fermer","pay":"Payer","retry":["Réessayer"],"stopped":"Arrêté.","unknown":"?","__proto__":{"offline":"?"}}',
  ],
  '/js/v1/words/sw.json': ['application/json', '<!doctype html>'],
};

async function buildScript() {
  const configFile = fileURLToPath(new URL('../../../../vite.config.ts', import.meta.url));
  const [{ output }] = await build({ configFile, mode: 'inline', build: { write: false } });
  return output[0].code;
}

/**
 * A plugin of the test server: a payment service on its own origin with the real script and a frame
 * that does only what the test says. Tests import its origin from `/stand-in-origin.js`.
 */
export function standInService() {
  let server;
  return {
    name: 'stand-in-service',
    async serverStart() {
      const script = ['text/javascript', await buildScript()];
      const files = { ...FILES, '/js/v1/inline.js': script, '/elsewhere/bundle.js': script };
      server = createServer((request, response) => {
        const [type, body] = files[new URL(request.url, 'http://localhost').pathname] ?? [];
        response.writeHead(body ? 200 : 404, {
          'content-type': type ?? 'text/plain',
          'access-control-allow-origin': request.headers.origin ?? '*',
          'access-control-allow-credentials': 'true',
        });
        response.end(body ?? '{}');
      });
      await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
    },
    serverStop() {
      server.closeAllConnections();
      server.close();
    },
    serve({ path }) {
      if (path === '/stand-in-origin.js')
        return `export const serviceOrigin = 'http://127.0.0.1:${server.address().port}';`;
      return undefined;
    },
  };
}
