import { globalAgent } from 'node:https';
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';

/**
 * Builds the connections to an origin. If Node was started with `NODE_USE_ENV_PROXY=1`, they use
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, like Node's own.
 */
export function buildConnections(origin: string, options: Pool.Options = {}): Dispatcher {
  const { proxyEnv } = globalAgent.options;
  if (!proxyEnv) return new Pool(origin, options);
  return new EnvHttpProxyAgent({
    ...options,
    httpProxy: proxyEnv.http_proxy ?? proxyEnv.HTTP_PROXY ?? '',
    httpsProxy: proxyEnv.https_proxy ?? proxyEnv.HTTPS_PROXY ?? '',
    noProxy: proxyEnv.no_proxy ?? proxyEnv.NO_PROXY ?? '',
  });
}
