import { expect, test } from 'vitest';
import { foldText } from './fold.ts';

test.each([
  ['case', 'Use PNPM', 'use pnpm'],
  ['case of letters with two lower case forms', 'STRASSE ΟΔΟΣ', 'straße οδος'],
  ['full-width letters, digits and blanks', 'Ｎｏｄｅ　２４', 'node 24'],
  ['half-width kana', 'ﾃｽﾄ', 'テスト'],
  ['blanks and line breaks', '  a\t b \r\n\n c ', 'a b c'],
  ['invisible blanks', 'a\u200bb\u00ad\ufeffc', 'abc'],
  ['a word joiner and the style of a pictograph', 'a\u2060b \u2764\ufe0f', 'ab \u2764'],
  ['a final full stop', 'It works.', 'It works'],
  ['final punctuation in Chinese', '测试需要 Redis。', '测试需要 redis'],
  ['several final marks with blanks', 'Really ?! …', 'really'],
  ['full-width final marks', '好！', '好'],
  ['composed and decomposed letters', 'cafe\u0301', 'caf\u00e9'],
])('texts are equal that differ in %s', (_, left, right) => expect(foldText(left)).toBe(foldText(right)));

test.each([
  ['letters', 'use npm', 'use pnpm'],
  ['a sign that is not final punctuation', 'written in C#', 'written in C'],
  ['a percent sign', 'at 50%', 'at 50'],
  ['a raised digit', 'x²', 'x2'],
  ['a dotless letter', 'kırk', 'kirk'],
  ['a blank between words', 'note book', 'notebook'],
  ['punctuation inside', 'a.b', 'ab'],
  ['accents', 'resume', 'résumé'],
  ['punctuation alone', '?', '!'],
])('texts differ in %s', (_, left, right) => expect(foldText(left)).not.toBe(foldText(right)));
