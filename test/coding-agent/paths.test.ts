import { createCodingTools, createWorkspace, nodeFileOperations } from '@cairn/coding-agent';
import { realPathOf } from '@cairn/coding-agent/internal';
import type { FileOperations } from '@cairn/coding-agent';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTree, symlink, temporaryDirectory } from '../support/tree.ts';
import { createBench, details, failure } from './support.ts';

describe('paths that are not allowed', () => {
  const rows: readonly (readonly [reason: string, path: string, code: string])[] = [
    ['by ..', '../victim', 'OUTSIDE_ROOT'],
    ['by .. in the middle', 'd/../../victim', 'OUTSIDE_ROOT'],
    ['absolute', '/etc/passwd', 'OUTSIDE_ROOT'],
    ['a name that begins like the root', '../root-and-more', 'OUTSIDE_ROOT'],
    ['by a link to a file', 'to-file', 'OUTSIDE_ROOT'],
    ['by a link to a directory', 'to-directory/victim', 'OUTSIDE_ROOT'],
    ['by a link to a link', 'to-link', 'OUTSIDE_ROOT'],
    ['by a link that leads nowhere yet', 'dangling', 'OUTSIDE_ROOT'],
    ['below a missing directory behind a link', 'to-directory/new/deep/file', 'OUTSIDE_ROOT'],
    ['by a missing parent and ..', 'new/../../victim', 'OUTSIDE_ROOT'],
    ['a NUL', 'a\0/../../victim', 'INVALID_INPUT'],
    ['the data of git', '.git/config', 'PROTECTED'],
    ['in another case', '.GIT/config', 'PROTECTED'],
    ['with a dot after it', '.git./config', 'PROTECTED'],
    ['as a short name', 'GIT~1/config', 'PROTECTED'],
    ['as a stream', '.git::$INDEX_ALLOCATION/config', 'PROTECTED'],
    ['with a code point that is ignored', '.g\u200cit/config', 'PROTECTED'],
    ['by a link', 'to-git/config', 'PROTECTED'],
    ['of a nested repository', 'd/.git/hooks/x', 'PROTECTED'],
    ['a new one', 'new/.git', 'PROTECTED'],
  ];

  test.each(rows)('%s: %j', async (_reason, path, code) => {
    const outside = createTree({
      root: { a: 'x', d: {}, '.git': { config: 'c' }, 'to-git': symlink('.git') },
      victim: 'precious',
      'root-and-more': 'precious',
    });
    const root = join(outside, 'root');
    const links = { 'to-file': 'victim', 'to-directory': '.', dangling: 'nothing' };
    for (const [name, target] of Object.entries(links)) symlinkSync(join(outside, target), join(root, name));
    symlinkSync('to-file', join(root, 'to-link'));
    const tools = createCodingTools({ root, stateDirectory: temporaryDirectory() });
    const patch = `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`;
    for (const result of [
      await tools.write.execute({ path, content: 'x' }),
      await tools.edit.execute({ path, edits: [{ old_text: 'c', new_text: 'x' }] }),
      await tools.rename.execute({ from: 'a', to: path.startsWith('to-') ? `${path}/x` : path }),
      await tools.patch.execute({ patch }),
      ...(code === 'PROTECTED' ? [] : [await tools.read.execute({ path })]),
    ]) {
      expect(failure(result)).toMatch(new RegExp(`^(?:${code}|EXISTS|NOT_A_DIRECTORY|NOT_FOUND): `, 'u'));
    }
    expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('precious');
    expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe('c');
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('x');
  });

  test('other roots by name, and everything when nothing is confined', async () => {
    const [other, third] = [createTree({ a: 'x' }), createTree({ a: 'x' })];
    const { tools } = createBench({}, { allowedRoots: [other] });
    details(await tools.read.execute({ path: join(other, 'a') }));
    expect(failure(await tools.read.execute({ path: join(third, 'a') }))).toMatch(/^OUTSIDE_ROOT/u);
    const free = createBench({}, { confine: false });
    details(await free.tools.read.execute({ path: join(third, 'a') }));
    expect(failure(await free.tools.write.execute({ path: join(third, '.git/x'), content: '' }))).toMatch(
      /^PROTECTED/u,
    );
  });

  test('a root that is a link is the directory it leads to', async () => {
    const real = createTree({ d: { a: 'x' } });
    const link = join(temporaryDirectory(), 'root');
    symlinkSync(real, link);
    const tools = createCodingTools({ root: link, stateDirectory: temporaryDirectory() });
    for (const path of ['d/a', join(link, 'd/a'), join(real, 'd/a')]) {
      details(await tools.read.execute({ path }));
    }
    expect(details(await tools.glob.execute({ pattern: '**/a' })).paths).toEqual(['d/a']);
  });
});

const names = [
  'with space',
  ' leading',
  '-dash',
  '[brackets]',
  '{braces}',
  'a:b',
  'quote"\'',
  'line\nend',
  'back\\slash',
  'caf\u00e9',
  'cafe\u0301',
  '\u65e5\u672c',
  '\u{1f600}',
  '@at',
  '#hash',
  '~tilde',
  '%41',
  '...',
];

test.each(names)('a file called %j is written, read, edited, found, moved and deleted', async (name) => {
  const { tools, root, paths } = createBench({ d: {} });
  const path = `d/${name}`;
  details(await tools.write.execute({ path, content: 'old text' }));
  expect(readFileSync(join(root, 'd', name), 'utf8')).toBe('old text');
  expect(details(await tools.read.execute({ path }))).toMatchObject({ path, lines: ['old text'] });
  details(await tools.edit.execute({ path, edits: [{ old_text: 'old', new_text: 'new' }] }));
  expect(details(await tools.grep.execute({ pattern: 'new text' })).matches[0]?.path).toBe(path);
  expect(details(await tools.glob.execute({ pattern: 'd/*', hidden: true })).paths).toEqual([path]);
  expect(details(await tools.ls.execute({ path: 'd' })).entries[0]?.path).toBe(name);
  details(await tools.rename.execute({ from: path, to: name }));
  details(await tools.delete.execute({ path: name }));
  expect(paths()).toEqual(['d']);
});

test('a link that another program replaces with a file while the path is resolved is that file', async () => {
  const root = createTree({ link: symlink('nowhere') });
  const path = join(root, 'link');
  const replacing: FileOperations = {
    ...nodeFileOperations,
    readLink: (at) => {
      rmSync(path);
      writeFileSync(path, 'text');
      return nodeFileOperations.readLink(at);
    },
  };
  expect(await realPathOf(replacing, path)).toBe(path);
});

test('two names that appear equal are two files', async () => {
  const { tools, paths } = createBench({});
  for (const path of ['caf\u00e9', 'cafe\u0301']) details(await tools.write.execute({ path, content: path }));
  expect(paths()).toHaveLength(2);
});

test('sets on one workspace know what the other has read', async () => {
  const root = createTree({ a: 'x' });
  const workspace = createWorkspace({ root, stateDirectory: temporaryDirectory() });
  const [one, other] = [createCodingTools({ workspace }), createCodingTools({ workspace })];
  details(await one.read.execute({ path: 'a' }));
  details(await other.write.execute({ path: 'a', content: 'y' }));
  writeFileSync(join(root, 'a'), 'z');
  expect(failure(await one.write.execute({ path: 'a', content: 'q' }))).toMatch(/^STALE/u);
});
