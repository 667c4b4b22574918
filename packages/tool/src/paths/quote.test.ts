import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeControls, quotePath, unquotePath } from './quote.ts';

const rows: readonly (readonly [what: string, path: string, shown: string])[] = [
  ['a path', 'src/a b.ts', 'src/a b.ts'],
  ['other scripts', '漢字/Grün.txt', '漢字/Grün.txt'],
  ['an emoji', '❤️/👩‍👩‍👧/👍🏽.txt', '❤️/👩‍👩‍👧/👍🏽.txt'],
  ['a parameter in brackets', 'app/[id].tsx', 'app/[id].tsx'],
  ['brackets alone', '[id]', '[id]'],
  ['brackets before a space', '[id] copy', '[id] copy'],
  ['a backslash', String.raw`a\nb`, String.raw`a\nb`],
  ['a quote in the middle', 'a"b', 'a"b'],
  ['a line feed', 'a\nb', String.raw`"a\nb"`],
  ['a carriage return', 'a\rb', String.raw`"a\rb"`],
  ['a tab', 'a\tb', String.raw`"a\tb"`],
  ['an escape sequence', 'a\u001b[31mb', String.raw`"a\u001b[31mb"`],
  ['a control of the second set', 'a\u009b1mb', String.raw`"a\u009b1mb"`],
  ['a delete', 'a\u007fb', String.raw`"a\u007fb"`],
  ['a line separator', 'a\u2028b\u2029c', String.raw`"a\u2028b\u2029c"`],
  ['a change of direction', 'a\u202egnp.exe', String.raw`"a\u202egnp.exe"`],
  ['an isolate', 'a\u2066b\u2069', String.raw`"a\u2066b\u2069"`],
  ['an Arabic letter mark', 'a\u061cb', String.raw`"a\u061cb"`],
  ['a zero-width space', 'a\u200bb', String.raw`"a\u200bb"`],
  ['a joiner between letters', 'a\u200db', String.raw`"a\u200db"`],
  ['a selector after a letter', 'a\ufe0fb', String.raw`"a\ufe0fb"`],
  ['a selector beyond the basic plane', 'a\u{e0100}b', String.raw`"a\udb40\udd00b"`],
  ['a soft hyphen', 'a\u00adb', String.raw`"a\u00adb"`],
  ['a byte order mark', '\ufeffa', String.raw`"\ufeffa"`],
  ['a tag', 'a\u{e0041}b', String.raw`"a\udb40\udc41b"`],
  ['a filler', 'a\u3164b', String.raw`"a\u3164b"`],
  ['half a surrogate pair', 'a\ud83d', String.raw`"a\ud83d"`],
  ['a quote and a backslash next to it', 'a"\\\n', String.raw`"a\"\\\n"`],
  ['a quoted name', '"a"', String.raw`"\"a\""`],
  ['a quoted name with an escape', String.raw`"a\nb"`, String.raw`"\"a\\nb\""`],
  ['a space at the start', ' a', '" a"'],
  ['a space at the end', 'a ', '"a "'],
  ['a notice', '[no match]', '"[no match]"'],
  ['a notice before a name', '[no match] a/', '"[no match] a/"'],
  ['a numbered line', '12: secret', '"12: secret"'],
  ['a numbered line of context', '12- secret', '"12- secret"'],
  ['a gap', '--', '"--"'],
  ['a link', 'a -> /etc/passwd', '"a -> /etc/passwd"'],
];

test.each(rows)('shows %s', (_, path, shown) => {
  expect(quotePath(path)).toBe(shown);
  expect(unquotePath(shown)).toBe(path);
});

test.each([
  ['quotes without need', '"a"'],
  ['an escape of a harmless character', String.raw`"a\u0062\n"`],
  ['capitals in an escape', String.raw`"\u001B"`],
  ['an open quote', '"a'],
  ['a quote alone', '"'],
  ['two names', '"a\\n" "b"'],
  ['a number', '12'],
])('a text that no path has is itself a path: %s', (_, text) => {
  expect(unquotePath(text)).toBe(text);
});

test('what is shown is one line, leads back to the path, and no two paths are shown alike', () => {
  const character = fc.constantFrom(
    'a',
    '"',
    '\\',
    'n',
    ' ',
    '\n',
    '\r',
    '\u001b',
    '\u0085',
    '\u2028',
    '\u202e',
    '👩',
    '\u200d',
    '/',
  );
  const path = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: character }));
  fc.assert(
    fc.property(path, path, (one, other) => {
      const shown = quotePath(one);
      expect(shown).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
      expect(unquotePath(shown)).toBe(one);
      expect(shown.startsWith('"') ? JSON.parse(shown) : shown).toBe(one);
      expect(quotePath(other) === shown).toBe(one === other);
    }),
    { numRuns: 2000 },
  );
});

test('the length of a hostile path does not change the cost of a character', () => {
  expect(quotePath('\u200d'.repeat(100_000))).toHaveLength(600_002);
});

test('escapes a foreign text in a line, and keeps what the caller names', () => {
  expect(escapeControls('a\n\tb\u001b')).toBe(String.raw`a\n\tb\u001b`);
  expect(escapeControls('a\n\tb\u001b', '\t')).toBe(`${String.raw`a\n`}\t${String.raw`b\u001b`}`);
});
