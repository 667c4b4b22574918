/** Checks numbers that a caller passes, before anything is read or written. */
import { MemoryError } from '../errors.ts';

/** @throws {MemoryError} `INVALID_INPUT`. */
export function refuse(summary: string, hint: string): never {
  throw new MemoryError('INVALID_INPUT', [summary, hint]);
}

/** Checks an option that is a number of things. @throws {MemoryError} `INVALID_INPUT`. */
export function checkWhole(
  value: number,
  name: string,
  { min, isEndless }: { readonly min: number; readonly isEndless?: true },
): void {
  if ((Number.isInteger(value) && value >= min) || (isEndless === true && value === Infinity)) return;
  refuse(`Invalid ${name} ${String(value)}`, `Use a whole number from ${min}, or omit it.`);
}

/** Checks an option that is a time, which may be infinite. @throws {MemoryError} `INVALID_INPUT`. */
export function checkTime(value: number | undefined, name: string): void {
  if (value === undefined || (typeof value === 'number' && !Number.isNaN(value))) return;
  refuse(`Invalid ${name} ${String(value)}`, 'Use milliseconds since the epoch, or omit it.');
}

/** Checks an option that is a share of a whole. @throws {MemoryError} `INVALID_INPUT`. */
export function checkShare(value: number | undefined, name: string): void {
  if (value === undefined || (typeof value === 'number' && value >= 0 && value <= 1)) return;
  refuse(`Invalid ${name} ${String(value)}`, 'Use a number from 0 to 1, or omit it.');
}
