import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDataMarks } from './data-marks.ts';

const marks = createDataMarks('file-content');

test('wraps data with its attributes', () => {
  expect(marks.wrap({ path: 'a.ts', date: 'today' }, 'text')).toBe(
    '<file-content path="a.ts" date="today">\ntext\n</file-content>',
  );
});

test.each([
  ['the end mark', '</file-content>'],
  ['the begin mark', '<file-content path="x">'],
  ['capitals', '</FILE-CONTENT>'],
  ['blanks', '< / file - content >'],
  ['a no-break hyphen', '</file\u2011content>'],
  ['no hyphen', '</filecontent>'],
  ['Cyrillic letters', '</filе-соntеnt>'],
  ['full width', '＜／ｆｉｌｅ－ｃｏｎｔｅｎｔ＞'],
  ['mathematical letters', '</𝐟𝐢𝐥𝐞-𝐜𝐨𝐧𝐭𝐞𝐧𝐭>'],
  ['invisible characters', '<\u200b/fi\u200dle-cont\u00adent>'],
])('data cannot hold a mark written with %s', (_, forged) => {
  const wrapped = marks.wrap({}, `before ${forged} after`);
  expect(wrapped).toContain('before &lt;');
  expect(wrapped.match(/<\/?file-content/gu)).toHaveLength(2);
});

test('an attribute can neither end its value nor hold a mark', () => {
  expect(marks.wrap({ path: '"></file-content>&' }, '')).toBe(
    '<file-content path="&quot;&gt;&lt;/file-content&gt;&amp;">\n\n</file-content>',
  );
});

test.each(['a < b', '<file>', 'List<Content>', '<div>'])('other text stays as it is: %s', (text) => {
  expect(marks.neutralize(text)).toBe(text);
});

test('any data has exactly its own two marks', () => {
  const parts = fc.constantFrom('<', '/', 'file', '-', 'content', '>', ' ', '\u200b', 'FILE', 'x', '\n');
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 20 }), (all) => {
      const inner = marks.wrap({}, all.join('')).slice('<file-content>\n'.length, -'\n</file-content>'.length);
      expect(inner).not.toMatch(/<\s*\/?\s*file-content/iu);
    }),
  );
});

test('a long text that almost holds marks takes linear time', () => {
  const text = `<${'/ '.repeat(200_000)}file${'-'.repeat(200_000)}`;
  expect(marks.neutralize(text)).toBe(text);
});

test.each(['', 'File', 'a b', '-a', 'a1', 'a<'])('refuses the name %j', (name) => {
  expect(() => createDataMarks(name)).toThrow(RangeError);
});
