import { spawnSync } from 'node:child_process';

/** The servers of the quick start: the file of each, and a command that tells if it can run here. */
export const SAMPLE_SERVERS = {
  node: { file: 'server.mjs', probe: [process.execPath, '--version'] },
  python: { file: 'server.py', probe: ['python3', '--version'] },
  php: {
    file: 'server.php',
    probe: [
      'php',
      '-r',
      'exit(function_exists("curl_init") && function_exists("bccomp") ? 0 : 1);',
    ],
  },
  go: { file: 'server.go', probe: ['go', 'version'] },
} as const;

export function canRun([program = '', ...args]: readonly string[]): boolean {
  return spawnSync(program, args).status === 0;
}
