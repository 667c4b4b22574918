import { createCodingTools, nodeFileOperations } from '@cairn/coding-agent';
import { ToolError } from '@cairn/tool';
import type { FileOperations } from '@cairn/coding-agent';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fifo, temporaryDirectory } from '../support/tree.ts';
import { call, createBench, details, failure } from './support.ts';

/** The file system, with one operation failing as the system would. */
function failing(operation: keyof FileOperations, code: string, when: (path: string) => boolean): FileOperations {
  const fail = (path: string): never => {
    throw Object.assign(new Error(`${code}: ${path}`), { code, path });
  };
  return {
    ...nodeFileOperations,
    [operation]: async (path: string, ...rest: never[]) => {
      if (when(path)) fail(path);
      const run = nodeFileOperations[operation] as (...values: unknown[]) => Promise<unknown>;
      return run(path, ...rest);
    },
  };
}

const isTemporary = (path: string): boolean => path.includes('/.cairn-');

describe('parameters', () => {
  const rows: readonly (readonly [
    tool: 'read' | 'edit' | 'write' | 'rename' | 'grep',
    input: unknown,
    says: string,
  ])[] = [
    ['read', {}, 'read: missing parameter path (parameters: path, offset?, limit?, encoding?)'],
    ['read', { path: 7 }, 'read: invalid parameter path'],
    ['read', { path: 'a', offset: 0 }, 'invalid parameter offset'],
    ['read', { path: 'a', offset: 'two' }, 'invalid parameter offset'],
    ['read', { path: 'a', lines: 3 }, 'unknown parameter lines (parameters: path, offset?, limit?, encoding?)'],
    ['read', 'a', 'read:'],
    ['read', null, 'read:'],
    [
      'edit',
      { path: 'a' },
      'missing parameter edits (parameters: path, edits: [{ old_text, new_text, replace_all? }])',
    ],
    ['edit', { path: 'a', old_text: 'x' }, 'missing parameter edits[0].new_text'],
    ['edit', { path: 'a', edits: [{ old_text: 'x', new_text: 'y', all: true }] }, 'unknown parameter edits[0].all'],
    ['edit', { path: 'a', edits: [] }, 'invalid parameter edits'],
    ['write', { path: 'a' }, 'missing parameter content (parameters: path, content)'],
    ['rename', { from: 'a' }, 'missing parameter to (parameters: from, to, overwrite?)'],
    ['grep', { pattern: 'x', mode: 'lines' }, 'invalid parameter mode'],
    ['read', { path: 'a\0b' }, 'NUL'],
    ['read', { path: '' }, 'empty'],
  ];

  test.each(rows)('%s of %j', async (name, input, says) => {
    const { tools } = createBench({ a: 'x' });
    const text = failure(await call<unknown>(tools[name], input));
    expect(text).toMatch(/^INVALID_INPUT: /u);
    expect(text).toContain(says);
  });

  test('a root that is not absolute is rejected by the factory', () => {
    for (const root of ['', 'src', undefined]) {
      const make = (): unknown => createCodingTools({ root: root as string });
      expect(make).toThrow(expect.toSatisfy((error) => ToolError.isInstance(error) && error.code === 'INVALID_OPTION'));
    }
  });
});

/** Each way to change `a`, or for a new file `n`. */
const changes = {
  edit: { path: 'a', edits: [{ old_text: 'x', new_text: 'y' }] },
  patch: { patch: '*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch' },
  write: { path: 'n', content: 'n' },
  rename: { from: 'a', to: 'n' },
  delete: { path: 'a' },
} as const;

type Change = keyof typeof changes;

/** A journal gets its name by a rename, too. */
function isNoJournal(path: string): boolean {
  return !path.endsWith('.new');
}

