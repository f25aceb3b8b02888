import type { Database } from '../database/database.ts';
import { compareEnvironment, nameService } from '../database/environment.ts';
import { writeAddCommand } from '../database/environment-advice.ts';
import type { Config } from './settings.ts';

export const COMPARED_SETTINGS = [
  'SERVICE_PAY_API_URL',
  'SANDBOX_PORT',
  'SERVICE_PAY_PUBLIC_KEY',
] as const;

interface Comparison {
  isOwn: boolean;
  /** Whether it belongs to another environment. Otherwise it may belong to none yet. */
  isOther: boolean;
  found: string;
  todo: string;
}

/**
 * Compares the service and, if it is set, the public key of the settings with those that the database
 * belongs to.
 */
export async function compareSettings(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  { apiUrl, publicKey }: Pick<Config, 'apiUrl' | 'publicKey'>,
): Promise<Comparison> {
  const own = { service: nameService(apiUrl), publicKey };
  const { isOwn, problem } = await compareEnvironment(db, kind, own);
  const add = writeAddCommand(own);
  if (problem)
    return {
      isOwn,
      isOther: true,
      found: problem,
      todo: `Use SERVICE_PAY_API_URL and SERVICE_PAY_PUBLIC_KEY of its shop. If the service moved or the key changed, run: ${add}`,
    };
  return {
    isOwn,
    isOther: false,
    found: isOwn
      ? `it belongs to ${own.service}`
      : 'it does not belong to a service and a public key yet',
    todo: `Start the shop on it once, or run: ${add}`,
  };
}
