import '../require-node.ts';

export { parseReference } from '../payments/reference.ts';
export {
  errorHandler,
  /** @deprecated Its name until the next version. */
  errorHandler as answerError,
  notFoundHandler,
  /** @deprecated Its name until the next version. */
  notFoundHandler as answerNotFound,
} from './errors.ts';
export { buildHttpServer, type HttpServer } from './http-server.ts';
export { limitBrowsers, limitOrders } from './rate-limits.ts';
export { readJson } from './request-body.ts';
export { buildOwnPagesOnly, parseBody } from './request-guards.ts';
export { buildRequestLines, logRequests } from './request-lines.ts';
export { paymentRoutes, webhookRoute } from './router.ts';
