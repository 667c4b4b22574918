/** The last time that a date can say, in milliseconds since the epoch. */
export const LAST_TIME_MS = 8.64e15;

/** Whether it is a time in milliseconds since the epoch that a date can say. */
export function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= LAST_TIME_MS;
}
