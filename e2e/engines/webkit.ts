import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

import type { WebKitPrograms } from '../../scripts/programs/find-engines.ts';
import { findFreePort } from '../../scripts/programs/server-program.ts';
import { endProgram, startProgram, untilAnswered } from './programs.ts';
import type { EngineBrowser } from './tab.ts';
import { COMMANDS, driveBrowser } from './web-driver.ts';

export async function startWebKit({
  driver,
  browser,
  screen,
}: WebKitPrograms): Promise<EngineBrowser> {
  const home = await mkdtemp(join(tmpdir(), 'service-pay-webkit-'));
  await keepStill(home);
  const display = startProgram(
    screen,
    ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );
  const [number] = await once(display.stdio[3] as Readable, 'data');
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const server = startProgram(driver, [`--port=${port}`], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      DISPLAY: `:${String(number).trim()}`,
      LANGUAGE: 'en_GB',
      NO_AT_BRIDGE: '1',
    },
    stdio: 'ignore',
  });
  await untilAnswered(() => call('GET', `${url}/status`));
  const { sessionId } = await call('POST', `${url}/session`, {
    capabilities: {
      alwaysMatch: {
        browserName: 'MiniBrowser',
        'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] },
      },
    },
  });
  const session = `${url}/session/${sessionId}`;
  return driveBrowser(
    (command, parameters) => {
      const [method = '', path] = COMMANDS[command].split(' ');
      return call(method, session + path, parameters);
    },
    async () => {
      await call('DELETE', session);
      await endProgram(server);
      await endProgram(display);
      await rm(home, { recursive: true, force: true });
    },
  );
}

/** A press on what moves may miss it: the driver asks for its place first. */
async function keepStill(home: string): Promise<void> {
  for (const version of ['3.0', '4.0']) {
    const folder = join(home, '.config', `gtk-${version}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'settings.ini'), '[Settings]\ngtk-enable-animations=false\n');
  }
}

async function call(method: string, url: string, parameters: object = {}): Promise<any> {
  const response = await fetch(url, {
    method,
    ...(method === 'POST' && { body: JSON.stringify(parameters) }),
  });
  const { value } = (await response.json()) as { value: any };
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}
