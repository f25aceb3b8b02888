import { spawnSync } from 'node:child_process';

/** The servers of the quick start: the files of each, and a command that tells if it can run here. */
export const SAMPLE_SERVERS = {
  node: { files: ['server.mjs'], probe: [process.execPath, '--version'] },
  python: { files: ['service_pay.py', 'server.py'], probe: ['python3', '--version'] },
  php: {
    files: ['server.php'],
    probe: [
      'php',
      '-r',
      'exit(function_exists("curl_init") && function_exists("bccomp") ? 0 : 1);',
    ],
  },
  go: { files: ['server.go'], probe: ['go', 'version'] },
} as const;

export function canRun([program = '', ...args]: readonly string[]): boolean {
  return spawnSync(program, args).status === 0;
}
