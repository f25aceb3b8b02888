import type { Config } from '@service-pay/server/cli/settings';
import { pino } from 'pino';
import { buildApp } from './app.ts';

/** A layer of Express's router, as far as its routes can be told from it. */
interface Layer {
  name: string;
  route?: { path: string; stack: { method: string }[] };
  handle: { stack?: Layer[] };
  match(path: string): boolean;
}

/** Every route of the shop as `METHOD path`, in order of the alphabet. */
export function listRoutes(config: Config): string[] {
  const unused = {} as never;
  const { app } = buildApp({
    store: unused,
    service: unused,
    confirm: unused,
    confirms: unused,
    answers: unused,
    feed: unused,
    metrics: unused,
    clock: unused,
    catalogue: unused,
    config,
    publicUrl: 'http://localhost:3000',
    log: pino({ level: 'silent' }),
  });
  return readStack(app.router.stack as unknown as Layer[]).sort();
}

function readStack(stack: readonly Layer[]): string[] {
  return stack.flatMap((layer) => {
    const { route, name, handle } = layer;
    if (route)
      return [...new Set(route.stack.map(({ method }) => `${method.toUpperCase()} ${route.path}`))];
    if (name === 'serveStatic')
      return layer.match('/assets/any') && !layer.match('/any')
        ? 'FILES /assets/'
        : 'FILES anywhere';
    return handle.stack ? readStack(handle.stack) : [];
  });
}
