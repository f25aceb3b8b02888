import { readFileSync } from 'node:fs';

/** The memory that the machine gives a process now. */
export function residentMb(pid: number): number {
  return readStatus(pid, 'VmRSS');
}

/** The most memory that the machine ever gave it. */
export function peakMb(pid: number): number {
  return readStatus(pid, 'VmHWM');
}

function readStatus(pid: number, name: string): number {
  return (
    Number(
      new RegExp(`${name}:\\s*(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1],
    ) / 1024
  );
}
