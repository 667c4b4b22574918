import { createCodingTools, createWorkspace, nodeFileOperations } from '@cairn/coding-agent';
import type { CodingTools, FileOperations, FileStat, Workspace } from '@cairn/coding-agent';
import { createWorkspaceCache } from '@cairn/workspace-cache';
import type { WorkspaceCache } from '@cairn/workspace-cache';
import fc from 'fast-check';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  linkSync,
  openSync,
  closeSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { settled } from '../support/settled.ts';
import { createTree, symlink, temporaryDirectory } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';

interface Setup {
  readonly root: string;
  readonly cache: WorkspaceCache;
  readonly workspace: Workspace;
  readonly tools: CodingTools;
  /** The canonical paths that were opened to be read on the disk. */
  readonly opened: string[];
}

/** A workspace whose reads come from memory, and what reaches the disk. */
async function setUp(tree: Tree, replace: Partial<FileOperations> = {}): Promise<Setup> {
  const root = createTree(tree);
  await settled(root);
  const opened: string[] = [];
  const inner: FileOperations = {
    ...nodeFileOperations,
    open: (path, mode, permissions) => {
      if (mode === 'read') opened.push(path.slice(root.length + 1));
      return nodeFileOperations.open(path, mode, permissions);
    },
    ...replace,
  };
  const stateDirectory = temporaryDirectory();
  const cache = createWorkspaceCache({ root, stateDirectory });
  onTestFinished(() => cache.close());
  const workspace = cache.createWorkspace({ operations: inner, stateDirectory });
  return { root, cache, workspace, tools: createCodingTools({ workspace }), opened };
}

async function linesOf({ tools }: Setup, path: string): Promise<readonly string[]> {
  const result = await tools.read.execute({ path });
  if (result.isError) throw new Error(result.details.reason);
  return result.details.kind === 'text' ? result.details.lines : [];
}

async function reasonOf({ tools }: Setup, path: string): Promise<string | undefined> {
  const result = await tools.read.execute({ path });
  return result.isError ? result.details.reason : undefined;
}

describe('a second read', () => {
  test('opens no file', async () => {
    const setup = await setUp({ 'a.ts': 'one\ntwo\n' });
    expect(await linesOf(setup, 'a.ts')).toEqual(['one', 'two']);
    expect(await linesOf(setup, 'a.ts')).toEqual(['one', 'two']);
    expect(setup.opened).toEqual(['a.ts']);
    expect(setup.cache.content.stats).toMatchObject({ hits: 1, misses: 1, entries: 1 });
  });

  test('starts from the root of the cache, even when the workspace has another one', async () => {
    const parent = createTree({ 'a.ts': 'parent', 'project/a.ts': 'project', 'project/.env': '' });
    await settled(parent);
    const root = join(parent, 'project');
    const stateDirectory = temporaryDirectory();
    const workspace = createWorkspace({ root: parent, stateDirectory });
    const cache = createWorkspaceCache({ root, workspace, stateDirectory });
    onTestFinished(() => cache.close());
    for (let time = 0; time < 3; time++) {
      expect(await cache.content.read('a.ts')).toEqual({ path: 'a.ts', bytes: Buffer.from('project') });
      expect((await cache.content.read('../a.ts')).bytes.toString()).toBe('parent');
    }
    expect(cache.content.stats).toMatchObject({ hits: 4, misses: 2 });
    expect(await cache.content.accessCounts()).toMatchObject([{ path: 'a.ts', count: 3 }]);
    expect(workspace.ledger.get(join(root, 'a.ts'))?.size).toBe('project'.length);
  });

  test('by the cache itself opens no file either, and returns a copy', async () => {
    const { cache, opened } = await setUp({ 'src/a.ts': 'one' });
    const first = await cache.content.read('src/a.ts');
    first.bytes.fill(0);
    const second = await cache.content.read('./src/a.ts');
    expect(second).toEqual({ path: 'src/a.ts', bytes: Buffer.from('one') });
    second.bytes.fill(0);
    expect((await cache.content.read('src/a.ts')).bytes.toString()).toBe('one');
    expect(opened).toEqual(['src/a.ts']);
  });

  test('through a link opens no file', async () => {
    const setup = await setUp({ 'a.ts': 'one', b: symlink('a.ts') });
    expect(await linesOf(setup, 'a.ts')).toEqual(['one']);
    expect(await linesOf(setup, 'b')).toEqual(['one']);
    expect((await setup.cache.content.read('b')).bytes.toString()).toBe('one');
    expect(setup.opened).toEqual(['a.ts']);
  });

  test('reads pages, images and binary files as the first one does', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const contents = { 'a.txt': 'x\n'.repeat(5000), 'b.png': png, c: Buffer.from([1, 0, 2]), empty: '' };
    const setup = await setUp(contents);
    for (const input of [
      { path: 'a.txt', offset: 4000, limit: 3 },
      { path: 'a.txt' },
      { path: 'b.png' },
      { path: 'c' },
      { path: 'empty' },
    ]) {
      const first = await setup.tools.read.execute(input);
      expect(await setup.tools.read.execute(input)).toEqual(first);
    }
    expect(setup.opened).toEqual(['a.txt', 'b.png', 'c', 'empty']);
  });

  test('shares the one that is under way', async () => {
    const setup = await setUp({ 'a.ts': 'one' });
    const reads = await Promise.all(Array.from({ length: 20 }, () => linesOf(setup, 'a.ts')));
    expect(new Set(reads.map(String))).toEqual(new Set(['one']));
    expect(setup.opened).toEqual(['a.ts']);
  });
});