const refusals: readonly (readonly [
  reason: string,
  operation: keyof FileOperations,
  code: string,
  when: (path: string) => boolean,
  tools: readonly Change[],
  says: RegExp,
])[] = [
  [
    'a full disk',
    'open',
    'ENOSPC',
    isTemporary,
    ['edit', 'patch', 'write'],
    /^NO_SPACE: (?:a|n) cannot be written: the disk is full/u,
  ],
  ['a used up quota', 'open', 'EDQUOT', isTemporary, ['edit', 'patch', 'write'], /^NO_SPACE: .*quota/u],
  [
    'a read-only file system',
    'open',
    'EROFS',
    isTemporary,
    ['edit', 'patch', 'write'],
    /^READ_ONLY: .*read-only file system/u,
  ],
  [
    'a directory that may not be written',
    'open',
    'EACCES',
    isTemporary,
    ['edit', 'patch', 'write'],
    /^PERMISSION: .*permission denied/u,
  ],
  [
    'a file that may not be read',
    'open',
    'EACCES',
    (path) => path.endsWith('/a'),
    ['edit', 'patch'],
    /^PERMISSION: a cannot/u,
  ],
  [
    'a directory whose names may not be changed',
    'rename',
    'EPERM',
    isNoJournal,
    ['delete'],
    /^PERMISSION: .*not permitted/u,
  ],
  [
    'names that may not be exchanged',
    'replace',
    'EPERM',
    () => true,
    ['edit', 'patch'],
    /^PERMISSION: .*not permitted/u,
  ],
  ['a fault of the disk', 'rename', 'EIO', isNoJournal, ['delete'], /^IO: .*\(EIO\)/u],
  ['a fault of the disk in an exchange', 'replace', 'EIO', () => true, ['edit', 'patch'], /^IO: .*\(EIO\)/u],
  [
    'a name that may not be added',
    'renameNoReplace',
    'EACCES',
    () => true,
    ['write', 'rename'],
    /^PERMISSION: .*permission denied/u,
  ],
  ['a fault of the disk with a new name', 'renameNoReplace', 'EIO', () => true, ['write', 'rename'], /^IO: .*\(EIO\)/u],
];

describe.each(refusals)('%s', (_reason, operation, code, when, tools, says) => {
  test.each(tools)('%s reports it, changes nothing and leaves nothing', async (name) => {
    const bench = createBench({ a: 'x\n' }, undefined, { operations: failing(operation, code, when) });
    const text = failure(await call<unknown>(bench.tools[name], changes[name]));
    expect(text).toMatch(says);
    expect(text).toContain('Nothing was changed.');
    expect(bench.paths()).toEqual(['a']);
    expect(bench.text('a')).toBe('x\n');
  });
});

test('a patch is rolled back when a later step fails', async () => {
  const operations: FileOperations = {
    ...nodeFileOperations,
    replace: (temporary, target) => {
      if (target.endsWith('/c')) throw Object.assign(new Error('EIO'), { code: 'EIO' });
      return nodeFileOperations.replace(temporary, target);
    },
  };
  const tree = { a: 'a\n', b: 'b\n', c: 'c\n', d: 'd\n' };
  const { tools, paths, text } = createBench(tree, undefined, { operations });
  const before = paths();
  const sections = [
    '*** Add File: n/e/w\n+x',
    '*** Update File: a\n@@\n-a\n+A',
    '*** Delete File: b',
    '*** Update File: d\n*** Move to: m/d',
    '*** Update File: c\n@@\n-c\n+C',
  ];
  const patch = ['*** Begin Patch', ...sections, '*** End Patch'].join('\n');
  expect(failure(await tools.patch.execute({ patch }))).toMatch(/^IO: c could not .* Nothing was changed\./u);
  expect(paths()).toEqual(before);
  expect(['a', 'b', 'c', 'd'].map(text)).toEqual(['a\n', 'b\n', 'c\n', 'd\n']);
});

test('a failed undo is reported', async () => {
  const operations: FileOperations = {
    ...nodeFileOperations,
    replace: () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })),
    exchange: () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })),
    renameNoReplace: (from, to) => {
      if (from.endsWith('/n')) throw Object.assign(new Error('EIO'), { code: 'EIO' });
      return nodeFileOperations.renameNoReplace(from, to);
    },
  };
  const { tools } = createBench({ a: 'a\n', b: 'b\n' }, undefined, { operations });
  const patch = [
    '*** Begin Patch',
    '*** Update File: a',
    '*** Move to: n',
    '*** Update File: b',
    '@@',
    '-b',
    '+B',
    '*** End Patch',
  ];
  const result = await tools.patch.execute({ patch: patch.join('\n') });
  expect(failure(result)).toMatch(
    /^IO: The change failed partway, and undoing it failed too: b could .*; a could .* Check a, b before you continue/u,
  );
  expect(result).toMatchObject({ details: { changed: true } });
});

