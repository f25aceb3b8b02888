import { type Database, type OpenOptions, openShopDatabase } from '../database/open.ts';
import type { Config } from './settings.ts';

const WHOSE_SETTINGS =
  'Settings are read from the environment, then from .env beside package.json: give those of the running shop.';

/**
 * Opens the database of the shop that these settings are of. It must have been started there:
 * nothing is made, and no schema changed.
 */
export function openShop({ databaseUrl }: Config, options: OpenOptions): Promise<Database> {
  return openShopDatabase(databaseUrl, WHOSE_SETTINGS, options);
}
