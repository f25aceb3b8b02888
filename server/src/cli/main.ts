#!/usr/bin/env node
import { type Command, runCommand } from './command-line.ts';

// `service-pay <command> [words]`, in the shop's folder.

const USAGE = `Usage: service-pay doctor         what keeps the shop from working
       service-pay orders         what there is, and what needs somebody
       service-pay replay         webhooks, and the payment of one asked about again
       service-pay move-database  records of SQLite into PostgreSQL`;

const COMMANDS: Record<string, () => Promise<Command>> = {
  doctor: async () => (await import('./doctor/doctor.ts')).doctor,
  'move-database': async () => (await import('./move-database.ts')).moveDatabase,
  orders: async () => (await import('./orders.ts')).orders,
  replay: async () => (await import('./replay.ts')).replay,
};

const [name = ''] = process.argv.splice(2, 1);
const find = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (find) await runCommand(await find());
else {
  console.error(USAGE);
  process.exitCode = 1;
}
