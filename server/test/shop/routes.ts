import { buildApp } from '@service-pay/bff-example/app';
import type { Config } from '@service-pay/bff-example/config';
import type { Cart } from '@service-pay/bff-example/orders';
import type { Payments } from '../../src/create-payments.ts';
import { Metrics } from '../../src/observe/metrics.ts';
import { realClock } from '../../src/support/clock.ts';
import { buildTestLog } from '../parts.ts';

interface Layer {
  name: string;
  route?: { path: string; stack: { method: string }[] };
  handle: { stack?: Layer[] };
  match(path: string): boolean;
}

export function listRoutes(config: Config): string[] {
  const payments = { counters: new Metrics(), clock: realClock } as unknown as Payments<Cart>;
  const app = buildApp({
    payments,
    readCatalogue: async () => [],
    config,
    publicUrl: 'http://localhost:3000',
    log: buildTestLog(),
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
