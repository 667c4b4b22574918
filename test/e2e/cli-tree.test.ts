/** `cairn tree`: the tree, what it leaves out, and what it states about that. */
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { cairn, cairnProcess } from '../support/cli.ts';
import { createTree, symlink } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';

const project = {
  '.env': 'KEY=1',
  '.github': { 'ci.yml': '' },
  '.hidden': { secret: '' },
  'README.md': '',
  node_modules: { dep: { 'index.js': '' } },
  src: { 'main.ts': '', lib: { deep: { deeper: { 'bottom.ts': '' } } } },
};

const box = `├── .github/
│   └── ci.yml
├── README.md
└── src/
    ├── lib/
    │   └── deep/ (1)
    └── main.ts
`;

const leftOut = 'not shown: 2 ignored, hidden or excluded names and 1 secret name';

test('the tree goes to standard output, and what it leaves out to standard error', async () => {
  expect(await cairn(['tree'], { cwd: createTree(project) })).toMatchObject({
    stdout: box,
    stderr: `cairn: ${leftOut}; use --hidden, --no-ignore, --allow <name> to see more\n`,
    exitCode: 0,
  });
});

test.each([
  ['--depth 1', '.github/ (1)\nREADME.md\nsrc/ (2)\n'],
  ['--depth 2 --allow .hidden', '.github/\n  ci.yml\n.hidden/\n  secret\nREADME.md\nsrc/\n  lib/ (1)\n  main.ts\n'],
  [
    '--depth 1 --focus src/lib/deep/deeper/bottom.ts',
    '.github/ (1)\nREADME.md\nsrc/\n  lib/\n    deep/\n      deeper/\n        bottom.ts\n  … 1 more\n',
  ],
  ['--chars 0', ''],
])('cairn tree %s', async (flags, stdout) => {
  const answer = await cairn(['tree', '--format', 'indent', ...flags.split(' ')], { cwd: createTree(project) });
  expect(answer.stdout.replace(/^\.\.\. \(.*\n/mu, '')).toBe(stdout);
  expect(answer.exitCode).toBe(0);
});

test('a tree that a limit cuts names the options for more', async () => {
  const cwd = createTree(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`file${index}`, ''])));
  const cut = async (...flags: readonly string[]): Promise<string> => (await cairn(['tree', ...flags], { cwd })).stderr;
  const notice = (flag: string): string =>
    `cairn: the tree is cut and shows a part of 50 entries; use a larger ${flag}, a smaller --depth, or name a directory\n`;
  expect(await cut('--chars', '200')).toBe(notice('--chars'));
  expect(await cut('--tokens', '50')).toBe(notice('--tokens'));
  expect(await cut()).toBe('');
  expect(await cut('--chars', '9000', '--tokens', '50')).toBe(notice('--chars or --tokens'));
  // Advice that cannot help is not given.
  expect(await cut('--chars', '200', '--depth', '1')).toBe(notice('--chars').replace(', a smaller --depth', ''));
});

test('a tree that ends early is printed as far as it is known', async () => {
  // So large that no scan is complete before it asks for the time.
  const directories = Array.from({ length: 3000 }, (_, index) => [`d${index}`, { file: '' }] as const);
  const { stderr, exitCode } = await cairn(['tree', '--timeout', '0'], {
    cwd: createTree(Object.fromEntries(directories)),
  });
  expect(stderr).toContain(
    'cairn: the scan is not complete after 0 ms; choose a smaller root, or use a longer --timeout\n',
  );
  expect(exitCode).toBe(2);
});

test('no limit makes a tree of more than 100,000 entries, and the notice does not name one', async () => {
  const names = (prefix: string): Tree =>
    Object.fromEntries(Array.from({ length: 50_100 }, (_, index) => [`${prefix}${index}`, '']));
  const cwd = createTree({ ...names('a'), ...names('b') });
  const { stdout, stderr } = await cairn(['tree', '--chars', '10000000'], { cwd });
  expect(stdout.split('\n').slice(-3)).toEqual(['└── … 200 more', '... (truncated, 100200 entries in total)', '']);
  expect(stderr).toBe(
    'cairn: the tree is cut and shows at most 100,000 of 100,200 entries; use a smaller --depth, or name a directory\n',
  );
});

test('--stats prints the counts after an empty line', async () => {
  const { stdout } = await cairn(['tree', '--stats'], { cwd: createTree(project) });
  expect(stdout.replace(/, [\d.]+ ms$/mu, '')).toBe(
    `${box}\n9 entries, 2 left out, 1 secret name\ndepth 3, 101 characters, about 46 tokens\n`,
  );
});

