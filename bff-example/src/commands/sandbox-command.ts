import { isLoopback } from '../config.ts';
import type { Terminal } from './command-line.ts';

/**
 * `npm run sandbox`: starts the sandbox where this shop looks for the service, and has it send its
 * webhooks to where this shop listens.
 */
export async function sandbox({ words, loadConfig }: Terminal): Promise<number> {
  const { apiUrl, port } = loadConfig();
  const add = (flag: string, value: string) => {
    if (!words.some((word) => word === flag || word.startsWith(`${flag}=`)))
      process.argv.push(flag, value);
  };
  const { port: servicePort } = new URL(apiUrl);
  if (isLoopback(apiUrl) && servicePort) add('--port', servicePort);
  if (port) add('--webhook-url', `http://localhost:${port}/webhooks/service-pay`);

  const program = import.meta
    .resolve('@service-pay/sandbox')
    .replace(/sandbox(\.[jt]s)$/, 'main$1');
  await import(program);
  return Number(process.exitCode ?? 0);
}
