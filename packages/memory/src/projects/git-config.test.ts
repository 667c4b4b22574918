/** The parser of git's configuration, compared with git itself. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parseGitConfig } from './git-config.ts';

/** The variables by git, as `section.subsection.name` and value. */
function oracle(text: string): string[] {
  const given = ['config', '-f', '-', '--list', '-z'];
  const { status, stdout, stderr } = spawnSync('git', given, { input: text, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.split('\0').slice(0, -1);
}

function ours(text: string): string[] {
  return parseGitConfig(text).map(({ section, subsection, name, value }) => {
    const key = [section, ...(subsection === '' ? [] : [subsection]), name].join('.');
    return `${key}\n${value}`;
  });
}

test.each([
  ['a remote', '[remote "origin"]\n\turl = https://example.com/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'],
  ['names in capitals', '[Core]\n\tWorkTree = ../Sub\n[REMOTE "Up Stream"]\n\tURL=x\n'],
  ['quotes', '[a]\n\tb = "x ; y" z\n\tc = " padded "\n\td = a"b"c\n'],
  ['escapes', String.raw`[a]` + '\n' + String.raw`	b = "a\"b\\c\td"` + '\n' + String.raw`	c = x\\y` + '\n'],
  ['comments', '# one\n; two\n[a] # three\n\tb = c # four\n\td = e;five\n'],
  ['a value on two lines', '[a]\n\tb = one \\\n two\n\tc = d\n'],
  ['Windows line ends', '[a]\r\n\tb = c\r\n'],
  ['a variable after its section', '[a] b = c\n[d "e"] f = g\n'],
  ['a subsection with quotes', '[a "b\\"c\\\\d"]\n\te = f\n'],
  ['inner whitespace', '[a]\n\tb =   one   two   \n'],
  ['an empty value', '[a]\n\tb =\n\tc = ""\n'],
  ['a repeated variable', '[a]\n\tb = 1\n\tb = 2\n'],
  ['nothing', ''],
])('reads %s like git', (_, text) => {
  expect(ours(text)).toEqual(oracle(text));
});

test('a variable without a value has an empty one, and other lines are passed over', () => {
  expect(parseGitConfig('[a]\n\tb\n???\n[c\n\td = e\n')).toEqual([
    { section: 'a', subsection: '', name: 'b', value: '' },
    { section: 'a', subsection: '', name: 'd', value: 'e' },
  ]);
});
