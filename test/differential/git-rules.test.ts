import { join } from 'node:path';
import { FileType, glob } from '@cairn/natives';
import { beforeAll, describe, expect, test } from 'vitest';
import { difference, noDifference, useNeutralHome } from '../support/difference.ts';
import { gitListing } from '../support/listings.ts';
import { git } from '../support/tools.ts';
import type { Tree } from '../support/tree.ts';
import { bytesName, createTree, newDirectory, removeTree, symlink, writeTree } from '../support/tree.ts';

/** Files under every rule of the table, each a name that some rule is about or nearly about. */
const names: readonly string[] = [
  'a',
  'b',
  'ab',
  'a-b',
  'a.b',
  'a b',
  'aéb',
  'a{b}c',
  '{a,b}',
  'a[b',
  '[a',
  '[a]',
  '[',
  ']',
  'a]',
  '-',
  '^',
  '!',
  '\\',
  'a\\b',
  'A',
  '1',
  'é',
  '#x',
  ' #x',
  'foo',
  'FOO',
  'B',
  'foo ',
  'foo  ',
  'foo\t',
  'foo\r',
  '...',
  'dir/a',
  'dir/ab',
  'dir/a.b',
  'dir/a/b',
  'dir/x/y/b',
  'x/a/b',
  'x/axb',
  bytesName(0x61, 0xff),
  bytesName(0xff),
];

/** Rules on which matchers other than git's have differed from it. Git is right about its own file. */
const cases: readonly (readonly [reason: string, rule: string | Uint8Array])[] = [
  ['a plain name', 'a'],
  ['a plain name, anchored', '/a'],
  ['a directory', 'a/'],
  ['a star', 'a*'],
  ['a star does not reach over a slash', 'dir/*'],
  ['two stars do', 'dir/**'],
  ['two stars in the middle', 'dir/**/b'],
  ['two stars inside a name are one', 'd**r/a'],
  ['everything', '*'],
  ['everything but directories', '*\n!*/\n'],
  ['one more, reopened', '*\n!dir\n!dir/ab\n'],
  ['a question mark is one byte', '?'],
  ['two question marks', '??'],
  ['a question mark does not match a slash', 'a?b'],
  ['a class', '[ab]'],
  ['a class is of bytes', 'a[é]b'],
  ['a class, negated', '[!a]'],
  ['a class, negated as in regular expressions', '[^a]'],
  ['a class that begins with a bracket', '[]a]'],
  ['a class with a hyphen last', '[a-]'],
  ['a class with a caret in it', '[a^]'],
  ['a leading slash alone', '/'],
  ['a negation alone', '!'],
  ['a doubled slash', 'dir//a'],
  ['a leading dot and slash', './a'],
  ['an escaped hash', '\\#x'],
  ['an escaped letter', '\\a'],
  ['an escaped backslash', '\\\\'],
  ['a backslash at the end', 'foo\\'],
  ['an escaped space at the end', 'foo\\ '],
  ['two escaped whitespace at the end', 'foo\\ \\ '],
  ['whitespace at the end', 'foo  '],
  ['a carriage return at the end', 'foo\r'],
  ['a space and a hash', ' #x'],
  ['dots', '...'],
  ['another case', 'A'],
];

/** The same, where ripgrep's matcher answers otherwise. */
const casesOfGitAlone: readonly (readonly [reason: string, rule: string | Uint8Array])[] = [
  ['braces are plain characters', '{a,b}'],
  ['braces inside a name are plain characters', 'a{b,-b}'],
  ['a negated class does not match a slash', 'a[!x]b'],
  ['a negated class does not match a slash, anchored', 'dir/a[^x]b'],
  ['a class with a slash does not match one', 'dir/a[/]b'],
  ['a range over the slash does not match one', 'dir/a[+-9]b'],
  ['a space after an escaped one is dropped', 'foo\\  '],
  ['a space after an escaped backslash is dropped', '\\\\ '],
  ['a tab at the end is kept', 'foo\t'],
  ['a negation alone reopens nothing', 'a\n!\n'],
  ['a component of more than two stars is one of two', 'dir/***/b'],
  ['two stars after a literal beginning reach over slashes', 'd**/b'],
  ['two stars at the end, after a literal beginning, do too', '*\n!*/\n!dir/x**\n'],
  ['two stars after a space', ' **/**'],
  ['two stars and a doubled slash', '*\n!dir**//\n'],
  ['a bracket and a colon in a class', '[[:]*[[.a.]]'],
  ['a named class', '[[:upper:][:digit:]]'],
  ['an escaped bracket in a class', '[\\]]'],
  ['an escaped hyphen in a class', '[a\\-\\\\]'],
  ['a class that is not closed matches nothing', '[a'],
  ['a class that is not closed matches nothing, after a letter', 'a[b'],
  ['the start of a range can be escaped', '[\\!-[:alpha:]]'],
];

