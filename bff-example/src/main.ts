import { ConfigError, loadConfig } from './config.ts';
import { DatabaseError } from './database.ts';
import { buildLog } from './log.ts';
import { ListenError, startShop } from './server.ts';

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
  const saysWhatToDo = error instanceof ConfigError || error instanceof DatabaseError || error instanceof ListenError;
  console.error(saysWhatToDo ? error.message : error);
  process.exit(1);
}
