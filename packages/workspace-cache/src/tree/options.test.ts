import { expect, test } from 'vitest';
import { ALLOWED_NAMES, EXCLUDED_DIRECTORIES, resolveTreeOptions, type TreeOptions } from './options.ts';

test('the format `source` has the form of the source document; its limit and depth can be changed', () => {
  const source = { depth: 3, maxCharacters: 10_000, maxTokens: Infinity, format: 'box' };
  expect(resolveTreeOptions({ format: 'source' })).toMatchObject(source);
  expect(resolveTreeOptions({ format: 'source', depth: 'auto' })).toMatchObject({ ...source, depth: 'auto' });
  expect(resolveTreeOptions({ format: 'source', maxCharacters: 7 })).toMatchObject({ ...source, maxCharacters: 7 });
  const limited = { ...source, maxCharacters: Infinity, maxTokens: 5 };
  expect(resolveTreeOptions({ format: 'source', maxTokens: 5 })).toMatchObject(limited);
});

test('the defaults', () => {
  const own = { depth: 'fit', maxCharacters: Infinity, maxTokens: 1000, maxWholeTokens: 450, format: 'indent' };
  expect(resolveTreeOptions({})).toMatchObject(own);
  expect(resolveTreeOptions({ format: 'box' })).toMatchObject({ ...own, format: 'box' });
  expect(resolveTreeOptions({ depth: 4 })).toMatchObject({ ...own, depth: 4 });
  expect(ALLOWED_NAMES).toEqual(['.github', '.aigne']);
  expect(EXCLUDED_DIRECTORIES.join(' ')).toBe(
    'node_modules .git dist build coverage .next .nuxt out __pycache__ venv .venv target',
  );
});

test('a limit that is given takes the place of all others', () => {
  const tokens = { maxCharacters: Infinity, maxTokens: 5, maxWholeTokens: 5 };
  expect(resolveTreeOptions({ maxTokens: 5 })).toMatchObject(tokens);
  expect(resolveTreeOptions({ maxTokens: 5, maxCharacters: 7 })).toMatchObject({ ...tokens, maxCharacters: 7 });
  const characters = { maxCharacters: 7, maxTokens: Infinity, maxWholeTokens: Infinity };
  expect(resolveTreeOptions({ maxCharacters: 7 })).toMatchObject(characters);
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
  ['depth', 0, '0', 'Use a whole number from 1, "auto" or "fit".'],
  ['depth', 1.5, '1.5', 'Use a whole number from 1, "auto" or "fit".'],
  ['depth', Infinity, 'Infinity', 'Use a whole number from 1, "auto" or "fit".'],
  ['depth', 'x', '"x"', 'Use a whole number from 1, "auto" or "fit".'],
  ['maxCharacters', -1, '-1', LIMIT],
  ['maxCharacters', Number.NaN, 'NaN', LIMIT],
  ['maxCharacters', '9', '"9"', LIMIT],
  ['maxTokens', 0.5, '0.5', LIMIT],
  ['countTokens', 3, '3', 'Use a function that returns a number.'],
  ['format', 'tree', '"tree"', 'Use "box", "indent", "paths", "source".'],
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
])('rejects %s %j', (option, value, shown, hint) => {
  expect(() => resolveTreeOptions({ [option]: value })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION', summary: `invalid option ${option}: ${shown}`, hint }),
  );
});
