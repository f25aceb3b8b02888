import { readFileSync } from 'node:fs';

export function residentMb(pid: number): number {
  return readStatus(pid, 'VmRSS');
}

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
