import type { Config } from '../config.ts';
import { type Database, DatabaseError, openShopDatabase } from '../database.ts';

/** Opens the database of the shop that these settings are of. It must have been started there: nothing is made, and no schema changed. */
export async function openShop({ databaseUrl }: Config): Promise<Database> {
  try {
    return await openShopDatabase(databaseUrl);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const hint = 'Settings are read from the environment, then from .env beside package.json: give those of the running shop.';
    throw new DatabaseError(`${error.message} ${hint}`, { cause: error });
  }
}
