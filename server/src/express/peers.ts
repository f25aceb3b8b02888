import { createRequire } from 'node:module';

import { loadPeers } from '../peer.ts';

// An import of a missing package would fail before any line of ours could name the command that
// installs it, and an await here would lock out CommonJS. Bundlers and tracers read literals only.
const require = createRequire(import.meta.url);

const loaded = loadPeers({
  express: () => require('express') as typeof import('express'),
  'express-rate-limit': () => require('express-rate-limit') as typeof import('express-rate-limit'),
});

export const { Router } = loaded.express;
export const { MemoryStore, rateLimit } = loaded['express-rate-limit'];