describe('what a read shows counts as read', () => {
  test('when it comes from memory, and a write may replace it', async () => {
    const { tools, cache, workspace, root } = await setUp({ 'a.ts': 'one' });
    await cache.content.read('a.ts', { countAsRead: false });
    expect((await tools.write.execute({ path: 'a.ts', content: 'two' })).isError).toBe(true);
    workspace.ledger.forget(join(root, 'a.ts'));
    await tools.read.execute({ path: 'a.ts' });
    expect(cache.content.stats.hits).toBe(1);
    expect((await tools.write.execute({ path: 'a.ts', content: 'two' })).isError).toBe(false);
    expect(readFileSync(join(root, 'a.ts'), 'utf8')).toBe('two');
  });

  test('when the cache itself returns it', async () => {
    const { tools, cache, workspace, root } = await setUp({ 'a.ts': 'one', 'b.ts': 'one' });
    for (const path of ['a.ts', 'b.ts']) await cache.content.read(path, { countAsRead: false });
    expect(workspace.ledger.get(join(root, 'a.ts'))).toBeUndefined();
    await cache.content.read('a.ts');
    expect((await tools.write.execute({ path: 'a.ts', content: 'two' })).isError).toBe(false);
    expect((await tools.write.execute({ path: 'b.ts', content: 'two' })).isError).toBe(true);
  });

  test('and a change by another program is noticed by the next edit', async () => {
    const { tools, root } = await setUp({ 'a.ts': 'one' });
    await tools.read.execute({ path: 'a.ts' });
    await tools.read.execute({ path: 'a.ts' });
    writeFileSync(join(root, 'a.ts'), 'owe');
    const result = await tools.edit.execute({ path: 'a.ts', edits: [{ old_text: 'one', new_text: 'two' }] });
    expect(result.isError && result.details.reason).toBe('STALE');
  });
});

test('commits read the disk, whatever the cache has', async () => {
  const root = createTree({ 'a.ts': 'one', d: { x: 'x' } });
  const stateDirectory = temporaryDirectory();
  const { workspace } = await setUp({});
  const lie: FileOperations = {
    ...nodeFileOperations,
    // As if a content of another time came from memory.
    openCached: async () => workspace.operations.open(join(root, 'd/x'), 'read'),
    listCached: async () => [],
  };
  const tools = createCodingTools({ workspace: createWorkspace({ root, stateDirectory, operations: lie }) });
  const read = await tools.read.execute({ path: 'a.ts' });
  expect(!read.isError && read.details.kind === 'text' && read.details.lines).toEqual(['x']);
  const edit = await tools.edit.execute({ path: 'a.ts', edits: [{ old_text: 'x', new_text: 'y' }] });
  expect(edit.isError).toBe(true);
  expect(readFileSync(join(root, 'a.ts'), 'utf8')).toBe('one');
  expect((await tools.delete.execute({ path: 'd', recursive: true })).isError).toBe(false);
});

