import { existsSync } from 'node:fs';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import {
  type Database,
  DatabaseError,
  isDatabaseFailure,
  type OpenOptions,
  openShopDatabase,
} from '../database/open.ts';
import { type Clock, keepAlive, realClock } from '../support/clock.ts';
import type { StoredDelivery } from './operator-store.ts';
import { type Config, ConfigError, loadConfig, type SettingName } from './settings.ts';

const WHOSE_SETTINGS =
  'Settings come from the environment and from .env in this folder. Use those of the running shop, or --database.';

/** Settings of the demo shop, written by `npm start` in the root of this project. */
const DEMO_SETTINGS = '.data/demo.env';

const COMMON_OPTIONS = {
  help: { type: 'boolean' },
  'env-file': { type: 'string' },
  database: { type: 'string' },
} as const;
const SETTINGS_OF = {
  databaseUrl: ['DATABASE_URL'],
  apiUrl: ['SERVICE_PAY_API_URL', 'SANDBOX_PORT'],
  scriptUrl: ['SERVICE_PAY_SCRIPT_URL', 'SANDBOX_PORT'],
  publicUrl: ['PUBLIC_URL', 'PORT'],
  apiToken: ['SERVICE_PAY_API_TOKEN'],
  previousApiToken: ['SERVICE_PAY_API_TOKEN_PREVIOUS'],
} satisfies { [Name in keyof Config]?: SettingName[] };
const COMMON_USAGE = `
Options of every command:
  --env-file <file>     read settings from this file instead of .env in this folder
  --database <address>  use this database instead of the one in DATABASE_URL
  --help                show this text`;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface Terminal {
  readonly words: readonly string[];
  readonly environment: Record<string, string | undefined>;
  readonly clock: Clock;
  readonly databaseOptions: OpenOptions;
  print(line: string): void;
  writeError(text: string): void;
}

export interface Call extends Terminal {
  readonly positionals: readonly string[];
  readonly values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  /** Reads what the command uses, and no other setting: a shop without the template has few. */
  loadConfig<Name extends keyof typeof SETTINGS_OF>(...names: Name[]): Pick<Config, Name>;
  /** Opens the database the shop was started on. Makes no table and changes no schema. */
  openShop(): Promise<Database>;
}

export interface Command {
  readonly usage: string;
  readonly options?: ParseArgsOptionsConfig;
  run(call: Call): Promise<number>;
}

/** Runs a command on the terminal of this process, which ends with the command's exit code. */
export async function runCommand(command: Command, words: readonly string[]): Promise<void> {
  process.exitCode = await keepAlive(() =>
    runOnTerminal(command, {
      words,
      environment: process.env,
      clock: realClock,
      databaseOptions: {},
      print: (line) => console.log(line),
      writeError: (text) => void process.stderr.write(text),
    }),
  );
}

/** Returns the exit code: 1 after an error, which becomes a sentence on the error output. */
export async function runOnTerminal(command: Command, terminal: Terminal): Promise<number> {
  try {
    const { positionals, values } = parseArgs({
      args: [...terminal.words],
      allowPositionals: true,
      options: { ...command.options, ...COMMON_OPTIONS },
    });
    if (values.help) {
      terminal.print(`${command.usage}\n${COMMON_USAGE}`);
      return 0;
    }
    const database = values.database ? { DATABASE_URL: values.database } : {};
    const environment = { ...terminal.environment, ...database };
    const isDemo = !existsSync('.env') && existsSync(DEMO_SETTINGS);
    const envFile = values['env-file'] ?? (isDemo ? DEMO_SETTINGS : undefined);
    const loadSome: Call['loadConfig'] = (...names) => {
      const only = names.flatMap((name): SettingName[] => SETTINGS_OF[name]);
      return loadConfig(process.cwd(), { environment, envFile, only });
    };
    const openShop = () => {
      const { databaseUrl } = loadSome('databaseUrl');
      return openShopDatabase(databaseUrl, WHOSE_SETTINGS, terminal.databaseOptions);
    };
    return await command.run({ ...terminal, positionals, values, loadConfig: loadSome, openShop });
  } catch (error) {
    terminal.writeError(`${explain(error)}\n`);
    return 1;
  }
}

export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}

export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_name, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function formatDeliveries(deliveries: readonly StoredDelivery[]): string {
  return formatTable(
    ['DELIVERY', 'EVENT', 'REFERENCE', 'RECEIVED', 'HANDLED'],
    deliveries.map(({ id, event, reference, receivedAt, handledAt }) => [
      id.slice(0, 12),
      event.slice(0, 40),
      reference ?? '(none)',
      formatTime(receivedAt),
      handledAt === null ? 'not yet' : formatTime(handledAt),
    ]),
  );
}

function explain(error: unknown): string {
  if (error instanceof UsageError || error instanceof ConfigError || error instanceof DatabaseError)
    return error.message;
  if (isDatabaseFailure(error))
    return 'The database does not answer right now, so the result is unknown. Check what was changed before you run this again.';
  const { code = '', name = typeof error, message = '' } = error as NodeJS.ErrnoException;
  if (code.startsWith('ERR_PARSE_ARGS')) return `${message.split('.')[0]}.`;
  return `Unexpected error: ${name}${code && ` (${code})`}.`;
}
