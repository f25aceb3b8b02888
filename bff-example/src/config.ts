import { fileURLToPath } from 'node:url';
import * as settings from '@service-pay/server/settings';

export { type Config, ConfigError, isLoopback, parseConfig } from '@service-pay/server/settings';

export function loadConfig(): settings.Config {
  return settings.loadConfig(fileURLToPath(new URL('../', import.meta.url)));
}
