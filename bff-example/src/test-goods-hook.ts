// For `node --import`: a shop that tests run as a process of its own sells and hands over what the
// tests do.
import { registerHooks } from 'node:module';

const YOURS = ['./catalogue.ts', './fulfil.ts'];

registerHooks({
  resolve: (specifier, context, next) =>
    next(YOURS.includes(specifier) ? './test-goods.ts' : specifier, context),
});
