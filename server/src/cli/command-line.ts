import { existsSync } from 'node:fs';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { withOwnCommand } from '@service-pay/contract/own-command';
import { type Database, nameDatabase, type OpenOptions, openDatabase } from '../database/open.ts';
import { PaymentsError } from '../errors.ts';
import { type Clock, keepAlive, realClock } from '../support/clock.ts';
import { isDatabaseFailure } from '../support/database-failure.ts';
import { COMPARED_SETTINGS, compareSettings } from './compare-settings.ts';
import {
  type Config,
  ConfigError,
  parseConfig,
  readEnvironment,
  type SettingName,
} from './settings.ts';

const WHOSE_SETTINGS =
  'Nothing was created or changed. Settings come from the environment and from .env in this folder. Use those of the running shop, or --database. If it never ran, start it once.';

export const NO_PAYMENT =
  'No payment of this shop has that reference. To look for it: npx --no -- service-pay orders find <text>';

/** Settings of the demo shop, written by `npm start` in the root of this project. */
const DEMO_SETTINGS = '.data/demo.env';

const COMMON_OPTIONS = {
  help: { type: 'boolean' },
  'env-file': { type: 'string' },
  database: { type: 'string' },
} as const;
const COMMON_USAGE = `
Options of every command:
  --env-file <file>     read settings from this file instead of .env in this folder
  --database <address>  use this database instead of the one in DATABASE_URL
  --help                show this text`;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export type Terminal = typeof OWN_TERMINAL;

const OWN_TERMINAL = {
  environment: process.env as Record<string, string | undefined>,
  clock: realClock as Clock,
  /** A person waits longer than a page, also for a database behind a VPN. */
  databaseOptions: { respondWithinMs: 5_000 } as OpenOptions,
  print: (line: string): void => console.log(line),
  writeError: (text: string): void => void process.stderr.write(text),
  withOwnCommand: (text: string): string => withOwnCommand(text, 'service-pay'),
};

/** Prints texts with commands as this user can type them, to work on the same database. */
export interface Call extends Terminal {
  readonly positionals: readonly string[];
  readonly values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  /** Checks only these settings, because a shop without the template has few. */
  loadConfig(...only: SettingName[]): Config;
  /** Returns whether a setting is set, and not left to its default. */
  isSet(name: SettingName): boolean;
  /**
   * Opens the database of the shop for a task that reads, also if it takes no writes, unless the task
   * is `toWrite`. Creates no table and changes no schema.
   */
  useShop<Result>(task: ShopTask<Result>, options?: { toWrite?: boolean }): Promise<Result>;
  /** Like `useShop`, for a task that verifies or changes: rejects another environment's database. */
  useOwnShop<Result>(task: ShopTask<Result>): Promise<Result>;
  printJson(value: object): void;
}

type ShopTask<Result> = (database: Database, name: string) => Promise<Result>;

export interface Command {
  readonly usage: string;
  readonly options?: ParseArgsOptionsConfig;
  /** Returns the exit code. */
  run(call: Call): Promise<number>;
}

