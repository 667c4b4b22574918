import { expect, test } from 'vitest';
import { tomlStatements } from './toml-statements.ts';

test.each([
  [
    'tables, arrays of tables and dotted keys',
    '[a . "b c"]\nx.y = 1\n[[d]]\nz = 1\n',
    ['a/b c', 'a/b c/x/y', 'd', 'd/z'],
  ],
  ['a quote more at the end of a long text', 'a = [ """x"""", "]",\n  [1],\n]\nb = 1\n', ['a', 'b']],
  ['two quotes more', "a = [ '''x''''', ']',\n  [1],\n]\nb = 1\n", ['a', 'b']],
  ['brackets and hashes in texts and comments', 'a = [ "]#", # ]\n  { b = "}" },\n]\nc = 1', ['a', 'c']],
  ['a date with a blank', 'a = 1979-05-27 07:32:00Z # b = 1\nc = 1\n', ['a', 'c']],
  ['a text of several lines', 'a = """\\\n[b]\nc = 1 \\"""\n"""\nd = 1\n', ['a', 'd']],
  ['indents, empty lines, CRLF', '\r\n# x\r\n  [a]\r\n\r\n\tb = 1\r\n  # end', ['a', 'a/b']],
  ['a comment and nothing else', '# a = 1', []],
])('statements are found: %s', (_, text, paths) => {
  expect(tomlStatements(text).map(({ path }) => path.join('/'))).toEqual(paths);
});