/** Rules to which the case of letters matters in one place and not in another. */
const casesOfLetters: readonly (readonly [reason: string, rule: string])[] = [
  ['an upper-case name', 'FOO'],
  ['an upper-case name after a star', '*B'],
  ['an upper-case name below another', 'DIR/A'],
  ['an escaped lower-case letter', '\\a'],
  ['an escaped upper-case letter', '\\A'],
  ['an escaped upper-case letter after a directory', 'dir/\\A'],
  ['an upper-case letter in a class', '[A]'],
  ['an upper-case letter in a negated class', '[!A]'],
  ['an escaped letter in a class', '[\\A]'],
  ['a range of upper-case letters', '[A-Z]'],
  ['a range of lower-case letters, negated', '[^a-z]'],
  ['a range over both cases', '[A-z]'],
  ['a range from the last upper-case to the first lower-case letter', '[Z-a]'],
  ['a range from a sign before the letters', '[!@-B]'],
  ['a reversed range', '[b-a]'],
  ['a reversed range of upper-case letters', '[B-A]'],
  ['a reversed range over both cases', '[b-A]'],
  ['a reversed range, negated', '[!b-a]'],
  ['a reversed range from a sign after the letters', '[^-A]'],
  ['a reversed range that begins with an escaped letter', '[\\b-\\a]'],
  ['the class of upper-case letters', '[[:upper:]]'],
  ['the class of lower-case letters', '[[:lower:]]'],
  ['the class of upper-case letters, negated', '[![:upper:]]'],
  ['the name of a class in upper case', '[[:UPPER:]]'],
];

/** Files and links that no rule hides, by the directory below the root. */
async function ourFiles(root: string): Promise<string[]> {
  const { matches } = await glob({ pattern: '**', path: root, hidden: true });
  return matches.filter(({ fileType }) => fileType !== FileType.Dir).map(({ path }) => path);
}

function inDirectory(paths: readonly string[], directory: string): string[] {
  return paths.filter((path) => path.startsWith(`${directory}/`)).map((path) => path.slice(directory.length + 1));
}

beforeAll(useNeutralHome);

describe.each([
  { title: 'a rule hides what git hides', ignoreCase: false },
  { title: 'with core.ignoreCase, a rule hides what git hides', ignoreCase: true },
])('$title', ({ ignoreCase }) => {
  const all = [...cases, ...casesOfGitAlone, ...casesOfLetters].map(
    ([reason, rule], index) => [reason, rule, `rule-${index}`] as const,
  );
  const content: Tree = Object.fromEntries(names.map((name) => [name === 'dir/a' ? 'dir/a.x' : name, '']));
  let ours: string[] = [];
  let theirs: string[] = [];
  beforeAll(async () => {
    const root = newDirectory();
    for (const [, rule, directory] of all) writeTree(join(root, directory), { ...content, '.gitignore': rule });
    git(['init', '--quiet'], root);
    git(['config', 'core.ignoreCase', String(ignoreCase)], root);
    ours = await ourFiles(root);
    theirs = gitListing(root).files;
    return () => removeTree(root);
  });

  test.each(all)('%s', (_reason, rule, directory) => {
    expect(theirs.length).toBeGreaterThan(all.length);
    const found = difference(inDirectory(ours, directory), inDirectory(theirs, directory));
    expect(found, `with the rule ${JSON.stringify(String(rule))}`).toEqual(noDifference);
  });
});

describe('a rule that is not valid UTF-8', () => {
  test('hides the file of that name, as in git', async () => {
    const root = createTree({
      [bytesName(0x61, 0xff)]: '',
      a: '',
      b: '',
      '.gitignore': Uint8Array.of(0x61, 0xff, 0x0a, 0x62, 0x0a),
    });
    git(['init', '--quiet'], root);
    expect(difference(await ourFiles(root), gitListing(root).files)).toEqual(noDifference);
  });
});

describe('an ignore file that is a link', () => {
  test('has no rules, as in git', async () => {
    const root = createTree({ rules: 'a\n', '.gitignore': symlink('rules'), a: '', b: '' });
    git(['init', '--quiet'], root);
    expect(difference(await ourFiles(root), gitListing(root).files)).toEqual(noDifference);
  });
});
