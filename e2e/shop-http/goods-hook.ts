// For `node --import`: a shop that tests run as a process of its own sells and fulfils what the
// tests do, and waits for a database on a busy machine.
import { registerHooks } from 'node:module';

const GOODS = new URL('goods.ts', import.meta.url).href;
const INSTEAD: Record<string, string> = {
  './catalogue.ts': GOODS,
  './fulfil.ts': GOODS,
  './server.ts': new URL('patient-server.ts', import.meta.url).href,
};

registerHooks({
  resolve: (specifier, context, next) => next(INSTEAD[specifier] ?? specifier, context),
});
