import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { cairn, cairnEntry, cleanEnv } from '../support/cli.ts';
import { createTree, symlink, temporaryDirectory } from '../support/tree.ts';

/** A tree in which the commands below fail or leave something out. */
function failingTree(): string {
  return createTree({
    'a.txt': 'foo\nfoo\nfoo bar\n',
    'b.txt': 'b\n',
    'data.bin': Buffer.from([0, 1, 2]),
    'latin1.txt': Buffer.from('caf\xe9\n', 'latin1'),
    'big.txt': 'line\n'.repeat(3000),
    'long.txt': `${'x'.repeat(3000)}\n`,
    full: { 'x.txt': '' },
    many: Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`f${index}`, ''])),
  });
}

/** Names of the tools and their parameters, as only a program uses them. */
const TOOL_WORDS =
  /\b(?:old_text|new_text|replace_all|max_results?|max_count|dry_run|ignore_case|search_knowledge|get_asset|product_line|allowSecret|maxResults|timeoutMs)\b|\b(?:offset|skip|limit|depth|path|hidden|ignored|mode|literal|recursive|overwrite|encoding)=|\bparameters?\b|[Ss]et (?:recursive|overwrite|literal|multiline|depth)\b|[Gg]ive (?:offset|skip|depth|limit)\b/u;

const edits = (...list: readonly object[]): readonly string[] => ['edit', 'a.txt', '--edits', JSON.stringify(list)];

const failing: readonly (readonly string[])[] = [
  ['edit', 'a.txt', '--old', 'foo', '--new', 'x'],
  ['edit', 'a.txt', '--old', 'zzz', '--new', 'x'],
  ['edit', 'a.txt', '--old', 'foo baz', '--new', 'x'],
  ['edit', 'a.txt', '--old', '', '--new', 'x'],
  ['edit', 'a.txt', '--old', 'foo', '--new', 'foo', '--all'],
  ['edit', 'a.txt', '--old', 'foo'],
  ['edit', 'a.txt', '--old', 'foo', '--new', 'x', '--all', '--expect', '11111111'],
  ['edit', 'missing.txt', '--old', 'a', '--new', 'b'],
  ['edit', 'full', '--old', 'a', '--new', 'b'],
  ['edit', 'data.bin', '--old', 'a', '--new', 'b'],
  ['edit', '../a.txt', '--old', 'a', '--new', 'b'],
  ['edit', 'a.txt', '--edits', '{'],
  ['edit', 'a.txt', '--edits', '{}'],
  ['read', 'big.txt'],
  ['read', 'big.txt', '--offset', '9999'],
  ['read', 'long.txt'],
  ['read', 'many'],
  ['read', 'many', '--limit', '5'],
  ['read', 'data.bin'],
  ['read', 'latin1.txt'],
  ['read', 'latin1.txt', '--encoding', 'nope'],
  ['read', 'missing.txt'],
  ['ls', 'a.txt'],
  ['ls', 'missing'],
  ['ls', 'many'],
  ['ls', 'many', '--skip', '9999'],
  ['ls', 'many', '--limit', '3', '--skip', '2'],
  ['delete', 'full'],
  ['delete', 'missing.txt'],
  ['delete', '.'],
  ['rename', 'a.txt', 'b.txt'],
  ['rename', 'missing.txt', 'c.txt'],
  ['rename', 'full', 'a.txt'],
  ['write', 'a.txt', '--content', 'x'],
  ['write', 'full', '--content', 'x'],
  ['write', 'a.txt', '--content', 'x', '--expect', '11111111'],
  ['patch'],
  ['tree', 'missing'],
  ['tree', 'a.txt'],
  ['tree', '--chars', '1'],
  ['find', 'x', 'missing'],
  ['find', 'f', '--limit', '3'],
  ['find', 'f', '--timeout', '0'],
  ['glob', '['],
  ['glob', '*', '--path', 'missing'],
  ['glob', 'f*', '--limit', '3'],
  ['grep', 'a(b'],
  ['grep', 'foo\\nfoo'],
  ['grep', 'foo', 'missing'],
  ['grep', 'line', '--limit', '3'],
  ['grep', 'line', '--limit', '3', '-c'],
  ['grep', 'foo', '-m', '1'],
  ['grep', 'foo', '--offset', '99'],
  ['grep', 'x', '--max-columns', '10'],
  ['grep', 'x', '--max-filesize', '1'],
  ['grep', 'foo', '-t', 'nosuch'],
  ['grep', 'x', '-g', '!*'],
  ['memory', 'remember', ''],
  ['memory', 'remember', 'password=hunter2secret'],
  ['memory', 'show', 'missing'],
  ['memory', 'list', '--limit', '0'],
  ['memory', 'import', 'missing'],
  ['memory', 'messages', '--group', 'missing'],
  ['notes', 'add', 'x', ''],
  ['notes', 'list', 'missing'],
  ['knowledge', 'add'],
  ['knowledge', 'show', 'missing'],
  ['knowledge', 'import', 'missing'],
  ['knowledge', 'team', 'push'],
  ['agents', 'show', 'missing'],
  ['agents', 'new', 'reviewer'],
  ['agents', 'clear'],
  ['workflow', 'run', 'a goal'],
  ['workflow', 'show', 'missing'],
  ['workflow', 'retry', 'missing'],
  ['mcp', 'install', 'missing'],
  ['hook', 'install', 'missing'],
  ['tour', 'missing'],
];