/** Runs a command and returns its exit code. Prints errors as one sentence, with exit code 1. */
export async function runCommand(
  command: Command,
  words: readonly string[],
  terminal = OWN_TERMINAL,
): Promise<number> {
  let source = '';
  const forThisUser = (text: string) =>
    terminal.withOwnCommand(
      text.replace(/npx --no -- service-pay [a-z-]+/g, (command) => command + source),
    );
  try {
    const { positionals, values } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { ...command.options, ...COMMON_OPTIONS },
    });
    if (values.help) {
      terminal.print(forThisUser(`${command.usage}\n${COMMON_USAGE}`));
      return 0;
    }
    if (values.database === '' || positionals.includes(''))
      throw new UsageError('An argument is empty. Check that every shell variable in it is set.');
    const database = values.database ? { DATABASE_URL: values.database } : {};
    const environment = { ...terminal.environment, ...database };
    const isDemo = !existsSync('.env') && existsSync(DEMO_SETTINGS);
    const envFile = values['env-file'] ?? (isDemo ? DEMO_SETTINGS : undefined);
    source = nameSource(values['env-file'], values.database);
    const readAll = () => readEnvironment(process.cwd(), environment, envFile);
    const loadSome: Call['loadConfig'] = (...only) => parseConfig(...readAll(), only);
    const isSet: Call['isSet'] = (name) => Boolean(readAll()[0][name]?.trim());
    const open = async <Result>(task: ShopTask<Result>, mayBeReadOnly: boolean) => {
      const { databaseUrl } = loadSome('DATABASE_URL');
      const own = { isThere: true, mayBeReadOnly, todo: WHOSE_SETTINGS };
      const options = { ...terminal.databaseOptions, ...own };
      const shop = await openDatabase(databaseUrl, options);
      return task(shop, printable(nameDatabase(databaseUrl))).finally(() => shop.close());
    };
    const useShop: Call['useShop'] = (task, { toWrite = false } = {}) => open(task, !toWrite);
    const useOwnShop: Call['useOwnShop'] = (task) =>
      open(async (shop, name) => {
        const { isOwn, found, todo } = await compareSettings(shop, loadSome(...COMPARED_SETTINGS));
        if (isOwn) return task(shop, name);
        throw new UsageError(
          `${name.replace(/^t/, 'T')} cannot be used: ${found}. Nothing was changed. ${todo}`,
        );
      }, false);
    const call = {
      ...terminal,
      positionals,
      values,
      loadConfig: loadSome,
      isSet,
      useShop,
      useOwnShop,
      print: (text: string) => terminal.print(forThisUser(text)),
      printJson: (value: object) =>
        terminal.print(
          JSON.stringify(value, (name, part) =>
            name === 'nextStep' && typeof part === 'string' ? forThisUser(part) : part,
          ),
        ),
    };
    return await keepAlive(() => command.run(call));
  } catch (error) {
    terminal.writeError(`${forThisUser(explain(error))}\n`);
    return 1;
  }
}

/** Replaces characters that a terminal would act on. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}

/** Formats rows as a table. The field names of the first row are the column heads. */
export function formatTable(rows: readonly object[]): string {
  const head = Object.keys(rows[0] ?? {}).map((name) => inWords(name).toUpperCase());
  const lines = [head, ...rows.map((row) => Object.entries(row).map(formatCell))];
  const widths = head.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)));
  return lines
    .map((line) => line.map((cell, at) => cell.padEnd(widths[at]!)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Formats the fields of a record: lists as tables, other objects as JSON. */
export function formatRecord(record: object): string {
  return Object.entries(record)
    .map(([name, value]) => {
      const title = inWords(name).replace(/^./, (letter) => letter.toUpperCase());
      if (typeof value === 'string') return `${title}: ${printable(value)}`;
      if (Array.isArray(value))
        return `\n${title}${value.length ? `\n${formatTable(value)}` : ': none'}`;
      const lines = JSON.stringify(value, null, 2).split('\n');
      return `\n${title}\n${lines.map(printable).join('\n')}`;
    })
    .join('\n');
}

/** Returns the options that name the same database again, without the password of an address. */
function nameSource(envFile: string | undefined, database: string | undefined): string {
  const words = [
    ...(envFile ? ['--env-file', envFile] : []),
    ...(database ? ['--database', database.startsWith('file:') ? database : '<address>'] : []),
  ];
  return words.map((word) => ` ${/\s/.test(word) ? JSON.stringify(word) : word}`).join('');
}

function formatCell([name, value]: [name: string, value: unknown]): string {
  if (value === null) return '-';
  const isTime = /(?:At|Since)$/.test(name);
  if (isTime) return `${new Date(Number(value)).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  return printable(String(value));
}

function inWords(name: string): string {
  return name.replace(/At$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function explain(error: unknown): string {
  if (error instanceof UsageError || error instanceof ConfigError || error instanceof PaymentsError)
    return error.message;
  if (isDatabaseFailure(error))
    return 'The database does not respond or rejects writes, so the result is unknown. Check its disk space, whether another program has locked it, and what was changed, before you run this again.';
  const { code = '', name = typeof error, message = '' } = error as NodeJS.ErrnoException;
  if (code.startsWith('ERR_PARSE_ARGS')) return `${message.split('.')[0]}.`;
  return `Unexpected error: ${name}${code && ` (${code})`}.`;
}
