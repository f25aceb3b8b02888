import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

const FOLDERS = ['', '/usr/sbin/', '/usr/local/sbin/'];

/** Returns the path of an installed program, or undefined. `asked` is a harmless argument. */
export function findProgram(name: string, asked: string): string | undefined {
  return FOLDERS.map((folder) => folder + name).find(
    (path) => spawnSync(path, [asked]).error === undefined,
  );
}

export function runProgram(
  program: string,
  parameters: string[],
  folder?: string,
): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(program, parameters, {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

export async function findFreePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  holder.close();
  await once(holder, 'close');
  return port;
}
