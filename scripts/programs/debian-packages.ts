import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const APT = '/usr/bin/apt-get';

/** Limits all of an installation: a mirror that does not answer must not hold up the tests. */
const PATIENCE_MS = 300_000;

/**
 * Installs packages if we are root on a Debian machine. Elsewhere it does nothing, and a failure is
 * only logged: the caller looks for the program afterwards.
 */
export function installDebianPackages(packages: string[]): void {
  if (process.getuid?.() !== 0 || !existsSync(APT)) return;
  console.log(`Installing ${packages.join(', ')} with apt-get.`);
  const deadline = performance.now() + PATIENCE_MS;
  const run = (...parameters: string[]) => runApt(parameters, deadline - performance.now());
  const install = () => run('install', '--yes', '--no-install-recommends', ...packages);
  // The existing lists are tried first. Old ones name packages that the mirror has replaced.
  if (install() === undefined) return;
  const problem = run('update') ?? install();
  if (problem !== undefined)
    console.error(`apt-get could not install ${packages.join(', ')}: ${problem}`);
}

/**
 * Runs apt-get without prompts. Returns the end of its output if it failed, otherwise undefined.
 */
function runApt(parameters: string[], patienceMs: number): string | undefined {
  const { status, signal, stdout, stderr } = spawnSync(APT, ['-qq', ...parameters], {
    // Installs programs without starting their services, such as a proxy on port 80.
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', SYSTEMD_OFFLINE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    timeout: Math.max(1, Math.ceil(patienceMs)),
  });
  if (status === 0) return undefined;
  return signal ? 'it took too long' : (stderr || stdout).trim().split('\n').slice(-3).join(' ');
}
