import { chmodSync, lstatSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { quotePath } from '@cairn/tool/paths';
import { describe, expect, test } from 'vitest';
import { cairn as runCairn, finished, startCairn } from '../support/cli.ts';
import type { CairnResult } from '../support/cli.ts';
import { git } from '../support/tools.ts';
import { createTree, file, symlink, temporaryDirectory } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';

interface Run {
  readonly cwd: string;
  readonly input?: string | Uint8Array;
}

/** Runs a command whose locks are not those of the tester. */
function cairn(args: readonly string[], { cwd, input }: Run): Promise<CairnResult> {
  return runCairn(args, { cwd, input, env: { TMPDIR: temporaryDirectory() } });
}

/** The files below a directory with their content. */
function contents(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted();
  const files = names.filter((name) => lstatSync(join(root, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

async function tagOf(path: string, cwd: string): Promise<string> {
  const { stderr } = await cairn(['read', path], { cwd });
  return /tag ([\da-f]{8})/u.exec(stderr)?.[1] ?? '';
}

describe('a change shows its difference and says what happened', () => {
  interface Case {
    readonly args: readonly string[];
    readonly input?: string;
    readonly tree: Tree;
    readonly stdout: string;
    readonly stderr: RegExp;
    readonly after: Readonly<Record<string, string>>;
  }
  const cases: readonly (readonly [why: string, data: Case])[] = [
    [
      'write: a new file',
      {
        args: ['write', 'd/a.txt'],
        input: 'x\ny\n',
        tree: {},
        stdout: '--- /dev/null\n+++ b/d/a.txt\n@@ -0,0 +1,2 @@\n+x\n+y\n',
        stderr: /^cairn: Created d\/a\.txt \(4 bytes, tag [\da-f]{8}\)\.\n$/u,
        after: { 'd/a.txt': 'x\ny\n' },
      },
    ],
    [
      'write: --overwrite, CRLF kept',
      {
        args: ['write', 'a.txt', '--content', 'one\nzwei\n', '--overwrite'],
        tree: { 'a.txt': 'one\r\ntwo\r\n' },
        stdout: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\r\n-two\r\n+zwei\r\n',
        stderr: /^cairn: Replaced a\.txt \(11 bytes, .*CRLF line ends kept.*\)\.\n$/u,
        after: { 'a.txt': 'one\r\nzwei\r\n' },
      },
    ],
    [
      'edit',
      {
        args: ['edit', 'a.txt', '--old', 'two', '--new', '$& zwei'],
        tree: { 'a.txt': 'one\ntwo\nthree' },
        stdout:
          '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+$& zwei\n three\n\\ No newline at end of file\n',
        stderr: /^cairn: Edited a\.txt: 1 replacement at line 2, tag [\da-f]{8}\.\n$/u,
        after: { 'a.txt': 'one\n$& zwei\nthree' },
      },
    ],
    [
      'edit: a name with a line feed, written as git writes it',
      {
        args: ['edit', 'new\nline "a".txt', '--old', 'one', '--new', 'two'],
        tree: { 'new\nline "a".txt': 'one\n' },
        stdout: '--- "a/new\\nline \\"a\\".txt"\n+++ "b/new\\nline \\"a\\".txt"\n@@ -1,1 +1,1 @@\n-one\n+two\n',
        stderr: /^cairn: Edited "new\\nline \\"a\\"\.txt": 1 replacement at line 1, tag [\da-f]{8}\.\n$/u,
        after: { 'new\nline "a".txt': 'two\n' },
      },
    ],
    [
      'edit: --all',
      {
        args: ['edit', 'a.txt', '--old', 'x', '--new', '', '--all'],
        tree: { 'a.txt': 'x1\nx2\n' },
        stdout: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-x1\n-x2\n+1\n+2\n',
        stderr: /2 replacements at lines 1, 2/u,
        after: { 'a.txt': '1\n2\n' },
      },
    ],
    [
      'edit: several from standard input',
      {
        args: ['edit', 'a.txt', '--edits', '-'],
        input: '[{"old_text": "a", "new_text": "A"}, {"old_text": "b", "new_text": "B"}]',
        tree: { 'a.txt': 'a\nb\n' },
        stdout: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-a\n-b\n+A\n+B\n',
        stderr: /2 replacements/u,
        after: { 'a.txt': 'A\nB\n' },
      },
    ],
    [
      'patch: all that it can do',
      {
        args: ['patch'],
        input: `*** Begin Patch
*** Add File: new.txt
+n
*** Update File: a.txt
*** Move to: moved.txt
@@
-a
+b
*** Delete File: old.txt
*** End Patch
`,
        tree: { 'a.txt': 'a\n', 'old.txt': 'old\n' },
        stdout:
          '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,1 @@\n+n\n' +
          'diff --git a/a.txt b/moved.txt\nrename from a.txt\nrename to moved.txt\n' +
          '--- a/a.txt\n+++ b/moved.txt\n@@ -1,1 +1,1 @@\n-a\n+b\n' +
          'diff --git a/old.txt b/old.txt\ndeleted file mode 100644\n',
        stderr:
          /^cairn: Applied the patch to 3 files:\ncairn: A new\.txt .*\ncairn: M a\.txt -> moved\.txt .*\ncairn: D old\.txt\n$/u,
        after: { 'moved.txt': 'b\n', 'new.txt': 'n\n' },
      },
    ],
    [
      'delete',
      {
        args: ['delete', 'a.txt'],
        tree: { 'a.txt': '', b: '' },
        stdout: '',
        stderr: /^cairn: Deleted a\.txt\.\n$/u,
        after: { b: '' },
      },
    ],
    [
      'delete: --recursive',
      {
        args: ['delete', 'd', '--recursive'],
        tree: { 'd/a/b': '', c: '' },
        stdout: '',
        stderr: /^cairn: Deleted d and the 2 entries in it\.\n$/u,
        after: { c: '' },
      },
    ],
    [
      'rename',
      {
        args: ['rename', 'a.txt', 'd/b.txt'],
        tree: { 'a.txt': 'x' },
        stdout: '',
        stderr: /^cairn: Renamed a\.txt to d\/b\.txt\.\n$/u,
        after: { 'd/b.txt': 'x' },
      },
    ],
    [
      'rename: --overwrite',
      {
        args: ['rename', 'a', 'b', '--overwrite'],
        tree: { a: 'x', b: 'y' },
        stdout: '',
        stderr: /^cairn: Renamed a to b, replacing the existing one\.\n$/u,
        after: { b: 'x' },
      },
    ],
  ];

  test.each(cases)('%s', async (_, { args, input, tree, stdout, stderr, after }) => {
    const cwd = createTree(tree);
    const before = contents(cwd);
    const dry = await cairn([...args, '--dry-run'], { cwd, ...(input !== undefined && { input }) });
    expect(dry).toMatchObject({ exitCode: 0, stdout });
    expect(dry.stderr).toMatch(/^cairn: Would have /u);
    expect(contents(cwd)).toEqual(before);
    const real = await cairn(args, { cwd, ...(input !== undefined && { input }) });
    expect(real).toMatchObject({ exitCode: 0, stdout });
    expect(real.stderr).toMatch(stderr);
    expect(contents(cwd)).toEqual(after);
  });

  test('what is shown can be given to git apply', async () => {
    const tree = { 'a.txt': 'one\ntwo\nthree' };
    const [cwd, other] = [createTree(tree), createTree(tree)];
    const { stdout } = await cairn(['edit', 'a.txt', '--old', 'two', '--new', '2', '--dry-run'], { cwd });
    expect(await cairn(['patch'], { cwd: other, input: stdout })).toMatchObject({ exitCode: 0 });
    expect(contents(other)).toEqual({ 'a.txt': 'one\n2\nthree' });
  });

  test.each(['a.txt', 'x\ny "z".txt', ' a '])(
    'the diff of a move and of empty files is applied by git and by cairn: %j',
    async (name) => {
      const patch = [
        '*** Begin Patch',
        `*** Update File: ${quotePath(name)}`,
        `*** Move to: ${quotePath(`moved/${name}`)}`,
        '-a',
        '+b',
        `*** Update File: ${quotePath(`same ${name}`)}`,
        `*** Move to: ${quotePath(`moved/same ${name}`)}`,
        `*** Add File: ${quotePath(`new ${name}`)}`,
        `*** Delete File: ${quotePath(`old ${name}`)}`,
        '*** End Patch',
      ];
      const tree = { [name]: 'a\nc\n', [`same ${name}`]: 's', [`old ${name}`]: '' };
      const [cwd, ofGit, ofCairn] = [createTree(tree), createTree(tree), createTree(tree)];
      const { stdout, stderr, exitCode } = await cairn(['patch'], { cwd, input: patch.join('\n') });
      expect([exitCode, stderr.trimEnd().split('\n').length]).toEqual([0, 5]);
      git(['apply', '-'], ofGit, { input: Buffer.from(stdout) });
      expect(await cairn(['patch'], { cwd: ofCairn, input: stdout })).toMatchObject({ exitCode: 0 });
      const expected = { [`moved/${name}`]: 'b\nc\n', [`moved/same ${name}`]: 's', [`new ${name}`]: '' };
      for (const directory of [cwd, ofGit, ofCairn]) expect(contents(directory)).toEqual(expected);
    },
  );
});

test('a dry run rejects what the run itself would reject', async () => {
  const cwd = createTree({ 'a.txt': file('a\n', { mode: 0o444 }) });
  const patch = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n';
  const commands: readonly (readonly string[])[] = [
    ['write', 'a.txt', '--content', 'b\n', '--overwrite'],
    ['edit', 'a.txt', '--old', 'a', '--new', 'b'],
    ['patch'],
  ];
  for (const args of commands) {
    const runs = [args, [...args, '--dry-run']].map((all) => cairn(all, { cwd, input: patch }));
    const [real, dry] = await Promise.all(runs);
    expect(real).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('a.txt is read-only (mode 444)') });
    expect(dry).toEqual(real);
  }
});

describe('nothing is overwritten without being named', () => {
  test('write rejects a file that exists, and says how to go on', async () => {
    const cwd = createTree({ 'a.txt': 'old\n' });
    expect(await cairn(['write', 'a.txt', '--content', 'new\n'], { cwd })).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr:
        "cairn: a.txt exists and was never read, so it was not overwritten. Nothing was changed. Use --expect with the tag that 'cairn read' prints, or --overwrite to replace any content.\n",
    });
    expect(contents(cwd)).toEqual({ 'a.txt': 'old\n' });
  });

  const commands: readonly (readonly [
    name: string,
    args: readonly string[],
    after: Readonly<Record<string, string>>,
  ])[] = [
    ['write', ['write', 'a.txt', '--content', 'new\n'], { 'a.txt': 'new\n' }],
    ['edit', ['edit', 'a.txt', '--old', 'old', '--new', 'new'], { 'a.txt': 'new\n' }],
    ['delete', ['delete', 'a.txt'], {}],
    ['rename', ['rename', 'a.txt', 'b.txt'], { 'b.txt': 'old\n' }],
  ];
  test.each(commands)('%s --expect does it when the tag is right, and else not', async (_, args, after) => {
    const cwd = createTree({ 'a.txt': 'old\n' });
    const tag = await tagOf('a.txt', cwd);
    writeFileSync(join(cwd, 'a.txt'), 'changed\n');
    const refused = await cairn([...args, '--expect', tag], { cwd });
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toMatch(
      new RegExp(`^cairn: a\\.txt has the tag [\\da-f]{8}, not ${tag}; nothing was changed; `, 'u'),
    );
    const forProgram = await cairn([...args, '--expect', tag, '--json'], { cwd });
    expect({ exitCode: forProgram.exitCode, stderr: forProgram.stderr }).toEqual({ exitCode: 2, stderr: '' });
    expect(JSON.parse(forProgram.stdout)).toEqual({
      error: {
        code: 'STALE',
        message: expect.stringMatching(/^a\.txt has the tag [\da-f]{8}, not /u),
        fix: expect.stringContaining('cairn read'),
        path: 'a.txt',
        changed: false,
      },
    });
    expect(contents(cwd)).toEqual({ 'a.txt': 'changed\n' });
    writeFileSync(join(cwd, 'a.txt'), 'old\n');
    expect(await cairn([...args, '--expect', tag], { cwd })).toMatchObject({ exitCode: 0 });
    expect(contents(cwd)).toEqual(after);
  });

  test('write --expect replaces a file of many pages', async () => {
    const cwd = createTree({ 'a.txt': 'old\n'.repeat(20_000) });
    const args = ['write', 'a.txt', '--content', 'new\n', '--expect', await tagOf('a.txt', cwd)];
    expect(await cairn(args, { cwd })).toMatchObject({ exitCode: 0 });
    expect(contents(cwd)).toEqual({ 'a.txt': 'new\n' });
  });

  test('a missing file has no tag', async () => {
    const cwd = createTree({});
    const { exitCode, stderr } = await cairn(['write', 'a.txt', '--content', '', '--expect', '12345678'], { cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('a.txt does not exist') });
  });

  test('two writers with the same tag: one of them is rejected', async () => {
    const cwd = createTree({ 'a.txt': 'old\n' });
    const tag = await tagOf('a.txt', cwd);
    const runs = ['b\n', 'c\n'].map((content) =>
      cairn(['write', 'a.txt', '--content', content, '--expect', tag], { cwd }),
    );
    const codes = (await Promise.all(runs)).map(({ exitCode }) => exitCode);
    expect(codes.toSorted((a, b) => Number(a) - Number(b))).toEqual([0, 2]);
  });
});

describe('reading', () => {
  test('read prints the lines, and on standard error what they are', async () => {
    const cwd = createTree({ 'a.txt': 'one\ntwo\nthree\n' });
    expect(await cairn(['read', 'a.txt', '--offset', '2', '--limit', '1'], { cwd })).toMatchObject({
      exitCode: 0,
      stdout: 'two\n',
      stderr: expect.stringMatching(
        /^cairn: a\.txt: lines 2-2 of 3, 14 bytes, tag [\da-f]{8}\ncairn: cut by the number of lines: 1 more line; continue with --offset 3\n$/u,
      ),
    });
  });

  test('a directory is listed, by read and by ls', async () => {
    const cwd = createTree({ 'd/a': '', 'd/b/c': '', 'd/l': symlink('a') });
    for (const command of ['read', 'ls']) {
      expect(await cairn([command, 'd'], { cwd })).toMatchObject({ exitCode: 0, stdout: 'a\nb/\nl\n' });
    }
    expect(await cairn(['ls', 'd', '--limit', '1'], { cwd })).toMatchObject({
      stdout: 'a\n',
      stderr: 'cairn: d: entries 1-1 of 3 entries\ncairn: cut by the limit of 1 entry; continue with --skip 1\n',
    });
    expect(await cairn(['ls', 'd', '--depth', '2'], { cwd })).toMatchObject({ stdout: 'a\nb/\nb/c\nl\n', stderr: '' });
  });

  test('a directory continues with the option that the notice names', async () => {
    const cwd = createTree({ d: { a: '', b: '', c: '' } });
    for (const [command, option] of [
      ['read', '--offset 2'],
      ['ls', '--skip 1'],
    ] as const) {
      const { stderr } = await cairn([command, 'd', '--limit', '1'], { cwd });
      expect(stderr).toContain(`cut by the limit of 1 entry; continue with ${option}\n`);
      expect((await cairn([command, 'd', ...option.split(' ')], { cwd })).stdout).toBe('b\nc\n');
    }
  });

  test('line ends in names do not mix listed names with notices', async () => {
    const cwd = createTree({ 'd\ne': { 'a\nb': 'x\ny\nz\n', l: symlink('to\n\nnowhere'), z: '' } });
    expect(await cairn(['ls', 'd\ne'], { cwd })).toMatchObject({
      stdout: '"a\\nb"\nl\nz\n',
      stderr:
        'cairn: a name in quotes is a JSON string; to pass a path with such a name, quote all of it: "dir/a\\nb"\n',
    });
    const { stdout, stderr } = await cairn(['read', 'd\ne/a\nb', '--limit', '1'], { cwd });
    expect(stdout).toBe('x\n');
    expect(stderr).toMatch(/^cairn: "d\\ne\/a\\nb": lines 1-1 of 3, .*\ncairn: cut by .*--offset 2\n$/u);
    expect(await cairn(['read', String.raw`"d\ne/a\nb"`, '--limit', '1'], { cwd })).toMatchObject({ stdout, stderr });
  });

  test('--root says where paths start', async () => {
    const cwd = createTree({ 'd/a': 'x\n' });
    expect(await cairn(['read', 'a', '--root', 'd'], { cwd })).toMatchObject({ exitCode: 0, stdout: 'x\n' });
    expect(await cairn(['read', '../d/a', '--root', 'd'], { cwd })).toMatchObject({ exitCode: 0 });
  });
});

describe('--json', () => {
  test('prints the details of the tool', async () => {
    const cwd = createTree({ 'a.txt': 'a\n' });
    const read = await cairn(['read', 'a.txt', '--json'], { cwd });
    expect(JSON.parse(read.stdout)).toMatchObject({ kind: 'text', path: 'a.txt', lines: ['a'], totalLines: 1 });
    const edited = await cairn(['edit', 'a.txt', '--old', 'a', '--new', 'b', '--json'], { cwd });
    expect(JSON.parse(edited.stdout)).toMatchObject({
      path: 'a.txt',
      dryRun: false,
      diff: { addedLines: 1, removedLines: 1, hunks: [{ lines: ['-a', '+b'] }] },
    });
    expect([read.stderr, edited.stderr]).toEqual(['', '']);
  });

  test('prints a failure with its code and fix', async () => {
    const run = await cairn(['delete', 'missing', '--json'], { cwd: createTree({}) });
    expect(run).toMatchObject({ exitCode: 2, stderr: '' });
    expect(JSON.parse(run.stdout)).toEqual({
      error: {
        code: 'NOT_FOUND',
        message: 'missing does not exist. Nothing was changed.',
        fix: 'Check the path: list the directory it should be in.',
        changed: false,
        path: 'missing',
      },
    });
  });
});

describe('a failure is one line, status 2, and changes nothing', () => {
  const cases: readonly (readonly [why: string, args: readonly string[], stderr: RegExp])[] = [
    ['outside the root', ['read', '../x'], /is outside the root/u],
    ['outside the root by a link', ['write', 'out/x', '--content', ''], /is outside the root/u],
    ["git's own data", ['write', '.git/config', '--content', '', '--overwrite'], /git's own data/u],
    ['missing', ['read', 'nope'], /^cairn: nope does not exist\. /u],
    ['no match', ['edit', 'a.txt', '--old', 'zzz', '--new', ''], /Nothing was changed/u],
    ['many matches', ['edit', 'a.txt', '--old', 'a', '--new', ''], /Nothing was changed/u],
    ['no change', ['edit', 'a.txt', '--old', 'b', '--new', 'b'], /Nothing was changed/u],
    ['a directory', ['delete', 'd'], /--recursive/u],
    ['an existing destination', ['rename', 'a.txt', 'd/x'], /--overwrite/u],
    ['edits of the wrong form', ['edit', 'a.txt', '--edits', '{"a": 1}'], /--edits is not a list of edits/u],
    [
      'an edit given twice',
      ['edit', 'a.txt', '--old', 'b', '--new', 'x', '--old', 'c', '--new', 'y'],
      /--old is given twice; use --edits for several/u,
    ],
    [
      'a content given twice',
      ['write', 'new', '--content', 'a', '--content', 'b'],
      /--content is given twice; give the whole content once/u,
    ],
    ['edits that are not JSON', ['edit', 'a.txt', '--edits', '{'], /--edits is not valid JSON/u],
    ['an empty patch', ['patch'], /^cairn: .*patch/iu],
  ];
  test.each(cases)('%s', async (_, args, stderr) => {
    const cwd = createTree({ 'a.txt': 'a\na\nb\n', 'd/x': '', '.git/config': '', out: symlink(createTree({})) });
    const before = contents(cwd);
    const run = await cairn(args, { cwd });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toMatch(stderr);
    expect(run.stderr.split('\n')).toHaveLength(2);
    expect(contents(cwd)).toEqual(before);
  });

  test('input that is not UTF-8', async () => {
    const cwd = createTree({});
    const run = await cairn(['write', 'a.txt'], { cwd, input: Uint8Array.of(0xff, 0xfe, 0xff) });
    expect(run).toMatchObject({
      exitCode: 2,
      stderr: 'cairn: standard input is not valid UTF-8; convert it to UTF-8\n',
    });
  });
});

describe('--state-dir', () => {
  const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+b\n*** End Patch\n';
  const changes: readonly (readonly [name: string, args: readonly string[], input: string])[] = [
    ['write', ['write', 'new.txt', '--content', 'x'], ''],
    ['edit', ['edit', 'a.txt', '--old', 'a', '--new', 'b'], ''],
    ['patch', ['patch'], patch],
    ['delete', ['delete', 'a.txt'], ''],
    ['rename', ['rename', 'a.txt', 'b.txt'], ''],
  ];

  test.each(changes)('%s creates the directory, which is relative to the current one', async (_, args, input) => {
    const cwd = createTree({ root: { 'a.txt': 'a\n' } });
    const run = await cairn([...args, '--root', 'root', '--state-dir', 'state/of/mine'], { cwd, input });
    expect(run).toMatchObject({ exitCode: 0 });
    const { mode } = lstatSync(join(cwd, 'state/of/mine'));
    expect(process.platform === 'win32' || (mode & 0o777) === 0o700).toBe(true);
    expect(readdirSync(join(cwd, 'state/of/mine'))).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')(
    'a directory in which others may write is rejected, and nothing changes',
    async () => {
      const cwd = createTree({ 'a.txt': 'a\n' });
      mkdirSync(join(cwd, 'shared'));
      chmodSync(join(cwd, 'shared'), 0o777);
      for (const [, args, input] of changes) {
        const run = await cairn([...args, '--state-dir', 'shared'], { cwd, input });
        expect(run).toMatchObject({ exitCode: 2, stdout: '' });
        expect(run.stderr).toMatch(
          /The state directory \S+\/shared is writable by other users.* chmod go-w.*--state-dir/u,
        );
        expect(contents(cwd)).toEqual({ 'a.txt': 'a\n' });
      }
    },
  );
});

test.skipIf(process.platform === 'win32')('a run that waits for its input ends at a signal', async () => {
  const child = startCairn(['write', 'a.txt'], { cwd: createTree({}) });
  const end = finished(child);
  // It has printed nothing yet: the signal must end it while it waits.
  child.kill('SIGTERM');
  const { exitCode, signal } = await end;
  expect(exitCode === 143 || signal === 'SIGTERM').toBe(true);
});

test('colours: on request, added lines green and removed ones red', async () => {
  const cwd = createTree({ 'a.txt': 'a\n' });
  const { stdout } = await cairn(['edit', 'a.txt', '--old', 'a', '--new', 'b', '--dry-run', '--color', 'always'], {
    cwd,
  });
  expect(stdout).toBe(
    '\u001b[1m--- a/a.txt\u001b[0m\n\u001b[1m+++ b/a.txt\u001b[0m\n\u001b[36m@@ -1,1 +1,1 @@\u001b[0m\n\u001b[31m-a\u001b[0m\n\u001b[32m+b\u001b[0m\n',
  );
});
