import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** What the machine gives a process now. */
export function residentMb(pid: number): number {
  return readStatus(pid, 'VmRSS');
}

/** The most that the machine ever gave it. */
export function peakMb(pid: number): number {
  return readStatus(pid, 'VmHWM');
}

/** The time it has had on a processor, which other programs on the machine change little. */
export function cpuSeconds(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '';
  const [user, system] = afterName.split(' ').slice(11, 13).map(Number);
  return ((user ?? Number.NaN) + (system ?? Number.NaN)) / TICKS_PER_SECOND;
}

function readStatus(pid: number, name: string): number {
  return (
    Number(
      new RegExp(`${name}:\\s*(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1],
    ) / 1024
  );
}
