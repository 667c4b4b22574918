import { describe, expect, test } from 'vitest';
import { run } from './run.ts';
import type { Session } from './session.ts';

interface Ran {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

async function cairn(args: readonly string[], more: Partial<Session> = {}): Promise<Ran> {
  const texts = { out: '', err: '' };
  const output = (name: 'out' | 'err'): Session['out'] => ({
    isTerminal: false,
    width: 100,
    write: (text) => {
      texts[name] += text;
      return Promise.resolve();
    },
  });
  const session: Session = {
    input: { isTerminal: true, read: () => Promise.resolve(new Uint8Array()) },
    openTerminal: () => undefined,
    out: output('out'),
    err: output('err'),
    env: {},
    cwd: '/',
    signal: new AbortController().signal,
    onAbruptEnd: () => () => undefined,
    ...more,
  };
  return { exitCode: await run(args, session), ...texts };
}

describe('a wrong call is one line, status 2, and says what to do', () => {
  const cases: readonly (readonly [args: string, line: string])[] = [
    ['gerp', "unknown command 'gerp'; did you mean grep? (see 'cairn --help')"],
    [
      'xyz',
      "unknown command 'xyz'; the commands are find, glob, grep, pick, ls, read, write, edit, patch, delete, rename, memory, notes, workflow, tour, mcp, doctor (see 'cairn --help')",
    ],
    ['help gerp', "there is no command 'gerp' to show help for; 'cairn --help' lists the commands"],
    [
      'grep x --limt 3',
      "unknown option '--limt'; did you mean --limit? (see 'cairn grep --help'; to search for text that starts with '-', put -- before it)",
    ],
    ['grep', "'cairn grep' needs an argument: <pattern> (see 'cairn grep --help')"],
    [
      'glob a.ts b.ts',
      "'cairn glob' takes one argument, but got 2: a.ts b.ts; quote a pattern, and use --path to say where to search (see 'cairn glob --help')",
    ],
    ['find x --limit', "option '--limit <n>' needs a value (see 'cairn find --help')"],
    ['find x --limit many', "--limit takes a whole number from 0, not 'many'"],
    [
      'grep x -c -l',
      "option '-c, --count' cannot be used with option '-l, --files-with-matches' (see 'cairn grep --help')",
    ],
    ['grep x -g a -g b', "--glob can be given once; join patterns as '{*.ts,*.js}'"],
    [
      'glob x --json --long',
      '--long is for reading and --json for programs; --json with --sort-mtime has sizes and times',
    ],
    ['find x --path=', "--path takes a path, not an empty text; '.' is the current directory"],
    [
      'rename a b c',
      "'cairn rename' takes two arguments, but got 3: a b c; quote a name that has blanks (see 'cairn rename --help')",
    ],
    [
      'read --limt 3',
      "unknown option '--limt'; did you mean --limit? (see 'cairn read --help'; for a name that starts with '-', put -- before it)",
    ],
    ['read', "'cairn read' needs an argument: <path> (see 'cairn read --help')"],
    ['write a.txt', 'nothing is piped into it; pipe the content, or give it with --content'],
    [
      'write a --overwrite --expect 1a2b3c4d',
      '--overwrite replaces whatever is there and --expect only what is known; give one of them',
    ],
    ['write a --expect x', "--expect takes a tag of eight digits such as 1a2b3c4d, as 'cairn read' prints it, not 'x'"],
    ['edit a', 'give --old and --new, or --edits'],
    ['edit a --edits [] --all', '--edits has its own texts; leave out --old, --new and --all'],
    ['patch', 'nothing is piped into it; pipe the patch: cairn patch < change.patch'],
    ['ls --root=', '--root takes a value, not an empty text'],
    ['find x --color sometimes', "--color takes auto, always or never, not 'sometimes'"],
  ];
  test.each(cases)('cairn %s', async (args, line) => {
    expect(await cairn(args.split(' '))).toEqual({ exitCode: 2, out: '', err: `cairn: ${line}\n` });
  });
});

test('no command at all shows the help on standard error with status 2', async () => {
  const { exitCode, out, err } = await cairn([]);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
  expect(err).toContain('Usage: cairn [options] [command]');
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