test('a tree in JSON has the text and the counts', async () => {
  const cwd = createTree(project);
  const { stdout, stderr } = await cairn(['tree', 'src', '--json', '--format', 'paths'], { cwd });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({
    root: join(cwd, 'src'),
    tree: 'lib/\nlib/deep/\nlib/deep/deeper/ (1)\nmain.ts',
    metadata: { entries: 5, depth: 3, truncated: false, excluded: 0, hiddenSecrets: 0 },
    notices: [],
  });
});

test('directories are coloured, and counts are dim', async () => {
  const cwd = createTree({ src: { lib: { a: '', b: '' } }, 'link -> x': symlink('src/'), plain: '' });
  const { stdout } = await cairn(['tree', '--color', 'always', '--depth', '2'], { cwd });
  const [blue, dim, reset] = ['\u001b[34m', '\u001b[2m', '\u001b[0m'];
  expect(stdout).toBe(
    `├── link -\\u{3E} x -> src/\n├── plain\n└── ${blue}src/${reset}\n    └── ${blue}lib/${reset}${dim} (2)${reset}\n`,
  );
});

test('a directory whose names are all left out is not called empty', async () => {
  expect(await cairn(['tree'], { cwd: createTree({ '.env': '', '.git': {} }) })).toMatchObject({
    stdout: '',
    stderr: 'cairn: the directory has no entries to show\ncairn: not shown: 1 secret name\n',
    exitCode: 0,
  });
});

test.each(['box', 'indent', 'paths'])('only the lines that count entries are dim in the form %s', async (format) => {
  const names = Array.from({ length: 20 }, (_, index) => `${index} … 5 more`);
  const cwd = createTree({ src: Object.fromEntries(names.map((name) => [name, ''])) });
  const { stdout } = await cairn(['tree', '--color', 'always', '--format', format, '--chars', '200'], { cwd });
  const dim = stdout.split('\n').filter((line) => line.startsWith('\u001b[2m'));
  expect(dim).toEqual([
    expect.stringMatching(/… \d+ more/u),
    expect.stringContaining('... (truncated, 21 entries in total)'),
  ]);
});

test('an empty directory is an answer', async () => {
  expect(await cairn(['tree'], { cwd: createTree({}) })).toMatchObject({
    stdout: '',
    stderr: 'cairn: the directory has no entries to show\n',
    exitCode: 0,
  });
});

describe('invalid calls', () => {
  test.each([
    [['nowhere'], /cannot find .*nowhere.*; check the path/u],
    [['README.md'], /README\.md is not a directory; /u],
    [[''], /the path is empty; use a directory/u],
    [['--depth', '0'], /invalid --depth "0"; use a whole number from 1/u],
    [['--depth', 'deep'], /invalid --depth "deep"/u],
    [['--chars', '-1'], /invalid --chars "-1"/u],
    [['--tokens', '1.5'], /invalid --tokens "1\.5"/u],
    [['--format', 'xml'], /invalid --format "xml"; use box, indent or paths/u],
    [['--focus', ''], /--focus is empty; use a path/u],
    [['--allow', 'a/b'], /invalid option allow.*no slash/u],
    [['a', 'b'], /takes one argument/u],
  ])('cairn tree %j is rejected', async (args, message) => {
    const answer = await cairn(['tree', ...args], { cwd: createTree(project) });
    expect({ ...answer, stderr: '' }).toMatchObject({ stdout: '', exitCode: 2 });
    expect(answer.stderr).toMatch(message);
  });

  test('a focus that does not exist is reported, and the rest is shown', async () => {
    const answer = await cairn(['tree', '--focus', 'src/none.ts', '--focus', 'src'], { cwd: createTree(project) });
    expect(answer).toMatchObject({ stdout: box, exitCode: 2 });
    expect(answer.stderr).toContain(
      'cairn: not in the tree: src/none.ts; --focus needs a path that exists, that no rule',
    );
  });
});

const nobody = 65_534;

describe.skipIf(process.getuid?.() !== 0)('without the permission to read', () => {
  const prepare = (locked: string): string => {
    const cwd = createTree(project);
    chmodSync(cwd, 0o755);
    chmodSync(join(cwd, locked), 0o700);
    return cwd;
  };

  test('a directory is marked in the tree and reported', async (context) => {
    const cwd = prepare('src');
    const answer = await cairnProcess(['tree'], { cwd, uid: nobody });
    if (answer.stderr.includes('Cannot find module') || !existsSync(cwd)) context.skip('the source is private');
    expect(answer).toMatchObject({ stdout: expect.stringContaining('└── src/ (unreadable)\n'), exitCode: 2 });
    expect(answer.stderr).toContain('skipped 1 directory or entry because of a read error: src; check the permissions');
  });

  test('the root itself is an error', async () => {
    const answer = await cairnProcess(['tree', 'src'], { cwd: prepare('src'), uid: nobody });
    expect(answer).toMatchObject({ stdout: '', exitCode: 2 });
    expect(answer.stderr).toMatch(/^cairn: .*src cannot be read/u);
  });
});
