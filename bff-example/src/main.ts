import { DatabaseError } from '@service-pay/server/database/open';
import { buildLog, openStandardOutput } from '@service-pay/server/observe/log';
import { pause, realClock } from '@service-pay/server/support/clock';
import { ConfigError, loadConfig } from './config.ts';
import { ListenError, startShop } from './server.ts';

/**
 * How long a balancer gets to read at `/readyz` that the shop is about to end, while it still
 * serves.
 */
const DRAIN_MS = 1_000;
/** Whatever hangs, the process has ended by then: who starts it again waits no longer. */
const STOP_WITHIN_MS = 9_800;
/** What is left of it for the line that says so. */
const LAST_LINE_WITHIN_MS = 100;

const output = openStandardOutput();
try {
  const config = loadConfig();
  const log = buildLog(config, output);
  // What nobody foresaw may have left anything half done. Everything here survives an end, so it
  // ends, and is started again.
  let isEnding = false;
  process.on('uncaughtException', (err, origin) => {
    if (isEnding) return;
    isEnding = true;
    log.fatal({ err, origin }, 'shop ends: this should not have happened');
    output.end(1);
  });
  const shop = await startShop(config, { log });
  log.info({ url: shop.url }, 'shop answers');

  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (isStopping) return log.info({ signal }, 'shop is stopping already');
      isStopping = true;
      log.info({ signal }, 'shop stops');
      realClock.after(STOP_WITHIN_MS - LAST_LINE_WITHIN_MS, () => {
        log.error('shop did not stop in time');
        output.end(1, LAST_LINE_WITHIN_MS);
      });
      shop.drain();
      pause(realClock, signal === 'SIGTERM' ? DRAIN_MS : 0)
        .then(() => shop.close())
        .then(
          () => output.end(0, STOP_WITHIN_MS), // a reader that is slow has what is left of it
          (err: unknown) => {
            log.error({ err }, 'shop did not stop cleanly');
            output.end(1);
          },
        );
    });
  }
} catch (error) {
  const saysWhatToDo =
    error instanceof ConfigError || error instanceof DatabaseError || error instanceof ListenError;
  console.error(saysWhatToDo ? error.message : error);
  output.end(1);
}
