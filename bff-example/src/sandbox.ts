import { ConfigError, isLoopback, loadConfig } from './config.ts';

// `npm run sandbox`: starts the sandbox where this shop looks for the service, and has it send its
// webhooks to where this shop listens.

try {
  const { apiUrl, port } = loadConfig();
  const { port: servicePort } = new URL(apiUrl);
  if (isLoopback(apiUrl) && servicePort) add('--port', servicePort);
  if (port) add('--webhook-url', `http://localhost:${port}/webhooks/service-pay`);
  await import(
    import.meta.resolve('@service-pay/sandbox').replace(/start(\.[jt]s)$/, 'cli/main$1')
  );
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function add(flag: string, value: string): void {
  if (!process.argv.some((word) => word === flag || word.startsWith(`${flag}=`)))
    process.argv.push(flag, value);
}
