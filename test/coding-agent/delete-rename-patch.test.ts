import { createApplyPatchTool } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { file, removeTree, symlink, temporaryDirectory } from '../support/tree.ts';
import { createBench, details, failure } from './support.ts';

describe('delete', () => {
  test('a file, a link and not its target, and a directory when asked', async () => {
    const { tools, paths } = createBench({ a: '', kept: '', link: symlink('kept'), d: { e: { f: '' }, g: '' } });
    for (const path of ['a', 'link']) details(await tools.delete.execute({ path }));
    expect(failure(await tools.delete.execute({ path: 'd' }))).toMatch(/^IS_DIRECTORY: d is a directory.*recursive/u);
    const result = await tools.delete.execute({ path: 'd', recursive: true });
    expect(textOf(result)).toBe('Deleted d and the 3 entries in it.');
    expect(paths()).toEqual(['kept']);
  });

  const refused: readonly (readonly [reason: string, path: string, says: RegExp])[] = [
    ['the root', '.', /^PROTECTED/u],
    ['the parent of the root', '..', /^OUTSIDE_ROOT/u],
    ['nothing', 'aa', /^NOT_FOUND: .*Did you mean a\?/u],
    ['git data', '.git/config', /^PROTECTED/u],
    ['a directory that holds a repository', 'd', /^PROTECTED: d contains a git repository/u],
  ];

  test.each(refused)('is rejected for %s', async (_reason, path, says) => {
    const { tools, paths } = createBench({ a: '', '.git': { config: '' }, d: { e: { '.git': {}, f: '' } } });
    const before = paths();
    expect(failure(await tools.delete.execute({ path, recursive: true }))).toMatch(says);
    expect(paths()).toEqual(before);
  });

  test('a dry run counts and keeps', async () => {
    const { tools, paths } = createBench({ d: { a: '' } });
    const result = await tools.delete.execute({ path: 'd', recursive: true }, { dryRun: true });
    expect(textOf(result)).toBe('Would have deleted d and the 1 entry in it.');
    expect(paths()).toEqual(['d', 'd/a']);
  });
});

/** A directory that is not on the file system of the temporary directory. */
const otherFileSystem = ['/dev/shm', '/var/tmp'].find(
  (directory) => existsSync(directory) && statSync(directory).dev !== statSync(tmpdir()).dev,
);

describe('rename', () => {
  test('makes directories, moves links themselves, and directories with all they hold', async () => {
    const { tools, root, paths } = createBench({ a: 'x', link: symlink('a'), d: { e: '' } });
    details(await tools.rename.execute({ from: 'a', to: 'n/e/w' }));
    details(await tools.rename.execute({ from: 'link', to: 'moved' }));
    details(await tools.rename.execute({ from: 'd', to: 'dd' }));
    expect(paths()).toEqual(['dd', 'dd/e', 'moved', 'n', 'n/e', 'n/e/w']);
    expect(readlinkSync(join(root, 'moved'))).toBe('a');
  });

  test('a file that was read is known under its new name', async () => {
    const { tools, text } = createBench({ d: { a: 'x' } });
    await tools.read.execute({ path: 'd/a' });
    details(await tools.rename.execute({ from: 'd', to: 'e' }));
    details(await tools.write.execute({ path: 'e/a', content: 'y' }));
    expect(text('e/a')).toBe('y');
  });

  test('an existing destination is replaced only when that is asked for, and was read', async () => {
    const { tools, text } = createBench({ a: 'new', b: 'old' });
    expect(failure(await tools.rename.execute({ from: 'a', to: 'b' }))).toMatch(
      /^EXISTS: b already exists.*overwrite/u,
    );
    expect(failure(await tools.rename.execute({ from: 'a', to: 'b', overwrite: true }))).toMatch(/^NOT_READ: b/u);
    details(await tools.rename.execute({ from: 'a', to: 'b', overwrite: true }));
    expect(text('b')).toBe('new');
  });

  const refused: readonly (readonly [reason: string, from: string, to: string, says: RegExp])[] = [
    ['a directory as destination', 'a', 'd', /^EXISTS: d is a directory/u],
    ['into itself', 'd', 'd/f/g', /^INVALID_INPUT: d cannot be moved into itself: d\/f\/g is inside it/u],
    ['to itself', 'a', './a', /^NO_CHANGE/u],
    ['nothing', 'x', 'y', /^NOT_FOUND/u],
    ['the root', '.', 'y', /^PROTECTED|^OUTSIDE/u],
    ['out of the root', 'a', '../a', /^OUTSIDE_ROOT/u],
    ['into git data', 'a', '.git/hooks/a', /^PROTECTED/u],
    ['below a file', 'a', 'b/c', /^NOT_A_DIRECTORY|^EXISTS/u],
  ];

  test.each(refused)('is rejected: %s', async (_reason, from, to, says) => {
    const { tools, paths } = createBench({ a: 'x', b: 'y', d: { e: '' } });
    const before = paths();
    expect(failure(await tools.rename.execute({ from, to, overwrite: true }))).toMatch(says);
    expect(paths()).toEqual(before);
  });

  test.runIf(otherFileSystem !== undefined)('works across file systems, with modes, times and links', async () => {
    const other = mkdtempSync(join(otherFileSystem ?? '', 'cairn-test-'));
    onTestFinished(() => removeTree(other));
    const tree = {
      d: { a: file('x', { mode: 0o750, mtimeMs: 1_000_000_000_000 }), e: { b: 'y' }, link: symlink('a') },
    };
    const { tools, root, paths } = createBench(tree, { allowedRoots: [other] });
    expect(statSync(root).dev).not.toBe(statSync(other).dev);
    details(await tools.rename.execute({ from: 'd', to: join(other, 'n/d') }));
    expect(paths()).toEqual([]);
    expect(statSync(join(other, 'n/d/a'))).toMatchObject({ mtimeMs: 1_000_000_000_000 });
    expect(statSync(join(other, 'n/d/a')).mode & 0o7777).toBe(0o750);
    expect(readFileSync(join(other, 'n/d/e/b'), 'utf8')).toBe('y');
    expect(lstatSync(join(other, 'n/d/link')).isSymbolicLink()).toBe(true);
    details(await tools.rename.execute({ from: join(other, 'n/d/a'), to: 'a' }));
    expect(paths()).toEqual(['a']);
  });

  test('other names of the parameters', async () => {
    const { tools, paths } = createBench({ a: '' });
    details(await tools.rename.execute({ source: 'a', destination: 'b' } as never));
    details(await tools.rename.execute({ old_path: 'b', new_path: 'c' } as never));
    expect(paths()).toEqual(['c']);
  });
});

