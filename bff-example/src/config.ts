import { fileURLToPath } from 'node:url';
import { type Config, loadConfig as loadFrom } from '@service-pay/server/cli/settings';

export {
  type Config,
  ConfigError,
  isLoopback,
  parseConfig,
} from '@service-pay/server/cli/settings';

/** Settings of this process, and of `.env` beside `package.json`. Throws `ConfigError`. */
export function loadConfig(): Config {
  return loadFrom(fileURLToPath(new URL('../', import.meta.url)));
}
