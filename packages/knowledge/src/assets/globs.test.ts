import fc from 'fast-check';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { createGlobs } from './globs.ts';

test.each([
  ['src/**/*.ts', ['src/a.ts', 'src/x/y/a.ts'], ['src/a.js', 'lib/src/a.ts', 'src']],
  ['src/**', ['src/a', 'src/.env', 'src/x/y'], ['lib/src/a']],
  ['src/', ['src/a', 'src/x/y', 'lib/src/a'], ['srca']],
  ['/src/', ['src/a'], ['lib/src/a']],
  ['*.ts', ['a.ts', 'src/x/a.ts'], ['a.tsx']],
  ['/*.ts', ['a.ts'], ['src/a.ts']],
  ['./src/*.ts', ['src/a.ts'], ['src/x/a.ts']],
  ['**/*.yml', ['a.yml', '.github/workflows/a.yml'], ['a.yaml']],
  ['*.{ts,tsx}', ['a.ts', 'a.tsx'], ['a.js']],
  ['{src,test}/**/a{1,2}.ts', ['src/a1.ts', 'test/x/a2.ts'], ['lib/a1.ts']],
  ['{a,b{c,d}}.ts', ['a.ts', 'bc.ts', 'bd.ts'], ['b.ts']],
  ['src/?.ts', ['src/a.ts', 'src/表.ts'], ['src/ab.ts', 'src/.ts']],
  ['src/[a-c].ts', ['src/b.ts'], ['src/d.ts']],
  ['src/[!a-c].ts', ['src/d.ts'], ['src/b.ts']],
  ['src/[[]id]/page.ts', ['src/[id]/page.ts'], ['src/i/page.ts']],
  ['文档/**/*.md', ['文档/a/表.md'], ['文/表.md']],
  ['Dockerfile', ['Dockerfile', 'a/Dockerfile'], ['Dockerfile.dev']],
  ['src\\a.ts', ['src/a.ts'], []],
  ['{a.ts', ['{a.ts'], ['a.ts']],
  ['[a.ts', ['[a.ts'], ['a.ts']],
  ['', [], ['', 'a']],
  ['cafe\u0301/*', ['caf\u00e9/a'], []],
])('%j matches %j and not %j', (glob, matching, others) => {
  const matches = createGlobs([glob]);
  expect(matching.filter((path) => !matches(path))).toEqual([]);
  expect(others.filter((path) => matches(path))).toEqual([]);
});

test('one of several globs is enough', () => {
  const matches = createGlobs(['docs/**', '*.sql']);
  expect([matches('docs/a.md'), matches('x/a.sql'), matches('x/a.md')]).toEqual([true, true, false]);
  expect(createGlobs([])('a')).toBe(false);
});

test("it matches as Node's globs do, but for names that start with a dot", () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 3 });
  const part = fc.oneof(
    fc.constant('**'),
    fc.string({ unit: fc.constantFrom('a', 'b', '*', '?', '[ab]', '[!a]'), minLength: 1, maxLength: 4 }),
    fc.constantFrom('{a,b}', 'a{b,*}'),
  );
  const glob = fc.tuple(part, part, part).map((parts) => parts.join('/'));
  const path = fc.array(name, { minLength: 3, maxLength: 5 }).map((names) => names.join('/'));
  // Within a part, Node has further rules for several stars.
  const isCommon = (text: string): boolean => !/\*\*[^/]|[^/]\*\*/u.test(text);
  fc.assert(
    fc.property(glob.filter(isCommon), path, (given, tried) => {
      expect(createGlobs([given])(tried)).toBe(posix.matchesGlob(tried, given));
    }),
    { numRuns: 1000 },
  );
});

test('a hostile glob takes little time', () => {
  expect(createGlobs([`${'*a'.repeat(150)}b`])('a'.repeat(4000))).toBe(false);
  expect(createGlobs([`${'**/a/'.repeat(70)}b`])('a/'.repeat(1000))).toBe(false);
  expect(createGlobs(['{a,b}'.repeat(60)])('b'.repeat(60))).toBe(false);
  expect(createGlobs(['{'.repeat(300)])('a')).toBe(false);
});