test.each(failing.map((args) => ({ line: args.join(' '), args })))(
  '`cairn $line` names options and commands, never parameters of tools',
  async ({ args }) => {
    const home = temporaryDirectory();
    const env = { HOME: home, XDG_STATE_HOME: join(home, 'state') };
    const { stderr } = await cairn(args, { cwd: failingTree(), env, input: '' });
    expect(stderr.trim(), 'it fails or leaves something out').not.toBe('');
    // The JSON of --edits has the names of the tool.
    expect(stderr.replace(/use a list such as .*/u, '')).not.toMatch(TOOL_WORDS);
  },
);

test.each([
  [['edit', 'a.txt', '--old', 'foo', '--new', 'x'], /^cairn: --old occurs 3 times in a\.txt.* or use --all\.\n$/u],
  [edits({ old_text: 'foo', new_text: 'x' }), /^cairn: old_text occurs 3 times in a\.txt.*, or set replace_all\.\n$/u],
  [edits({ old_text: 'foo' }), /^cairn: edit 1 of --edits has no text "new_text"; use a list such as \[\{"old_text"/u],
  [edits({ old_text: 'b', new_text: '' }, { old: 'foo' }), /^cairn: edit 2 of --edits has no text "old_text"; use/u],
  [edits({ old_text: 'b', new_text: '', all: 1 }), /^cairn: edit 1 of --edits has an unknown field "all"; use/u],
  [edits(), /^cairn: --edits is not a list of edits; use a list such as/u],
  [['read', 'big.txt'], /; continue with --offset 2001\n$/u],
  [['read', 'many'], /; continue with --offset 501\n$/u],
  [['ls', 'many'], /; continue with --skip 500\n$/u],
  [['read', 'big.txt', '--offset', '9999'], /\. Use --offset from 1 to 3000\.\n$/u],
])('`cairn %j` ends with what to type', async (args, expected) => {
  expect((await cairn(args, { cwd: failingTree(), input: '' })).stderr).toMatch(expected);
});

describe('help and hints name the command', () => {
  const PATH = '/usr/bin:/bin';

  /** What the shell prints for a command line. */
  async function typed(line: string, env: Readonly<Record<string, string>>, cwd: string): Promise<string> {
    const run = promisify(execFile)('/bin/sh', ['-c', `${line} 2>&1 || true`], {
      cwd,
      env: cleanEnv({ HOME: temporaryDirectory(), CAIRN_COMMAND: '', ...env }),
    });
    return (await run).stdout;
  }

  /** The names of the command: in the usage and the first example of its help, or in what a message suggests. */
  const named = (text: string): readonly string[] => {
    const isHelp = text.startsWith('Usage: ');
    const inHelp = /^(?:Usage: | {2}\$ )(.*) find (?:\[|readme {2})/gmu;
    const found = text.matchAll(isHelp ? inHelp : /'([^'\n]+?) (?:find|pick|grep|help)\b[^'\n]*'/gu);
    return [...new Set([...found].map(([, one = '']) => one))];
  };

  const node = process.execPath;
  const own = `${dirname(node)}:${PATH}`;

  // `LINK` is the path of a link to the command, and `BIN` its directory.
  test.each([
    ['an entry of the PATH', 'cairn', 'cairn', { PATH: `BIN:${own}` }, 'cairn'],
    ['a link with another name', 'crn', 'crn', { PATH: `BIN:${own}` }, 'crn'],
    ['the path of a link that is on the PATH', 'crn', 'LINK', { PATH: `BIN:${own}` }, 'crn'],
    ['the path of a link that is not on the PATH', 'crn', 'LINK', { PATH: own }, 'cairn'],
    ['the path of a link called cairn', 'cairn', 'LINK', { PATH: own }, 'cairn'],
    ['node and the file', 'cairn', `${node} ${cairnEntry}`, { PATH }, 'cairn'],
    ['npm', 'cairn', `${node} ${cairnEntry}`, { PATH, npm_command: 'exec' }, 'npm exec cairn --'],
  ])('by its name after it was started by %s', async (reason, name, command, env, expected) => {
    const bin = createTree({ [name]: symlink(cairnEntry) });
    const given = { ...env, PATH: env.PATH.replace('BIN', bin) };
    const cwd = reason === 'npm' ? dirname(cairnEntry) : temporaryDirectory();
    const runs = ['find --help', 'pick', 'grep --zzz', 'grep -z x'];
    const program = command.replace('LINK', join(bin, name));
    const texts = await Promise.all(runs.map(async (args) => typed(`${program} ${args}`, given, cwd)));
    expect(texts.map(named), texts.join('')).toEqual(runs.map(() => [expected]));
    expect(texts.join('')).not.toContain(dirname(cairnEntry));
  });
});
