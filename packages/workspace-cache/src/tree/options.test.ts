import { expect, test } from 'vitest';
import { ALLOWED_NAMES, EXCLUDED_DIRECTORIES, MAX_CHARACTERS, resolveTreeOptions } from './options.ts';
import type { TreeOptions } from './options.ts';

test('the defaults are those of the source document', () => {
  expect(resolveTreeOptions({})).toMatchObject({ depth: 3, maxCharacters: 10_000, maxTokens: Infinity, format: 'box' });
  expect(MAX_CHARACTERS).toBe(10_000);
  expect(ALLOWED_NAMES).toEqual(['.github', '.aigne']);
  expect(EXCLUDED_DIRECTORIES.join(' ')).toBe(
    'node_modules .git dist build coverage .next .nuxt out __pycache__ venv .venv target',
  );
});

test('a limit of tokens alone takes the place of the limit of characters', () => {
  expect(resolveTreeOptions({ maxTokens: 5 })).toMatchObject({ maxCharacters: Infinity, maxTokens: 5 });
  expect(resolveTreeOptions({ maxTokens: 5, maxCharacters: 7 })).toMatchObject({ maxCharacters: 7, maxTokens: 5 });
});

test('the value undefined counts as not given', () => {
  const none = Object.fromEntries(Object.keys(resolveTreeOptions({})).map((name) => [name, undefined]));
  expect(resolveTreeOptions(none)).toEqual(resolveTreeOptions({}));
});

const LIMIT = 'Use a whole number from 0.';
const FLAG = 'Use true or false.';
const NAMES = 'Use a list of names; a name is not empty and has no slash.';
const PATHS = 'Use a list of paths relative to the root.';

test.each<readonly [option: keyof TreeOptions, value: unknown, shown: string, hint: string]>([
  ['depth', 0, '0', 'Use a whole number from 1 or "auto".'],
  ['depth', 1.5, '1.5', 'Use a whole number from 1 or "auto".'],
  ['depth', Infinity, 'Infinity', 'Use a whole number from 1 or "auto".'],
  ['depth', 'x', '"x"', 'Use a whole number from 1 or "auto".'],
  ['maxCharacters', -1, '-1', LIMIT],
  ['maxCharacters', Number.NaN, 'NaN', LIMIT],
  ['maxCharacters', '9', '"9"', LIMIT],
  ['maxTokens', 0.5, '0.5', LIMIT],
  ['countTokens', 3, '3', 'Use a function that returns a number.'],
  ['format', 'tree', '"tree"', 'Use "box", "indent", "paths".'],
  ['language', 'de', '"de"', 'Use "en", "zh".'],
  ['exclude', 'dist', '"dist"', NAMES],
  ['exclude', ['a/b'], '["a/b"]', NAMES],
  ['allow', [''], '[""]', NAMES],
  ['allow', ['..'], '[".."]', NAMES],
  ['hidden', 'yes', '"yes"', FLAG],
  ['gitignore', 0, '0', FLAG],
  ['focus', 'src', '"src"', PATHS],
  ['focus', [1], '[1]', PATHS],
  ['focus', ['a\0b'], String.raw`["a\u0000b"]`, PATHS],
  ['timeoutMs', -1, '-1', 'Use a number of milliseconds from 0.'],
  ['timeoutMs', null, 'null', 'Use a number of milliseconds from 0.'],
])('refuses %s %j', (option, value, shown, hint) => {
  expect(() => resolveTreeOptions({ [option]: value })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION', summary: `invalid option ${option}: ${shown}`, hint }),
  );
});
