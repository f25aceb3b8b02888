import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigError, isLoopback, loadConfig } from './config.ts';

// `npm run sandbox`: starts the sandbox at the address where this shop expects the service, with
// webhooks sent to this shop.

try {
  const { apiUrl, port } = loadConfig();
  const { port: servicePort } = new URL(apiUrl);
  if (isLoopback(apiUrl) && servicePort) add('--port', servicePort);
  if (port) add('--webhook-url', `http://localhost:${port}/webhooks/service-pay`);
  const manifest = import.meta.resolve('@service-pay/sandbox/package.json');
  const { bin } = JSON.parse(readFileSync(fileURLToPath(manifest), 'utf8'));
  await import(new URL(bin['service-pay-sandbox'], manifest).href);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function add(flag: string, value: string): void {
  if (!process.argv.some((word) => word === flag || word.startsWith(`${flag}=`)))
    process.argv.push(flag, value);
}
