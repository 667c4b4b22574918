import { quoted } from '@cairn/tool/kernel';
import { checkArguments } from '../errors.ts';
import { refuse } from './checks.ts';

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

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const unitMs: Readonly<Record<string, number>> = { m: MINUTE, h: 60 * MINUTE, d: DAY, w: 7 * DAY };

/** The end of a range that a time is: `since` includes it, `until` does not. A date alone includes its whole day in both. */
export interface ParseTimeOptions {
  /** Milliseconds since the epoch, from which an age counts. */
  readonly now: number;
  readonly edge: 'since' | 'until';
}

/**
 * Parses a time that a person or a model wrote: a date (`2026-01-31`), a time (`2026-01-31T09:00`), or an age (`30m`, `12h`, `7d`,
 * `2w`). A time without a zone is in UTC, like every time that memory shows.
 *
 * @returns milliseconds since the epoch.
 * @throws {MemoryError} `INVALID_INPUT`.
 */
export function parseTime(text: string, options: ParseTimeOptions): number {
  checkArguments.options('parseTime', options, { now: 'required', edge: 'required' });
  const { now, edge } = options;
  const [, count = '', unit = ''] = /^(\d{1,9})([mhdw])$/u.exec(text) ?? [];
  const [, date, time, zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/u.exec(text) ?? [];
  const dateMs = date === undefined ? Number.NaN : dayMs(date);
  const parsed = ((): number => {
    if (count !== '') return now - Number(count) * (unitMs[unit] ?? 0);
    if (time === undefined) return edge === 'since' ? dateMs : dateMs + DAY;
    return Number.isNaN(dateMs) ? dateMs : Date.parse(text.endsWith(zone) ? text : `${text}${zone}`);
  })();
  if (isTime(parsed)) return parsed;
  return refuse(
    `Invalid time ${quoted(text)}`,
    'Use a date such as 2026-01-31, a time such as 2026-01-31T09:00, or an age such as 30m, 12h, 7d or 2w.',
  );
}

/** Returns the start of a day; `NaN` for a day that its month does not have, which `Date` takes for one of the next. */
function dayMs(date: string): number {
  const parsed = Date.parse(date);
  return Number.isNaN(parsed) || formatDate(parsed) !== date ? Number.NaN : parsed;
}

/** Formats a time for a model: `2026-01-31T09:05:00Z`. */
export function formatTime(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}
