import express from 'express';
import { vi } from 'vitest';

export interface TestRoute {
  readonly method: string;
  readonly path: string;
}

interface Stack {
  stack?: { route?: { path: string; methods: Record<string, boolean> }; handle: Stack }[];
}

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
