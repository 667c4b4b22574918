import { describe, expect, test } from 'vitest';
import { assetPath, checkName, checkProductLine, parseAssetId, parseAssetPath } from './names.ts';

const hostile: readonly (readonly [reason: string, part: string])[] = [
  ['a path upward', '../../x'],
  ['two dots', 'a..b'],
  ['only dots', '..'],
  ['one dot', '.'],
  ['a hidden file', '.git'],
  ['a command', '$(rm)'],
  ['backquotes', '`id`'],
  ['a space', 'a b'],
  ['a backslash', 'a\\b'],
  ['a line', 'a\nb'],
  ['a zero byte', 'a\0b'],
  ['a separator of the index', 'a|b'],
  ['a percent', 'a%2Fb'],
  ['a colon', 'C:x'],
  ['an invisible character', 'a\u200bb'],
  ['a text that runs backwards', 'a\u202eb'],
  ['half of a character', '\ud800'],
  ['nothing', ''],
  ['81 characters', 'x'.repeat(81)],
  ['more bytes than a file name may have', '\u{20000}'.repeat(80)],
];

describe('names', () => {
  test.each(hostile)('%s is rejected', (_, part) => {
    const refused = expect.objectContaining({ code: 'INVALID_NAME' });
    expect(() => checkName(part)).toThrow(refused);
    expect(() => checkProductLine(part === '../../x' ? part : `a/${part}`)).toThrow(refused);
    expect(parseAssetPath(`a/${part}.md`)).toBeUndefined();
  });

  test.each([['/'], ['a/'], ['/a'], ['a//b'], [`${'abcdefghi/'.repeat(40)}x`]])(
    'product line %j is rejected',
    (line) => {
      expect(() => checkProductLine(line)).toThrow(expect.objectContaining({ code: 'INVALID_NAME' }));
    },
  );

  test.each([[undefined], [null], [{}], [7], [['a']]])('%j is not a valid name', (value) => {
    expect(() => checkName(value)).toThrow(expect.objectContaining({ code: 'INVALID_NAME' }));
    expect(() => checkProductLine(value)).toThrow(expect.objectContaining({ code: 'INVALID_NAME' }));
  });

  test.each([['redis-cluster_2.0'], ['撮合引擎-延迟'], ['x'.repeat(80)], ['汉'.repeat(80)], ['-rf'], ['é']])(
    'name %j is accepted',
    (name) => {
      expect(checkName(name)).toBe(name);
      expect(parseAssetPath(assetPath({ name, productLine: 'a/b' }))).toEqual({ name, productLine: 'a/b' });
    },
  );

  test('the two forms of a character are one name, and only the composed one is a path', () => {
    expect(checkName('e\u0301')).toBe('é');
    expect(parseAssetId('a/e\u0301')).toEqual({ name: 'é', productLine: 'a' });
    expect(parseAssetPath('a/e\u0301.md')).toBeUndefined();
  });

  test('a path without a directory or with another extension has no asset', () => {
    for (const path of ['README.md', 'a/b.txt', 'a/b', 'a/.md', '.git/config.md']) {
      expect(parseAssetPath(path)).toBeUndefined();
    }
  });
});
