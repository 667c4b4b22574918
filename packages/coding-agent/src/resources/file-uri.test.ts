import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathOf, uriOf } from './file-uri.ts';

const rows: readonly (readonly [what: string, uri: string, path: string | undefined])[] = [
  ['a path', 'file:///a/b.ts', '/a/b.ts'],
  ['escapes', 'file:///a/b%20c%23.ts', '/a/b c#.ts'],
  ['what templates leave as it is', 'file:///a/b#c?d.ts', '/a/b#c?d.ts'],
  ['capitals', 'FILE:///a', '/a'],
  ['dots, which URL parsing removes', 'file:///a/../b', '/b'],
  ['this machine by name', 'file://localhost/a', '/a'],
  ['another machine', 'file://server/a', undefined],
  ['a slash in an escape', 'file:///a%2Fb', undefined],
  ['a broken escape', 'file:///a%zz', undefined],
  ['another scheme', 'https://example.com/a', undefined],
  ['a path without a scheme', 'a.ts', undefined],
  ['nothing', '', undefined],
];

test.each(rows)('the path of a URI: %s', (_, uri, path) => {
  expect(pathOf(uri)).toBe(path);
});

test('the URI of a path leads back to it', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((one) => !/[/\\\0]|^\.{1,2}$/u.test(one));
  fc.assert(
    fc.property(fc.array(name, { minLength: 1 }), (names) => {
      const path = `/${names.join('/')}`;
      expect(pathOf(uriOf(path))).toBe(path);
    }),
  );
});
