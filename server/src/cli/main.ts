#!/usr/bin/env node
import { findNodeProblem } from '@service-pay/contract/node-version';
import { withOwnCommand } from '@service-pay/contract/own-command';
import type { Command } from './command-line.ts';

const USAGE = `Usage: npx --no -- service-pay <command> [--help]

  doctor         find what keeps the shop from working, or why it rejected a webhook
  orders         count and list payments, show one order, accept or refuse a payment
  replay         list webhooks, and verify a payment again
  environment    show, add and forget the services and keys that may use the database
  migrate        create or update the tables, and grant a role what a shop needs
  move-database  copy the records of a SQLite file into PostgreSQL`;

const COMMANDS: Record<string, () => Promise<Command>> = {
  doctor: async () => (await import('./doctor.ts')).doctor,
  environment: async () => (await import('./environment.ts')).environment,
  migrate: async () => (await import('./migrate.ts')).migrate,
  'move-database': async () => (await import('./move-database.ts')).moveDatabase,
  orders: async () => (await import('./orders.ts')).orders,
  replay: async () => (await import('./replay.ts')).replay,
};

const nodeProblem = findNodeProblem('service-pay');
if (nodeProblem) {
  console.error(nodeProblem);
  process.exit(1);
}
// A reader such as `head` may leave early: the command still does its work.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
const [name = '', ...words] = process.argv.slice(2);
const find = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (find) {
  const { runCommand } = await import('./command-line.ts');
  process.exitCode = await runCommand(await find(), words);
} else if (name === '' || name === '--help') {
  console.log(withOwnCommand(USAGE, 'service-pay'));
  process.exitCode = name ? 0 : 1;
} else {
  const text = `There is no command ${JSON.stringify(name)}.\n${USAGE}`;
  console.error(withOwnCommand(text, 'service-pay'));
  process.exitCode = 1;
}
