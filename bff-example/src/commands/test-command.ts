import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { Config } from '../config.ts';

/** How a program ended, and what it wrote. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs one of the shop's commands as `npm run …` does, in a process of its own, with the settings of a shop. */
export async function runShopCommand(
  command: 'doctor' | 'move-database' | 'orders' | 'replay' | 'sandbox',
  config: Config,
  words: string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  const program = fileURLToPath(new URL(`${command}-command.ts`, import.meta.url));
  const env = {
    DATABASE_URL: config.databaseUrl,
    PUBLIC_URL: config.publicUrl ?? '',
    SERVICE_PAY_API_URL: config.apiUrl,
    SERVICE_PAY_SCRIPT_URL: config.scriptUrl,
    SERVICE_PAY_PUBLIC_KEY: config.publicKey,
    SERVICE_PAY_API_TOKEN: config.apiToken,
    SERVICE_PAY_API_TOKEN_PREVIOUS: config.previousApiToken ?? '',
    SESSION_SECRET: config.sessionSecret,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    ...environment,
  };
  return promisify(execFile)(process.execPath, [program, ...words], { env }).then(
    (output) => ({ code: 0, ...output }),
    ({ code, stdout, stderr }: Ended) => ({ code, stdout, stderr }),
  );
}