describe('a read rejects', () => {
  test('a path through a directory that became a link to where it was moved', async () => {
    const outside = temporaryDirectory();
    const setup = await setUp({ 'd/a.ts': 'one' });
    await linesOf(setup, 'd/a.ts');
    await setup.cache.content.read('d/a.ts');
    // The file keeps its inode and its times.
    renameSync(join(setup.root, 'd'), join(outside, 'd'));
    symlinkSync(join(outside, 'd'), join(setup.root, 'd'));
    expect(await reasonOf(setup, 'd/a.ts')).toBe('OUTSIDE_ROOT');
    await expect(setup.cache.content.read('d/a.ts')).rejects.toMatchObject({ code: 'OUTSIDE_ROOT' });
    const { operations } = setup.workspace;
    await expect(operations.openCached?.(join(setup.root, 'd/a.ts'), join(setup.root, 'd/a.ts'))).rejects.toMatchObject(
      { code: 'ESTALE' },
    );
  });

  test('a file that became a link to where it was moved', async () => {
    const outside = temporaryDirectory();
    const setup = await setUp({ 'a.ts': 'one' });
    await linesOf(setup, 'a.ts');
    renameSync(join(setup.root, 'a.ts'), join(outside, 'a.ts'));
    symlinkSync(join(outside, 'a.ts'), join(setup.root, 'a.ts'));
    expect(await reasonOf(setup, 'a.ts')).toBe('OUTSIDE_ROOT');
    await expect(setup.cache.content.read('a.ts')).rejects.toMatchObject({ code: 'OUTSIDE_ROOT' });
  });

  test('a path outside the root, even when the file is in memory under its real path', async () => {
    const setup = await setUp({ 'a.ts': 'one' });
    await setup.cache.content.read('a.ts');
    await expect(setup.cache.content.read('../a.ts')).rejects.toMatchObject({ code: 'OUTSIDE_ROOT' });
    await expect(setup.cache.content.read('/etc/passwd')).rejects.toMatchObject({ code: 'OUTSIDE_ROOT' });
    await expect(setup.cache.content.read('a.ts\0')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(setup.cache.content.read('missing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(setup.cache.content.read('.')).rejects.toMatchObject({ code: 'IS_DIRECTORY' });
  });

  test('a file whose permissions changed, until the disk has allowed it', async () => {
    const setup = await setUp({ 'a.ts': 'one' });
    await linesOf(setup, 'a.ts');
    chmodSync(join(setup.root, 'a.ts'), 0o000);
    // Tests may run as root, who may read everything: it counts that the disk is asked.
    await setup.tools.read.execute({ path: 'a.ts' });
    expect(setup.opened).toEqual(['a.ts', 'a.ts']);
  });

  test('nothing that another user of the same process read', async () => {
    const setup = await setUp({ 'a.ts': 'one' });
    await linesOf(setup, 'a.ts');
    const spy = vi.spyOn(process, 'geteuid').mockReturnValue(12_345);
    onTestFinished(() => spy.mockRestore());
    await linesOf(setup, 'a.ts');
    expect(setup.opened).toEqual(['a.ts', 'a.ts']);
  });
});

test.each([
  '.env',
  '.env.local',
  'server.key',
  'id_rsa',
  'credentials.json',
  '.ssh/config',
  '.aws/config',
  '.git/config',
  'deep/.Docker/config.json',
])('never keeps %s', async (path) => {
  const setup = await setUp({ [path]: 'secret\n' });
  await linesOf(setup, path);
  await linesOf(setup, path);
  await setup.cache.content.read(path);
  expect(setup.opened).toEqual([path, path, path]);
  expect(setup.cache.content.stats.entries).toBe(0);
  expect(await setup.cache.content.accessCounts()).toEqual([]);
});

test('never keeps what a link with a secret name leads to', async () => {
  const { cache, root, tools } = await setUp({ '.env': symlink('config/settings'), 'config/settings': 'KEY=1' });
  const { run } = await cache.init();
  const read = run.wrapReadWithCache((path: string) => readFileSync(join(root, path), 'utf8'));
  for (let time = 0; time < 2; time++) {
    await tools.read.execute({ path: '.env' });
    await cache.content.read('.env');
    await read('.env');
  }
  expect(cache.content.stats.entries).toBe(0);
});

test('never keeps a file that has a secret name, too', async () => {
  const { cache, root, tools } = await setUp({ '.env': 'KEY=1' });
  linkSync(join(root, '.env'), join(root, 'notes.txt'));
  await settled(root);
  const { run } = await cache.init();
  await tools.read.execute({ path: 'notes.txt' });
  await cache.content.read('notes.txt');
  await run.wrapReadWithCache((path: string) => readFileSync(join(root, path), 'utf8'))('notes.txt');
  expect(cache.content.stats.entries).toBe(0);
});

test('a file that changed just now is not kept', async () => {
  const setup = await setUp(
    { 'a.ts': 'one' },
    {
      open: async (path, mode, permissions) => {
        const file = await nodeFileOperations.open(path, mode, permissions);
        // However slow this test is, the change is not old enough.
        const ctimeNs = BigInt(Date.now() + 60_000) * 1_000_000n;
        return { ...file, stat: async (): Promise<FileStat> => ({ ...(await file.stat()), ctimeNs }) };
      },
    },
  );
  await linesOf(setup, 'a.ts');
  expect(setup.cache.content.stats).toMatchObject({ misses: 1, entries: 0 });
});

test('keeps no file above 1 MiB, and 32 MiB of the files that were used last', async () => {
  const mebibyte = 'x'.repeat(1024 * 1024);
  const names = Array.from({ length: 40 }, (_, index) => `f${index}`);
  const setup = await setUp({ ...Object.fromEntries(names.map((name) => [name, mebibyte])), large: `${mebibyte}x` });
  const { content } = setup.cache;
  await content.read('large');
  expect(content.stats.entries).toBe(0);
  for (const name of names) await content.read(name);
  expect(content.stats.entries).toBe(31);
  expect(content.stats.bytes).toBeLessThanOrEqual(32 * 1024 * 1024);
  setup.opened.length = 0;
  // The oldest that is left becomes the newest.
  await content.read('f9');
  await content.read('large');
  await content.read('f0');
  await content.read('f9');
  await content.read('f10');
  expect(setup.opened).toEqual(['large', 'f0', 'f10']);
});

test('empty files take memory, too', async () => {
  const setup = await setUp({ empty: '' });
  await setup.cache.content.read('empty');
  expect(setup.cache.content.stats.bytes).toBeGreaterThan(100);
});

/** What another program may do to a file between two reads. */
const changes: Readonly<Record<string, (path: string, other: string) => void>> = {
  'write other bytes of the same length': (path) => {
    const { length } = readFileSync(path);
    writeFileSync(path, Buffer.alloc(length, Math.floor(Math.random() * 26) + 97));
  },
  'write one byte and restore the time': (path) => {
    const { atime, mtime } = statSync(path);
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.from([Math.floor(Math.random() * 26) + 65]), 0, 1, 0);
    closeSync(file);
    utimesSync(path, atime, mtime);
  },
  'put a file of the same length and time in its place': (path, other) => {
    const { atime, mtime, size } = statSync(path);
    writeFileSync(other, Buffer.alloc(size, Math.floor(Math.random() * 26) + 97));
    utimesSync(other, atime, mtime);
    renameSync(other, path);
  },
  'delete it and make it again': (path) => {
    const { size } = statSync(path);
    rmSync(path);
    writeFileSync(path, Buffer.alloc(size, Math.floor(Math.random() * 26) + 97));
  },
  append: (path) => appendFileSync(path, 'z'),
  'cut off': (path) => truncateSync(path, Math.max(1, statSync(path).size - 1)),
  'give it a second name and write to that': (path, other) => {
    rmSync(other, { force: true });
    linkSync(path, other);
    writeFileSync(other, Buffer.alloc(statSync(path).size, Math.floor(Math.random() * 26) + 97));
    rmSync(other);
  },
  'turn it into a link': (path) => {
    const target = `${path}.target`;
    writeFileSync(target, 'a link\n');
    rmSync(path);
    symlinkSync(target, path);
  },
  'touch it': (path) => utimesSync(path, new Date(), new Date(1_000_000_000_000)),
  nothing: () => undefined,
};

test('is never stale, whatever other programs do to files', async () => {
  const names = Array.from({ length: 6 }, (_, index) => `d/f${index}`);
  const setup = await setUp(Object.fromEntries(names.map((name) => [name, 'content\n'])));
  const { cache, root, tools } = setup;
  const check = async (name: string): Promise<void> => {
    const expected = readFileSync(join(root, name), 'utf8');
    expect((await cache.content.read(name)).bytes.toString()).toBe(expected);
    const result = await tools.read.execute({ path: name });
    expect(!result.isError && result.details.kind === 'text' && result.details.lines.join('\n')).toBe(
      expected.replace(/\n$/u, ''),
    );
  };
  const step = fc.record({ name: fc.constantFrom(...names), kind: fc.constantFrom(...Object.keys(changes)) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), fc.boolean(), async (steps, waits) => {
      for (const { name, kind } of steps) {
        changes[kind]?.(join(root, name), join(root, `${name}.other`));
        await check(name);
        await check(name);
      }
      if (waits) await settled(root);
      for (const name of names) await check(name);
      for (const name of names) await check(name);
    }),
    { numRuns: 25 },
  );
  expect(cache.content.stats.hits).toBeGreaterThan(20);
});

/** Writes increasing numbers of the same length into a file, in three ways, with and without pauses, until its input ends. */
const writer = `
  import { openSync, renameSync, statSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
  const [path] = process.argv.slice(1);
  let isOver = false;
  process.stdin.on('end', () => (isOver = true)).resume();
  const file = () => openSync(path, 'r+');
  let open = file();
  for (let number = 1; !isOver; number++) {
    const text = String(number).padStart(12, '0');
    const { atime, mtime } = statSync(path);
    if (number % 7 === 0) {
      writeFileSync(path + '.new', text);
      utimesSync(path + '.new', atime, mtime);
      renameSync(path + '.new', path);
      open = file();
    } else {
      writeSync(open, text, 0);
      if (number % 3 === 0) utimesSync(path, atime, mtime);
    }
    // The pace of a program that writes: bursts, and pauses in which the file settles and is kept.
    const pauseMs = number % 50 < 40 ? 0 : number % 50 === 49 ? 400 : 5;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
`;

test('is never older than the file was when the read began, while another process writes', async () => {
  const { root, cache, tools } = await setUp({ 'a.txt': '0'.padStart(12, '0') });
  const path = join(root, 'a.txt');
  const child = spawn(process.execPath, ['--input-type=module', '--eval', writer, path], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const numberNow = (): number => Number(readFileSync(path, 'utf8'));
  const check = async (read: () => Promise<unknown>): Promise<void> => {
    const before = numberNow();
    const found = Number(await read());
    expect(found).toBeGreaterThanOrEqual(before);
    expect(found).toBeLessThanOrEqual(numberNow());
  };
  const readByTool = async (): Promise<unknown> => {
    const result = await tools.read.execute({ path: 'a.txt' });
    return !result.isError && result.details.kind === 'text' ? result.details.lines[0] : undefined;
  };
  while (numberNow() < 400 || cache.content.stats.hits < 100) {
    await check(async () => (await cache.content.read('a.txt')).bytes);
    await check(readByTool);
  }
  child.stdin.end();
  await once(child, 'exit');
});