describe('patch', () => {
  const patch = (...lines: string[]): { patch: string } => ({
    patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
  });

  test('adds, updates, moves and deletes as one', async () => {
    const { tools, paths, text, root } = createBench({
      a: '1\n2\n',
      b: file('x\ny\n', { mode: 0o755 }),
      c: 'z',
      d: 'same',
    });
    const result = await tools.patch.execute(
      patch(
        '*** Add File: new/n',
        '+n',
        '*** Update File: a',
        '@@',
        '-1',
        '+I',
        '*** Update File: b',
        '*** Move to: moved/b',
        '@@',
        ' x',
        '-y',
        '+Y',
        '*** Update File: d',
        '*** Move to: e',
        '*** Delete File: c',
      ),
    );
    expect(textOf(result).replaceAll(/[0-9a-f]{8}/gu, 'TAG')).toBe(
      [
        'Applied the patch to 5 files:',
        'A new/n (tag TAG)',
        'M a (tag TAG)',
        'M b -> moved/b (tag TAG)',
        'M d -> e (tag TAG)',
        'D c',
      ].join('\n'),
    );
    expect(paths()).toEqual(['a', 'e', 'moved', 'moved/b', 'new', 'new/n']);
    expect([text('a'), text('moved/b'), text('e')]).toEqual(['I\n2\n', 'x\nY\n', 'same']);
    expect(statSync(join(root, 'moved/b')).mode & 0o777).toBe(0o755);
  });

  const refused: readonly (readonly [reason: string, lines: string[], says: RegExp])[] = [
    [
      'a hunk of a later file does not fit',
      ['*** Update File: a', '@@', '-1', '+I', '*** Update File: b', '@@', '-?', '+!'],
      /^NO_MATCH: hunk 1 was not found in b/u,
    ],
    [
      'adding onto a file',
      ['*** Update File: a', '@@', '-1', '+I', '*** Add File: b', '+n'],
      /^EXISTS: b already exists/u,
    ],
    ['moving onto a file', ['*** Update File: a', '*** Move to: b', '@@', '-1', '+I'], /^EXISTS: b already exists/u],
    ['a missing file', ['*** Update File: a', '@@', '-1', '+I', '*** Delete File: q'], /^NOT_FOUND: q/u],
    ['a directory', ['*** Delete File: d'], /^IS_DIRECTORY: d/u],
    [
      'a file named twice',
      ['*** Update File: a', '@@', '-1', '+I', '*** Update File: ./a', '@@', '-2', '+II'],
      /^INVALID_PATCH: The patch names .* twice/u,
    ],
    ['a path outside', ['*** Add File: ../x', '+n'], /^OUTSIDE_ROOT/u],
    ['git data', ['*** Add File: .git/hooks/post-commit', '+n'], /^PROTECTED/u],
    ['nothing changes', ['*** Update File: a', '@@', '-1', '+1'], /^NO_CHANGE/u],
  ];

  test.each(refused)('is rejected as a whole: %s', async (_reason, lines, says) => {
    const { tools, paths, text } = createBench({ a: '1\n2\n', b: 'x\n', d: { e: '' } });
    const before = paths();
    expect(failure(await tools.patch.execute(patch(...lines)))).toMatch(says);
    expect([paths(), text('a'), text('b')]).toEqual([before, '1\n2\n', 'x\n']);
  });

  test('a unified diff that deletes a file has to know all of it', async () => {
    const { tools, paths } = createBench({ a: '1\n2\n' });
    const diff = (count: number, ...lines: string[]): { patch: string } => ({
      patch: ['--- a/a', '+++ /dev/null', `@@ -1,${count} +0,0 @@`, ...lines, ''].join('\n'),
    });
    expect(failure(await tools.patch.execute(diff(1, '-1')))).toMatch(/^NO_MATCH: a has more lines/u);
    details(await tools.patch.execute(diff(2, '-1', '-2')));
    expect(paths()).toEqual([]);
  });

  test('a unified diff that shows no line of a file deletes it only when it is empty', async () => {
    const { tools, paths } = createBench({ a: '1\n', b: '' });
    const diff = (name: string): { patch: string } => ({
      patch: `diff --git a/${name} b/${name}\ndeleted file mode 100644\nindex 1234567..0000000\n`,
    });
    expect(failure(await tools.patch.execute(diff('a')))).toMatch(/^NO_MATCH: a has more lines/u);
    details(await tools.patch.execute(diff('b')));
    expect(paths()).toEqual(['a']);
  });

  test('a unified diff that deletes the lines of a file does not delete a link to it', async () => {
    const { tools, paths } = createBench({ a: '1\n', link: symlink('a') });
    const diff = ['--- a/link', '+++ /dev/null', '@@ -1 +0,0 @@', '-1', ''].join('\n');
    expect(failure(await tools.patch.execute({ patch: diff }))).toMatch(/^NOT_A_FILE: link/u);
    expect(paths()).toEqual(['a', 'link']);
  });

  test('a dry run checks everything and changes nothing', async () => {
    const { tools, paths, text } = createBench({ a: '1\n' });
    const result = await tools.patch.execute(patch('*** Update File: a', '@@', '-1', '+2', '*** Add File: b', '+x'), {
      dryRun: true,
    });
    expect(details(result)).toMatchObject({ dryRun: true, files: [{ diff: { addedLines: 1 } }, { kind: 'add' }] });
    expect([paths(), text('a')]).toEqual([['a'], '1\n']);
  });
});

