import { ConfigError, loadConfig } from './config.ts';
import { buildLog } from './log.ts';
import { startShop } from './server.ts';

try {
  const config = loadConfig();
  const log = buildLog(config);
  const shop = await startShop(config, { log });
  log.info({ url: shop.url }, 'shop answers');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      log.info({ signal }, 'shop stops');
      shop.close().then(
        () => process.exit(0),
        (err: unknown) => {
          log.error({ err }, 'shop did not stop cleanly');
          process.exit(1);
        },
      );
    });
  }
} catch (error) {
  console.error(error instanceof ConfigError || hasPlainWords(error) ? (error as Error).message : error);
  process.exit(1);
}

/** Errors whose message already says what to do: the stack would only hide it. */
function hasPlainWords(error: unknown): boolean {
  return error instanceof Error && (error.name === 'DatabaseError' || 'syscall' in error);
}
