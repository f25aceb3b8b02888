import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { installDebianPackages } from './debian-packages.ts';

const INSTALL = '-qq install --yes --no-install-recommends firefox-esr xvfb';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-pay-apt-'));
  vi.spyOn(console, 'log').mockImplementation(() => {});
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

/** Installs by an apt-get that notes how it is called and then does what it is told to. Gives its calls. */
async function installBy(script: string, isRoot = true): Promise<string[]> {
  const apt = join(folder, 'apt-get');
  const calls = join(folder, 'calls');
  await writeFile(calls, '');
  await writeFile(apt, `#!/bin/sh\necho "$*" >> ${calls}\n${script}\n`, { mode: 0o755 });

  installDebianPackages(['firefox-esr', 'xvfb'], { apt, isRoot });

  return (await readFile(calls, 'utf8')).split('\n').filter(Boolean);
}

describe('installing Debian packages', () => {
  test('tries the lists that are there', async () => {
    expect(await installBy('exit 0')).toEqual([INSTALL]);
  });

  test('fetches new lists where the old ones do not do', async () => {
    expect(await installBy(`case "$*" in *update) touch ${folder}/fresh;; esac; test -e ${folder}/fresh`)).toEqual([
      INSTALL,
      '-qq update',
      INSTALL,
    ]);
  });

  test('asks nothing, and has no service started that comes with a package', async () => {
    expect(await installBy(`test "$SYSTEMD_OFFLINE $DEBIAN_FRONTEND" = "1 noninteractive"`)).toEqual([INSTALL]);
  });

  test('says why it could not, and throws nothing', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});

    await installBy('echo "E: Unable to locate package" >&2; exit 100');

    expect(said).toHaveBeenCalledExactlyOnceWith('apt-get could not install firefox-esr, xvfb: E: Unable to locate package');
  });

  test('does nothing for a user who may not, or without apt-get', async () => {
    expect(await installBy('exit 0', false)).toEqual([]);
    installDebianPackages(['xvfb'], { apt: join(folder, 'none'), isRoot: true });
    expect(console.log).not.toHaveBeenCalled();
  });
});