test('the diff of a hosted patch with CRLF says nothing about the line ends of the file', async () => {
  const { root, text } = createBench({ a: '1\n2\n' });
  const tool = createApplyPatchTool({ root, stateDirectory: temporaryDirectory() });
  details(await tool.execute({ type: 'create_file', path: 'b', diff: '+x\r\n+y\r\n' }));
  details(await tool.execute({ type: 'update_file', path: 'a', diff: '@@\r\n 1\r\n-2\r\n+3\r\n' }));
  expect([text('a'), text('b')]).toEqual(['1\n3\n', 'x\ny\n']);
});

test('a patch changes a file with two names once', async () => {
  const { tools, root, text, paths } = createBench({ a: '1\n2\n', link: symlink('a') });
  linkSync(join(root, 'a'), join(root, 'b'));
  const section = (name: string, digit: number): string => `*** Update File: ${name}\n@@\n-${digit}\n+x\n`;
  const patch = (...sections: string[]): { patch: string } => ({
    patch: `*** Begin Patch\n${sections.join('')}*** End Patch`,
  });
  for (const name of ['b', 'link', 'a']) {
    const says = name === 'a' ? /names a twice/u : new RegExp(`names one file as a and ${name}`, 'u');
    expect(failure(await tools.patch.execute(patch(section('a', 1), section(name, 2))))).toMatch(says);
  }
  expect(text('a')).toBe('1\n2\n');
  details(await tools.patch.execute(patch(section('a', 1), '*** Delete File: b\n')));
  expect([paths(), text('a')]).toEqual([['a', 'link'], 'x\n2\n']);
});

test('a directory that appears at the target of a write is rejected', async () => {
  const { tools, root } = createBench({});
  mkdirSync(join(root, 'a'));
  writeFileSync(join(root, 'a/b'), '');
  expect(failure(await tools.write.execute({ path: 'a', content: '' }))).toMatch(/^IS_DIRECTORY/u);
});

test('a rename onto another name of the same file leaves one of them, and only when asked to overwrite', async () => {
  const { root, tools, paths } = createBench({ a: 'x\n' });
  for (const name of ['A', 'b']) linkSync(join(root, 'a'), join(root, name));
  await tools.read.execute({ path: 'b' });
  await tools.read.execute({ path: 'A' });
  for (const to of ['A', 'b']) expect(failure(await tools.rename.execute({ from: 'a', to }))).toMatch(/^EXISTS/u);
  details(await tools.rename.execute({ from: 'a', to: 'b', overwrite: true }));
  expect(paths()).toEqual(['A', 'b']);
});

test.each(['@@\n-x\n+y\n', ''])('a patch moves no file that only a link names, with changes %j', async (changes) => {
  const { tools, paths, text } = createBench({ file: 'x\n', link: symlink('file') });
  const patch = `*** Begin Patch\n*** Update File: link\n*** Move to: moved\n${changes}*** End Patch\n`;
  expect(failure(await tools.patch.execute({ patch }))).toMatch(/^NOT_A_FILE: link is a symbolic link/u);
  expect(paths()).toEqual(['file', 'link']);
  expect(text('file')).toBe('x\n');
});
