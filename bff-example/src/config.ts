import { fileURLToPath } from 'node:url';
import * as settings from '@service-pay/server/settings';

export { type Config, ConfigError, isLoopback, parseConfig } from '@service-pay/server/settings';

// YOURS: settings of your own. The environment wins over `.env`. For example:
//
// const envFile = fileURLToPath(new URL('../.env', import.meta.url));
// if (existsSync(envFile)) process.loadEnvFile(envFile); // with existsSync of node:fs
// export const erpUrl = process.env.ERP_URL ?? 'http://localhost:8080';

export function loadConfig(): settings.Config {
  return settings.loadConfig(fileURLToPath(new URL('../', import.meta.url)));
}
