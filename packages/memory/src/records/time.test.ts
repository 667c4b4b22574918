import { describe, expect, test } from 'vitest';
import { parseTime } from './time.ts';

const now = Date.parse('2026-03-10T12:00:00Z');

describe('parseTime', () => {
  test.each([
    ['a date begins with its day', '2026-01-31', 'since', '2026-01-31T00:00:00.000Z'],
    ['a date ends with its day', '2026-01-31', 'until', '2026-02-01T00:00:00.000Z'],
    ['a day that only leap years have', '2024-02-29', 'since', '2024-02-29T00:00:00.000Z'],
    ['a time without a zone is UTC', '2026-01-31T09:05', 'since', '2026-01-31T09:05:00.000Z'],
    ['a time is the end of its range', '2026-01-31T09:05:01.5', 'until', '2026-01-31T09:05:01.500Z'],
    ['a time as memory shows it', '2026-01-31T09:05:00Z', 'until', '2026-01-31T09:05:00.000Z'],
    ['a time with a zone', '2026-01-31T09:05+02:00', 'since', '2026-01-31T07:05:00.000Z'],
    ['minutes', '30m', 'since', '2026-03-10T11:30:00.000Z'],
    ['hours', '12h', 'until', '2026-03-10T00:00:00.000Z'],
    ['days', '7d', 'since', '2026-03-03T12:00:00.000Z'],
    ['weeks', '2w', 'since', '2026-02-24T12:00:00.000Z'],
  ] as const)('%s: %s', (_, text, edge, expected) => {
    expect(new Date(parseTime(text, { now, edge })).toISOString()).toBe(expected);
  });

  test.each([
    '',
    'soon',
    '7',
    '-7d',
    '7 d',
    '2026-02-29',
    '2026-13-01',
    '2026-02-30T09:00',
    '2026-01-31T25:00',
    '2026',
    '999999999w',
    '10/3/2026',
  ])('%j is refused with what to use', (text) => {
    expect(() => parseTime(text, { now, edge: 'since' })).toThrow(
      /^Invalid time ".*"\. Use a date such as 2026-01-31/u,
    );
  });
});
