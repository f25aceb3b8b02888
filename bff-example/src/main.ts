import { PaymentsError, pause, realClock } from '@service-pay/server';
import { buildLog, openStandardOutput } from '@service-pay/server/log';
import { ConfigError, loadConfig } from './config.ts';
import { ListenError, startShop } from './server.ts';

/**
 * How long `/readyz` responds with 503 before the shop closes, so that a load balancer stops
 * sending requests.
 */
const DRAIN_MS = 1_000;
/** The process exits after this time, even if something hangs. */
const STOP_WITHIN_MS = 9_800;
const LAST_LINE_WITHIN_MS = 100;

const output = openStandardOutput();
try {
  const config = loadConfig();
  const log = buildLog(config, output);
  let isCrashing = false;
  process.on('uncaughtException', (err, origin) => {
    if (isCrashing) return;
    isCrashing = true;
    log.fatal({ err, origin }, 'uncaught exception, exiting');
    output.end(1);
  });
  const shop = await startShop(config, { log });
  log.info({ url: shop.url }, 'listening');

  // Ctrl-C on `npm start` may arrive twice: from the terminal, and from npm, which passes it on.
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, async () => {
      if (isStopping) return log.info({ signal }, 'already shutting down');
      isStopping = true;
      log.info({ signal }, 'shutting down');
      realClock.after(STOP_WITHIN_MS - LAST_LINE_WITHIN_MS, () => {
        log.warn('shutdown timed out');
        output.end(1, LAST_LINE_WITHIN_MS);
      });
      shop.drain();
      if (signal === 'SIGTERM') await pause(realClock, DRAIN_MS);
      await shop.close();
      output.end(0);
    });
  }
} catch (error) {
  const isExpected = [ConfigError, PaymentsError, ListenError].some(
    (kind) => error instanceof kind,
  );
  console.error(isExpected ? (error as Error).message : error);
  output.end(1);
}
