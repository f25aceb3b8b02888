import { buildApp } from '@service-pay/bff-example/app';
import type { Config } from '@service-pay/bff-example/config';
import type { Cart } from '@service-pay/bff-example/orders';
import { type Payments, realClock } from '@service-pay/server';

interface Layer {
  name: string;
  route?: { path: string; stack: { method: string }[] };
  handle: { stack?: Layer[] };
  match(path: string): boolean;
}

export function listRoutes(config: Config): string[] {
  const payments = { clock: realClock } as unknown as Payments<Cart>;
  const app = buildApp({
    payments,
    readCatalogue: async () => [],
    config,
    publicUrl: 'http://localhost:3000',
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
