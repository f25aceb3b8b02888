import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const APT = '/usr/bin/apt-get';

/** A mirror that does not answer must not hold the tests up for longer. */
const PATIENCE_MS = 300_000;

/**
 * Installs packages where that may be done: as root on a Debian machine. Does nothing anywhere else, and says on the console why where
 * it does not succeed: whoever needs a package looks for it afterwards.
 */
export function installDebianPackages(packages: string[]): void {
  if (process.getuid?.() !== 0 || !existsSync(APT)) return;
  console.log(`Installing ${packages.join(', ')} with apt-get.`);
  const install = ['install', '--yes', '--no-install-recommends', ...packages];
  // Lists that are there are tried as they are; old ones name packages that the mirror has replaced since.
  if (runApt(install) === undefined) return;
  const problem = runApt(['update']) ?? runApt(install);
  if (problem !== undefined) console.error(`apt-get could not install ${packages.join(', ')}: ${problem}`);
}

/** Runs apt-get without a question. Gives the end of what it said where it failed, else undefined. */
function runApt(parameters: string[]): string | undefined {
  const { status, signal, stdout, stderr } = spawnSync(APT, ['-qq', ...parameters], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  });
  if (status === 0) return undefined;
  return signal ? `no end after ${PATIENCE_MS / 1000} s` : (stderr || stdout).trim().split('\n').slice(-3).join(' ');
}
