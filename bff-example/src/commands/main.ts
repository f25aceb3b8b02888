import { runCommand } from './command-line.ts';

// `node src/commands/main.ts <command> [words]`, as the scripts of package.json call it.

const COMMANDS = {
  doctor: async () => (await import('./doctor-command.ts')).doctor,
  'move-database': async () => (await import('./move-database-command.ts')).moveDatabase,
  orders: async () => (await import('./orders-command.ts')).orders,
  replay: async () => (await import('./replay-command.ts')).replay,
  sandbox: async () => (await import('./sandbox-command.ts')).sandbox,
};

const [name] = process.argv.splice(2, 1);
await runCommand(await COMMANDS[name as keyof typeof COMMANDS]());
