import '../require-node.ts';

export type { Failpoint, FailpointName } from '../support/failpoint.ts';
export { type TestHooks, testHooks } from '../support/test-hooks.ts';
export {
  DATABASES,
  FOLDER_OF_DATABASES,
  makeDatabaseUrl,
  makePostgresDatabase,
  POSTGRES_IS_MISSING,
  readRows,
  type TestDatabase,
} from './databases.ts';
export { ManualClock } from './manual-clock.ts';
export {
  collectionResponse,
  signatureOf,
  signedWebhook,
  startUpstream,
  TOKEN,
} from './upstream.ts';
