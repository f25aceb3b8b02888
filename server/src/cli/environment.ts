import { isServerAddress } from '@service-pay/contract/loopback';
import * as v from 'valibot';

import type { Database } from '../database/database.ts';
import {
  addEnvironment,
  type Environment,
  nameService,
  readEnvironments,
} from '../database/environment.ts';
import { lockSchema } from '../database/migrations.ts';
import { type Command, formatTable, printable, UsageError } from './command-line.ts';
import { paymentSettings } from './settings.ts';

const USAGE = `Usage: npx --no -- service-pay environment [add | forget <service> <public-key>]
Shows the services and public keys that may use the database.

  add     let another one use it, while the service moves or the key changes
  forget  take one away; restart the shops that still use it

  --json  print the result as JSON

<service> is the address of the API, such as https://pay.example, or http://localhost for a sandbox
on any port of this machine.`;

const publicKeySchema = v.unwrap(paymentSettings.entries.SERVICE_PAY_PUBLIC_KEY);

export const environment: Command = {
  usage: USAGE,
  options: { json: { type: 'boolean' } },
  run({ positionals, values, useShop, print }) {
    const [word = 'show', apiUrl, publicKey, ...more] = positionals;
    const change = word === 'add' || word === 'forget' ? word : undefined;
    const isWrong = change
      ? apiUrl === undefined || publicKey === undefined || more.length
      : positionals.length;
    if (isWrong) throw new UsageError(USAGE);
    const given = change && parseEnvironment(apiUrl!, publicKey!);
    const run = async (database: Database, name: string) => {
      const done = given && (await { add, forget }[change](database, given));
      const environments = await readEnvironments(database.db, database.kind);
      const list = environments.length
        ? formatTable(environments)
        : 'No service has used this database yet. The first shop that opens it is recorded.';
      const source = `${change ? 'Written to' : 'Read from'} ${name}.`;
      print(
        values.json
          ? JSON.stringify(environments)
          : [done, list, source].filter(Boolean).join('\n\n'),
      );
      return 0;
    };
    return useShop(run, { toWrite: change !== undefined });
  },
};

function parseEnvironment(apiUrl: string, publicKey: string): Environment {
  if (!isServerAddress(apiUrl))
    throw new UsageError(
      `${printable(apiUrl)} is not the address of a service: it must be an https address without user, query or fragment, or http on this machine.`,
    );
  const { success, issues } = v.safeParse(publicKeySchema, publicKey);
  if (!success) throw new UsageError(`The public key ${issues[0].message}`);
  return { service: nameService(apiUrl), publicKey };
}

async function add({ write }: Database, given: Environment): Promise<string> {
  const isNew = await write((trx) => addEnvironment(trx, given));
  return isNew ? 'Added.' : 'It could use the database already.';
}

async function forget({ kind, write }: Database, given: Environment): Promise<string> {
  return write(async (trx) => {
    await lockSchema(trx, kind); // so that no other one is forgotten at this moment
    const isGiven = ({ service, publicKey }: Environment) =>
      service === given.service && publicKey === given.publicKey;
    const environments = await readEnvironments(trx, kind);
    if (!environments.some(isGiven))
      throw new UsageError(
        'Nothing was changed: that service and public key are not in the list. To see it: npx --no -- service-pay environment',
      );
    if (environments.length === 1)
      throw new UsageError(
        'Nothing was changed: it is the only one, and the next shop that opens the database would be recorded. First add the one that stays.',
      );
    await trx
      .deleteFrom('service_pay_environments')
      .where('service', '=', given.service)
      .where('public_key', '=', given.publicKey)
      .execute();
    return 'Forgotten.';
  });
}
