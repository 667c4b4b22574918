import { describe, expect, test } from 'vitest';
import { neededCommands } from './registry.ts';
import { run } from './run.ts';
import type { CommandContext } from './terminal/command-context.ts';
import { recordedContext } from './testing/context.ts';

interface Ran {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

async function cairn(args: readonly string[], more: Partial<CommandContext> = {}): Promise<Ran> {
  const { context, texts } = recordedContext(more);
  return { exitCode: await run(args, context), ...texts };
}

/** The commands of the registry that have no parent. */
const topCommands = neededCommands([]).filter((name) => !name.includes(' '));

describe('invalid arguments are one line with status 2, which states what to do', () => {
  const cases: readonly (readonly [args: string, line: string])[] = [
    ['gerp', 'unknown command "gerp"; did you mean "grep"? (see \'cairn --help\')'],
    ['remember', 'unknown command "remember"; use "memory remember" (see \'cairn --help\')'],
    ['share', 'unknown command "share"; use "knowledge share" (see \'cairn --help\')'],
    ['xyz', `unknown command "xyz"; use one of ${topCommands.join(', ')} (see 'cairn --help')`],
    ['help gerp', 'unknown command "gerp"; \'cairn --help\' lists the commands'],
    ['help memory gerp', 'unknown command "memory gerp"; \'cairn --help\' lists the commands'],
    ['help grep x', 'unknown command "grep x"; \'cairn --help\' lists the commands'],
    [
      'grep x --limt 3',
      'unknown option "--limt"; did you mean "--limit"? to use it as text to search for, put -- before it (see \'cairn grep --help\')',
    ],
    [
      'knowledge add --tags x',
      'unknown option "--tags"; did you mean "--tag"? to use it as a name, put -- before it (see \'cairn knowledge add --help\')',
    ],
    ['grep', "missing argument <pattern>; use 'cairn grep [options] <pattern> [path...]' (see 'cairn grep --help')"],
    ['find x --limit', 'option "--limit <n>" needs a value; add it after the option (see \'cairn find --help\')'],
    ['find x --json=1', 'option "--json" does not accept a value; use --json alone (see \'cairn find --help\')'],
    ['ls --depth 99', 'invalid --depth "99"; use a whole number from 1 to 20'],
    ['find x --limit many', 'invalid --limit "many"; use a whole number from 0'],
    [
      'knowledge add x --new --update y',
      'options "--new" and "--update <asset>" exclude each other; leave one of them out (see \'cairn knowledge add --help\')',
    ],
    ['find x --path=', "--path is empty; use a path, or '.' for the current directory"],
    [
      'rename a b c',
      "'cairn rename' takes two arguments, but got 3: a b c; put quotes around names that contain spaces (see 'cairn rename --help')",
    ],
    [
      'read --limt 3',
      'unknown option "--limt"; did you mean "--limit"? to use it as a name, put -- before it (see \'cairn read --help\')',
    ],
    [
      'memory --keep',
      'unknown option "--keep"; put the options of a command after its name (see \'cairn memory --help\')',
    ],
    ['doctor --fix', 'unknown option "--fix"; leave it out (see \'cairn doctor --help\')'],
    ['read', "missing argument <path>; use 'cairn read [options] <path>' (see 'cairn read --help')"],
    ['write a.txt', 'standard input is a terminal; pipe the content, or use --content'],
    ['write a --overwrite --expect 1a2b3c4d', '--overwrite and --expect exclude each other; leave one of them out'],
    ['write a --expect x', 'invalid --expect "x"; use the tag that \'cairn read\' prints, such as 1a2b3c4d'],
    ['edit a', 'the edit is missing; use --old and --new, or --edits'],
    ['edit a --edits [] --all', '--edits excludes --old, --new and --all; leave them out'],
    ['patch', "standard input is a terminal; name a file, or pipe the patch, as in 'cairn patch < change.patch'"],
    ['ls --root=', "--root is empty; use a directory, or '.' for the current one"],
    ['find x --color sometimes', 'invalid --color "sometimes"; use auto, always or never'],
  ];
  test.each(cases)('cairn %s', async (args, line) => {
    expect(await cairn(args.split(' '))).toEqual({ exitCode: 2, out: '', err: `cairn: ${line}\n` });
  });
});

test('with --json invalid arguments are one document on standard output', async () => {
  const call = await cairn(['glob', 'x', '--json', '--long']);
  expect({ ...call, out: JSON.parse(call.out) }).toEqual({
    exitCode: 2,
    out: {
      error: {
        code: 'USAGE',
        message: '--long and --json exclude each other',
        fix: 'use --json with --sort-mtime for sizes and times',
      },
    },
    err: '',
  });
  expect((await cairn(['grep', '--json'])).out).toContain('missing argument <pattern>');
  expect((await cairn(['grep', '--', '--json', 'x'])).out).toBe('');
});

test('no command at all shows the help on standard error with status 2', async () => {
  const { exitCode, out, err } = await cairn([]);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
  expect(err).toContain('Usage: cairn [options] [command]');
});

test('help of a subcommand is that of the subcommand', async () => {
  for (const args of ['help memory recall', 'help memory search', 'memory help recall']) {
    const { exitCode, out } = await cairn(args.split(' '));
    expect({ exitCode, out }).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining('Usage: cairn memory recall'),
    });
  }
  expect((await cairn(['help', 'memory', 'project', 'move'])).out).toContain('Usage: cairn memory project move');
});

const helps: readonly string[] = [
  '--help',
  '-h',
  'help',
  'find --help',
  'help glob',
  'grep -h',
  'tour --help',
  'read -h',
  'write -h',
  'edit -h',
  'patch -h',
  'delete -h',
  'rename -h',
  'ls -h',
];
test.each(helps)('cairn %s prints help with examples, status 0', async (args) => {
  const { exitCode, out, err } = await cairn(args.split(' '));
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  expect(out).toContain('Examples:\n  $ cairn ');
});

test('help fits the width it is given', async () => {
  const { out } = await cairn(['grep', '--help']);
  const options = out.slice(out.indexOf('Options:'), out.indexOf('Examples:'));
  expect(Math.max(...options.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
});

test('--version prints the version of the package', async () => {
  const { exitCode, out } = await cairn(['--version']);
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^\d+\.\d+\.\d+\n$/u);
});

test('a stack trace is shown only on request', async () => {
  const { err } = await cairn(['gerp'], { env: { CAIRN_DEBUG: '1' } });
  expect(err.split('\n').length).toBeGreaterThan(2);
  expect(err).toContain('    at ');
});
