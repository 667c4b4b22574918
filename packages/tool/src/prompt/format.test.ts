import { expect, test } from 'vitest';
import { count, formatBytes } from './format.ts';

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1023, '1023 bytes'],
  [1536, '1.5 KB'],
  [5 * 1024 ** 3, '5.0 GB'],
])('%d bytes are written as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test('one thing has a singular', () => {
  expect([count(1, 'line'), count(2, 'line'), count(2, 'entry', 'entries')]).toEqual([
    '1 line',
    '2 lines',
    '2 entries',
  ]);
});
