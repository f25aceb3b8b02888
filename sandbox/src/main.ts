#!/usr/bin/env node
import { pino } from 'pino';

import { type Config, parseConfig, USAGE } from './config.ts';
import { startSandbox } from './sandbox.ts';

const config = readConfig();
if (config.isHelp) process.stdout.write(USAGE);
else await run(config);

function readConfig(): Config {
  try {
    return parseConfig(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

async function run({ port, host, webhookUrl, token, logLevel }: Config): Promise<void> {
  const log = pino({ level: logLevel }, pino.destination({ dest: 2, sync: false }));
  try {
    const sandbox = await startSandbox({ port, log, ...(host && { host }), ...(token && { token }), ...(webhookUrl && { webhookUrl }) });
    const lines = [
      `ServicePay sandbox on ${sandbox.url}`,
      'Card 4242 4242 4242 4242, any future expiry, any three digits. Phone 097 111 1111 (Airtel).',
      ...(sandbox.token && !token ? [`X-Sandbox-Token: ${sandbox.token}`] : []),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => void sandbox.close().then(() => process.exit(0)));
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}
