import { createRequire } from 'node:module';

import { explainMissing } from '../peer.ts';

// An import of a missing package would fail before any line of ours could name the command that
// installs it, and an await here would lock out CommonJS. Bundlers and tracers read literals only.
const require = createRequire(import.meta.url);

export const { Router } = load('express', () => require('express') as typeof import('express'));

export const { MemoryStore, rateLimit } = load(
  'express-rate-limit',
  () => require('express-rate-limit') as typeof import('express-rate-limit'),
);

function load<Package>(name: 'express' | 'express-rate-limit', run: () => Package): Package {
  try {
    return run();
  } catch (error) {
    throw explainMissing(name, error);
  }
}
