import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Where programs of administrators lie, which is not on everybody's search path. */
const FOLDERS = ['', '/usr/sbin/', '/usr/local/sbin/'];

/** How a program on this machine is called, or undefined where it is not installed. `asked` is something harmless to ask it. */
export function findProgram(name: string, asked: string): string | undefined {
  return FOLDERS.map((folder) => folder + name).find((path) => spawnSync(path, [asked]).error === undefined);
}

/** Runs a program to its end. Gives its exit code and all it said. */
export function runProgram(program: string, parameters: string[], folder?: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(program, parameters, { cwd: folder, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

/** A port that nothing listened on a moment ago. */
export async function findFreePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  holder.close();
  await once(holder, 'close');
  return port;
}
