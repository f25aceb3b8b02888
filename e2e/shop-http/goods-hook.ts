// For `node --import`: a shop that tests run as a process of its own sells and fulfils what the
// tests do.
import { registerHooks } from 'node:module';

const YOURS = ['./catalogue.ts', './fulfil.ts'];
const GOODS = new URL('goods.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    next(YOURS.includes(specifier) ? GOODS : specifier, context),
});
