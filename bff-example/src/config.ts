import { fileURLToPath } from 'node:url';
import * as settings from '@service-pay/server/settings';

export { type Config, ConfigError, isLoopback, parseConfig } from '@service-pay/server/settings';

// YOURS: settings of your own. The environment wins over `.env`. For example:
//
// process.loadEnvFile(fileURLToPath(new URL('../.env', import.meta.url)));
// export const erpUrl = process.env.ERP_URL ?? 'http://localhost:8080';

export function loadConfig(): settings.Config {
  return settings.loadConfig(fileURLToPath(new URL('../', import.meta.url)));
}
