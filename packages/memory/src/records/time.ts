/** The largest time of a `Date`, in milliseconds since the epoch. */
export const MAX_TIME_MS = 8.64e15;

/** Returns whether a value is a time in milliseconds since the epoch that a `Date` can hold. */
export function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= MAX_TIME_MS;
}

/** Formats the day of a time in UTC: `2026-01-31`. */
export function formatDate(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** Returns the time of a record as an import accepts it: other programs write fractions of a millisecond. */
export function wholeTime(timeMs: number): number {
  return Math.max(0, Math.trunc(timeMs));
}
