import { OtherEnvironmentError } from '../database/environment.ts';
import { grantTo, writeGrants } from '../database/grants.ts';
import { nameDatabase, openDatabase } from '../database/open.ts';
import { type Command, printable, UsageError } from './command-line.ts';
import { COMPARED_SETTINGS, compareSettings } from './compare-settings.ts';

const USAGE = `Usage: npx --no -- service-pay migrate [--grant-to <role>]
Creates the tables, or brings them up to date, with the user in DATABASE_URL. Take a backup first.

  --grant-to <role>  on PostgreSQL, also grant this role what a shop needs that connects with it
                     and does not own the tables; without it, the statements are printed`;

export const migrate: Command = {
  usage: USAGE,
  options: { 'grant-to': { type: 'string' } },
  async run({ positionals, values, loadConfig, isSet, databaseOptions, print }) {
    const role = values['grant-to'] as string | undefined;
    if (positionals.length || role === '') throw new UsageError(USAGE);
    const { databaseUrl } = loadConfig('DATABASE_URL');
    if (role !== undefined && databaseUrl.startsWith('file:'))
      throw new UsageError('--grant-to works with PostgreSQL only.');
    let applied: readonly string[] = [];
    const database = await openDatabase(databaseUrl, {
      ...databaseOptions,
      hooks: {
        async before(db, kind) {
          if (!isSet('SERVICE_PAY_API_URL')) return; // the user who migrates may have no more
          const settings = loadConfig(...COMPARED_SETTINGS);
          const { isOther, found, todo } = await compareSettings({ db, kind }, settings);
          if (isOther) throw new OtherEnvironmentError(found, todo);
        },
        async after(trx, _kind, steps) {
          applied = steps;
          if (role !== undefined) await grantTo(trx, role);
        },
      },
    });
    try {
      const what = applied.length ? `Applied: ${applied.join(', ')}.` : 'There was nothing to do.';
      print(`${what} The tables are up to date.`);
      if (role !== undefined)
        print(`The role ${printable(role)} has the rights that a shop needs.`);
      else if (database.kind === 'postgres') {
        const { ofSchema, ofTables } = await writeGrants(database.db, '<role>');
        print(
          `\nA shop that connects with another user needs these rights. Run them, or run this with --grant-to <role>:\n${[ofSchema, ...ofTables].join('\n')}`,
        );
      }
      print(`\nWritten to ${printable(nameDatabase(databaseUrl))}.`);
      return 0;
    } finally {
      await database.close();
    }
  },
};
