import express from 'express';
import { vi } from 'vitest';

/** One route of a running sandbox: a method and a path with `:names`, as Express has it. */
export interface TestRoute {
  readonly method: string;
  readonly path: string;
}

/** What Express keeps of a router, which it has no words for. */
interface Stack {
  stack?: { route?: { path: string; methods: Record<string, boolean> }; handle: Stack }[];
}

/**
 * Notes each router that an app uses, and where, while `start` runs: a router does not remember
 * where it was put. Gives what `start` gave and every route, in the order in which they are tried.
 */
export async function withRoutes<T>(
  start: () => Promise<T>,
): Promise<{ started: T; routes: TestRoute[] }> {
  const use = vi.spyOn(express.application, 'use');
  try {
    const started = await start();
    const routes = use.mock.calls.flatMap(([first, ...others]) => {
      const isMounted = typeof first === 'string' || Array.isArray(first);
      const bases = isMounted ? ([first].flat() as string[]) : [''];
      const handlers = (isMounted ? others : [first, ...others]) as unknown as Stack[];
      return bases.flatMap((base) => handlers.flatMap((handler) => routesOf(handler, base)));
    });
    return { started, routes };
  } finally {
    use.mockRestore();
  }
}

function routesOf(handler: Stack, base: string): TestRoute[] {
  return (handler.stack ?? []).flatMap(({ route, handle }) =>
    route
      ? Object.keys(route.methods).map((method) => ({
          method: method.toUpperCase(),
          path: base + route.path,
        }))
      : routesOf(handle, base),
  );
}
