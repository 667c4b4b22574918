import { describe, expect, test } from 'vitest';
import {
  countOf,
  displayWidth,
  escapeLine,
  fitLine,
  fitPath,
  fitText,
  formatBytes,
  formatMs,
  highlight,
  highlightFitted,
  rangesOf,
} from './text.ts';

const marks = { paint: (text: string) => `[${text}]`, escape: (text: string) => text };

describe('escaping', () => {
  const cases: readonly (readonly [reason: string, text: string, shown: string])[] = [
    ['plain text is unchanged', 'src/über/ファイル.ts', 'src/über/ファイル.ts'],
    ['a newline in a name', 'a\nb', 'a\\nb'],
    ['a carriage return', 'a\rb', 'a\\rb'],
    ['an escape sequence', '\u001b[31mred', '\\u001b[31mred'],
    ['the bell and delete', '\u0007\u007f', '\\u0007\\u007f'],
    ['a C1 control starts a sequence too', '\u009b2J', '\\u009b2J'],
    ['text direction is not turned round', 'a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
    ['a line separator', 'a\u2028b', 'a\\u2028b'],
  ];
  test.each(cases)('%s', (_reason, text, shown) => {
    expect(escapeLine(text)).toBe(shown);
  });

  test('tabs, and the joiners of texts and emoji, stay in a line of a file', () => {
    expect(escapeLine('a\tb')).toBe('a\tb');
    expect(escapeLine('می\u200cخواهم 👩\u200d👧 ❤\ufe0f')).toBe('می\u200cخواهم 👩\u200d👧 ❤\ufe0f');
  });
});

describe('display width', () => {
  const cases: readonly (readonly [reason: string, text: string, width: number])[] = [
    ['ASCII', 'abc', 3],
    ['combining accents have no width', 'e\u0301tude', 5],
    ['Chinese, Japanese and Korean take two', '漢字かな한글', 12],
    ['an emoji of several code points is one', '👩‍👩‍👧', 2],
    ['a tab counts as eight', '\ta', 9],
    ['escaped controls count as shown', '\u001b', 6],
    ['nothing', '', 0],
  ];
  test.each(cases)('%s', (_reason, text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

describe('fitting a line', () => {
  test('a line that fits is unchanged', () => {
    expect(fitLine('abc', [{ start: 0, end: 1 }], 3)).toEqual({
      text: 'abc',
      ranges: [{ start: 0, end: 1 }],
      cutStart: false,
      cutEnd: false,
    });
  });

  test('a long line is cut at its end when the hit is at its start', () => {
    expect(fitLine('hit and much more', [{ start: 0, end: 3 }], 7)).toEqual({
      text: 'hit and',
      ranges: [{ start: 0, end: 3 }],
      cutStart: false,
      cutEnd: true,
    });
  });

  test('a hit far to the right stays in view', () => {
    const line = `${'x'.repeat(10_000)}hit${'y'.repeat(10_000)}`;
    const fitted = fitLine(line, [{ start: 10_000, end: 10_003 }], 40);
    expect(fitted.cutStart && fitted.cutEnd).toBe(true);
    expect(displayWidth(fitted.text)).toBe(40);
    expect(highlight(fitted.text, fitted.ranges, marks)).toContain('x[hit]y');
  });

  test('no surrogate pair and no wide character is cut in two', () => {
    for (let columns = 1; columns < 12; columns += 1) {
      const { text } = fitLine('😀漢😀漢😀漢😀', [{ start: 6, end: 8 }], columns);
      expect(Buffer.from(text).toString(), `${columns} columns`).toBe(text);
      expect(displayWidth(text), `${columns} columns`).toBeLessThanOrEqual(columns);
    }
  });

  test('the cuts are marked', () => {
    const fitted = fitLine('aaaaaaaaaaaahitbbbbbbbbbbbb', [{ start: 12, end: 15 }], 8);
    expect(highlightFitted(fitted, marks, (text) => text)).toBe('… aa[hit]bbb …');
  });

  test('a text without a hit ends with an ellipsis, within its columns', () => {
    expect(fitText('abcdef', 4)).toBe('abc…');
    expect(fitText('abcd', 4)).toBe('abcd');
  });
});

test('a path is cut at its start', () => {
  expect(fitPath('src/deep/name.ts', 16)).toBe('src/deep/name.ts');
  expect(fitPath('src/deep/name.ts', 10)).toBe('…p/name.ts');
  expect(fitPath('漢字/名前', 6)).toBe('…/名前');
});

describe('highlighting', () => {
  const cases: readonly (readonly [reason: string, ranges: readonly (readonly [number, number])[], shown: string])[] = [
    ['no range', [], 'abcdef'],
    [
      'at both ends',
      [
        [0, 1],
        [5, 6],
      ],
      '[a]bcde[f]',
    ],
    [
      'neighbours stay apart',
      [
        [1, 2],
        [2, 3],
      ],
      'a[b][c]def',
    ],
    ['an empty range is left out', [[2, 2]], 'abcdef'],
    ['a range past the end is cut', [[4, 99]], 'abcd[ef]'],
  ];
  test.each(cases)('%s', (_reason, ranges, shown) => {
    expect(
      highlight(
        'abcdef',
        ranges.map(([start, end]) => ({ start, end })),
        marks,
      ),
    ).toBe(shown);
  });

  test('escaping does not move the highlighted part', () => {
    expect(highlight('\u001bab', [{ start: 1, end: 2 }], { ...marks, escape: escapeLine })).toBe('\\u001b[a]b');
  });
});

test('neighbouring positions are one range, moved by what stands before them', () => {
  expect(rangesOf([0, 1, 2, 5, 7, 8], 4)).toEqual([
    { start: 4, end: 7 },
    { start: 9, end: 10 },
    { start: 11, end: 13 },
  ]);
  expect(rangesOf([])).toEqual([]);
});

test('counts have separators and the right word', () => {
  expect([countOf(0, 'file'), countOf(1, 'file'), countOf(2345, 'file'), countOf(2, 'entry', 'entries')]).toEqual([
    '0 files',
    '1 file',
    '2,345 files',
    '2 entries',
  ]);
});

test('durations keep about three digits', () => {
  expect([0.4211, 12.34, 99.96, 1234.4].map((durationMs) => formatMs(durationMs))).toEqual([
    '0.42 ms',
    '12.3 ms',
    '100.0 ms',
    '1,234 ms',
  ]);
});

test('sizes use powers of 1024', () => {
  expect([0, 1023, 1536, 3 * 1024 ** 3].map((bytes) => formatBytes(bytes))).toEqual([
    '0 B',
    '1023 B',
    '1.5 KiB',
    '3.0 GiB',
  ]);
});
