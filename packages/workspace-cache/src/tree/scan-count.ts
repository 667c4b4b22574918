import { fsScanCacheStats } from '@cairn/natives';

function scans(): number {
  const { misses, rescans } = fsScanCacheStats();
  return misses + rescans;
}

/** The scans that a call has taken for itself, or that came before the last of these calls ended. */
let taken = 0;

/**
 * Runs a call and counts the complete scans that natives made during it. A scan counts for one call: of calls that share it, the first
 * to end has it. Natives count for the whole process, so a concurrent search of another root counts, too.
 */
export async function countScans<Result>(
  call: () => Promise<Result>,
): Promise<readonly [result: Result, scans: number]> {
  const before = scans();
  const result = await call();
  const now = scans();
  const own = now - Math.max(before, taken);
  taken = Math.max(now, taken);
  return [result, Math.max(0, own)];
}
