import '../require-node.ts';

export { errorResponse } from './error-response.ts';
export { buildFetchHandler, type FetchHandler, type FetchOptions } from './handler.ts';
export type { FetchHost } from './host-body.ts';
export { toNodeListener } from './node-listener.ts';
export { readJson } from './read-json.ts';
