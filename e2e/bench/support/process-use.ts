import { readFileSync } from 'node:fs';

/** The most memory that a process has held. */
export function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s*(\d+)/.exec(status)?.[1]) / 1024;
}
