/** Resident memory of a process, from Linux's own accounts. */
import { readFileSync } from 'node:fs';

export interface Memory {
  /** Now. */
  readonly residentMb: number;
  /** The most there ever was. */
  readonly peakMb: number;
}

function megabytes(status: string, field: string): number {
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  return Number(kib) / 1024;
}

/** `NaN` where there is no `/proc`. */
export function readMemory(pid: number | 'self'): Memory {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return { residentMb: megabytes(status, 'VmRSS'), peakMb: megabytes(status, 'VmHWM') };
  } catch {
    return { residentMb: Number.NaN, peakMb: Number.NaN };
  }
}
