import { applyPatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffOfTexts, formatHunks } from './diff.ts';

const lines = (count: number, name: string): string =>
  Array.from({ length: count }, (_, index) => `${name} ${index}\n`).join('');

test.each([
  ['a few lines', 'a\nb\nc\n', 'a\nB\nc\n', { addedLines: 1, removedLines: 1, cut: false }],
  ['nothing', 'a\n', 'a\n', { addedLines: 0, removedLines: 0, cut: false }],
  [
    'more lines than are compared',
    `top\n${lines(700, 'old')}end\n`,
    `top\n${lines(800, 'new')}end\n`,
    { addedLines: 800, removedLines: 700, cut: false },
  ],
  [
    'more lines than a diff holds',
    lines(3000, 'old'),
    lines(3000, 'new'),
    { addedLines: 0, removedLines: 0, cut: true },
  ],
])('a diff shows %s', (_reason, before, after, expected) => {
  expect(diffOfTexts(before, after)).toMatchObject(expected);
});

test('a diff of many lines shows them as one hunk, with the lines around it', () => {
  const around = ['1', '2', '3', '4', '5'].join('\n');
  const { hunks } = diffOfTexts(`${around}\n${lines(600, 'old')}${around}`, `${around}\n${lines(600, 'new')}${around}`);
  expect(hunks).toHaveLength(1);
  expect(hunks[0]).toMatchObject({ oldStart: 3, oldLines: 606, newStart: 3, newLines: 606 });
  expect(hunks[0]?.lines.slice(0, 4)).toEqual([' 3', ' 4', ' 5', '-old 0']);
  expect(hunks[0]?.lines.slice(-4)).toEqual(['+new 599', ' 1', ' 2', ' 3']);
});

test('a diff makes the new text of the old one', () => {
  const line = fc.constantFrom('a', 'b', 'c\r', '');
  const text = fc
    .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
    .map(([all, isEnded]) => all.join('\n') + (isEnded ? '\n' : ''));
  fc.assert(
    fc.property(text, text, fc.boolean(), (before, after, isLong) => {
      // Long enough to be shown as a whole.
      const [old, changed] = isLong ? [lines(300, 'x') + before, lines(300, 'y') + after] : [before, after];
      const patch = `--- a\n+++ b\n${formatHunks(diffOfTexts(old, changed).hunks)}\n`;
      expect(applyPatch(old, patch, { autoConvertLineEndings: false })).toBe(changed);
    }),
  );
});
