import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { makeDatabaseUrl } from '@service-pay/server/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findFreePort } from '../../../scripts/programs/server-program.ts';
import { PATIENT } from '../../lab/patience.ts';
import { shopEnvironment } from '../../lab/shop-launcher.ts';

const MAIN = fileURLToPath(new URL('../../../bff-example/src/main.ts', import.meta.url));

test.each(['SIGTERM', 'SIGUSR2'] as const)(
  'a shop whose output nobody reads ends by itself, at %s, too (T93)',
  async (signal) => {
    const { url, drop } = await makeDatabaseUrl('sqlite');
    onTestFinished(drop);
    const port = await findFreePort();
    const env = {
      ...shopEnvironment({ databaseUrl: url, serviceUrl: 'http://localhost:9' }),
      PORT: String(port),
      LOG_LEVEL: 'debug',
    };
    const mishap =
      "data:text/javascript,process.on('SIGUSR2', () => { throw new Error('a mishap'); })";
    const child = spawn(process.execPath, ['--import', mishap, MAIN], { env });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    const send = () => fetch(`http://127.0.0.1:${port}/${'x'.repeat(200)}`);
    await vi.waitFor(send, PATIENT);
    // fills the system's buffer of an output
    for (let at = 0; at < 40; at++) await Promise.all(Array.from({ length: 50 }, send));

    child.kill(signal);

    expect(await ended).toEqual([signal === 'SIGTERM' ? 0 : 1, null]);
  },
);
