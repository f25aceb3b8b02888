import type { Config } from '../config.ts';
import { type Database, openShopDatabase } from '../database.ts';

const WHOSE_SETTINGS = 'Settings are read from the environment, then from .env beside package.json: give those of the running shop.';

/** Opens the database of the shop that these settings are of. It must have been started there: nothing is made, and no schema changed. */
export function openShop({ databaseUrl }: Config): Promise<Database> {
  return openShopDatabase(databaseUrl, WHOSE_SETTINGS);
}