/** Whether an operation fails. */
type Fails = (operation: 'rename' | 'replace' | 'unlink', from: string, to: string) => string | undefined;

function refusing(fails: Fails): FileOperations {
  const refuse = (operation: Parameters<Fails>[0], from: string, to: string): void => {
    const code = fails(operation, from, to);
    if (code !== undefined) throw Object.assign(new Error(code), { code });
  };
  return {
    ...nodeFileOperations,
    rename: async (from, to) => {
      refuse('rename', from, to);
      await nodeFileOperations.rename(from, to);
    },
    renameNoReplace: async (from, to) => {
      refuse('rename', from, to);
      return nodeFileOperations.renameNoReplace(from, to);
    },
    replace: async (temporary, target) => {
      refuse('replace', temporary, target);
      return nodeFileOperations.replace(temporary, target);
    },
    unlink: async (path) => {
      refuse('unlink', path, '');
      await nodeFileOperations.unlink(path);
    },
  };
}

test('a patch with a file that cannot be removed makes all other changes and leaves no temporary file', async () => {
  let unlinks = 0;
  const operations = refusing((operation) => (operation === 'unlink' && unlinks++ === 0 ? 'EPERM' : undefined));
  const { tools, paths } = createBench({ a: 'a\n', b: 'b\n' }, undefined, { operations });
  const patch = '*** Begin Patch\n*** Delete File: a\n*** Delete File: b\n*** End Patch\n';
  const result = await tools.patch.execute({ patch });
  expect(failure(result)).toMatch(/^PERMISSION: a was only partly deleted: .*; all other changes were made\./u);
  expect(result).toMatchObject({ details: { changed: true } });
  expect(paths()).toEqual(['a']);
});

test('a path that can be neither removed nor restored is reported as changed', async () => {
  const operations = refusing((operation, from) => (operation === 'unlink' || isTemporary(from) ? 'EIO' : undefined));
  const { tools, root, paths } = createBench({ a: 'a\n' }, undefined, { operations });
  const result = await tools.delete.execute({ path: 'a' });
  const [left = ''] = paths();
  expect(failure(result)).toContain(`a could not be restored`);
  expect(failure(result)).toContain(`its remaining content is now at ${join(root, left)}`);
  expect(result).toMatchObject({ details: { changed: true } });
});

describe('a move to another file system', () => {
  const isAcross = (from: string, to: string): boolean => from.includes('/m/') !== to.includes('/m/');

  test('a rename whose old path cannot be removed is undone', async () => {
    const operations = refusing((operation, from, to) => {
      if (operation !== 'rename') return undefined;
      return isAcross(from, to) ? 'EXDEV' : from.endsWith('/a') && !from.includes('/m/') ? 'EPERM' : undefined;
    });
    const { tools, paths } = createBench({ a: 'a\n', m: {} }, undefined, { operations });
    expect(failure(await tools.rename.execute({ from: 'a', to: 'm/a' }))).toContain('Nothing was changed.');
    expect(paths()).toEqual(['a', 'm']);
  });

  test('a rename whose old path can be removed only in part is reported as made', async () => {
    const operations = refusing((operation, from, to) => {
      if (operation === 'rename') return isAcross(from, to) ? 'EXDEV' : undefined;
      return from.endsWith('/b') ? 'EPERM' : undefined;
    });
    const { tools, paths } = createBench({ d: { b: 'b\n', c: 'c\n' }, m: {} }, undefined, { operations });
    const result = await tools.rename.execute({ from: 'd', to: 'm/d' });
    expect(failure(result)).toMatch(/^PERMISSION: d was moved to m\/d, but not all of it could be deleted/u);
    expect(result).toMatchObject({ details: { changed: true } });
    expect(paths().filter((path) => path !== 'd/c')).toEqual(['d', 'd/b', 'm', 'm/d', 'm/d/b', 'm/d/c']);
  });

  test('a rename that fails for another reason is not made as a copy', async () => {
    const operations = refusing((operation, from, to) =>
      operation === 'rename' && from.endsWith('/a') && to.endsWith('/b') ? 'EIO' : undefined,
    );
    const { tools, paths } = createBench({ a: 'a\n' }, undefined, { operations });
    expect(failure(await tools.rename.execute({ from: 'a', to: 'b' }))).toContain('Nothing was changed.');
    expect(paths()).toEqual(['a']);
  });

  test('is taken back with the patch that it is part of', async () => {
    const operations = refusing((operation, from, to) => {
      if (operation === 'replace') return 'EIO';
      return operation === 'rename' && isAcross(from, to) ? 'EXDEV' : undefined;
    });
    const { tools, paths } = createBench({ a: 'a\n', b: 'b\n', m: {} }, undefined, { operations });
    const patch =
      '*** Begin Patch\n*** Update File: a\n*** Move to: m/a\n*** Update File: b\n@@\n-b\n+B\n*** End Patch\n';
    expect(failure(await tools.patch.execute({ patch }))).toContain('Nothing was changed.');
    expect(paths()).toEqual(['a', 'b', 'm']);
  });
});

