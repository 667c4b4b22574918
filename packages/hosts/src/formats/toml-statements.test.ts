import { expect, test } from 'vitest';
import { tomlStatements } from './toml-statements.ts';

test.each([
  [
    'tables, arrays of tables and dotted keys',
    '[a . "b c"]\nx.y = 1\n[[d]]\nz = 1\n',
    ['a/b c', 'a/b c/x/y', 'd', 'd/z'],
  ],
  ['one more quote at the end of a multi-line string', 'a = [ """x"""", "]",\n  [1],\n]\nb = 1\n', ['a', 'b']],
  ['two more quotes', "a = [ '''x''''', ']',\n  [1],\n]\nb = 1\n", ['a', 'b']],
  ['brackets and hashes in strings and comments', 'a = [ "]#", # ]\n  { b = "}" },\n]\nc = 1', ['a', 'c']],
  ['a date with a space', 'a = 1979-05-27 07:32:00Z # b = 1\nc = 1\n', ['a', 'c']],
  ['a multi-line string', 'a = """\\\n[b]\nc = 1 \\"""\n"""\nd = 1\n', ['a', 'd']],
  ['indents, empty lines, CRLF', '\r\n# x\r\n  [a]\r\n\r\n\tb = 1\r\n  # end', ['a', 'a/b']],
  ['only a comment', '# a = 1', []],
])('statements are found: %s', (_, text, paths) => {
  expect(tomlStatements(text).map(({ path }) => path.join('/'))).toEqual(paths);
});