test('a path that is too long, as a name and as a whole', async () => {
  const { tools } = createBench({});
  for (const path of ['x'.repeat(300), 'd/'.repeat(3000)]) {
    expect(failure(await tools.write.execute({ path, content: '' }))).toMatch(
      /^NAME_TOO_LONG: .*Nothing was changed\. Shorten/u,
    );
    expect(failure(await tools.read.execute({ path }))).toMatch(/^NAME_TOO_LONG/u);
  }
});

test('a directory where a file is meant, a file where a directory is meant, a pipe', async () => {
  const { tools } = createBench({ d: {}, f: 'x', p: fifo() });
  const edits = [{ old_text: 'x', new_text: 'y' }];
  expect(failure(await tools.edit.execute({ path: 'd', edits }))).toMatch(
    /^IS_DIRECTORY: d is a directory.*Nothing was/u,
  );
  expect(failure(await tools.write.execute({ path: 'd', content: '' }))).toMatch(/^IS_DIRECTORY/u);
  expect(failure(await tools.write.execute({ path: 'f/x', content: '' }))).toMatch(/^NOT_A_DIRECTORY/u);
  for (const result of [
    await tools.read.execute({ path: 'p' }),
    await tools.edit.execute({ path: 'p', edits }),
    await tools.write.execute({ path: 'p', content: '' }),
  ]) {
    expect(failure(result)).toMatch(/^NOT_A_FILE: p is a device, pipe or socket/u);
  }
});

test('a loop of symbolic links', async () => {
  const { tools, root } = createBench({});
  spawnSync('ln', ['-s', 'b', join(root, 'a')]);
  spawnSync('ln', ['-s', 'a', join(root, 'b')]);
  expect(failure(await tools.read.execute({ path: 'a' }))).toMatch(
    /^NOT_FOUND: a is part of a loop of symbolic links/u,
  );
  expect(failure(await tools.write.execute({ path: 'a', content: '' }))).toMatch(
    /^NOT_FOUND: a is part of a loop of symbolic links/u,
  );
});

/** A file system of one megabyte; `undefined` where mounting is not allowed. */
function smallDisk(): string | undefined {
  const directory = join(temporaryDirectory(), 'disk');
  mkdirSync(directory);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', directory]);
  if (status !== 0) return undefined;
  onTestFinished(() => {
    spawnSync('umount', [directory]);
  });
  return directory;
}

test('a full disk leaves every file as it was, one with several names too', async ({ skip }) => {
  const root = smallDisk();
  if (root === undefined) {
    skip('mounting is not allowed here');
    return;
  }
  const content = 'x'.repeat(400_000);
  for (const path of ['a', 'b']) writeFileSync(join(root, path), content);
  spawnSync('ln', [join(root, 'a'), join(root, 'a2')]);
  const tools = createCodingTools({ root, stateDirectory: temporaryDirectory() });
  const before = readdirSync(root);
  for (const path of ['a', 'b']) {
    await tools.read.execute({ path });
    const text = failure(await tools.write.execute({ path, content: 'y'.repeat(500_000) }));
    expect(text).toMatch(
      /^NO_SPACE: [ab] cannot be written: the disk is full\. Nothing was changed\. Free some space/u,
    );
  }
  expect(readdirSync(root)).toEqual(before);
  for (const path of ['a', 'a2', 'b']) expect(readFileSync(join(root, path), 'utf8')).toBe(content);
});

test('a flat edit next to edits that are null is one edit', async () => {
  const { tools, text } = createBench({ a: 'x' });
  details(await call(tools.edit, { path: 'a', edits: null, old_text: 'x', new_text: 'y' }));
  expect(text('a')).toBe('y');
});
