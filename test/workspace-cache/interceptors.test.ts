import { createCodingTools, createWorkspace, nodeFileOperations } from '@cairn/coding-agent';
import type { Workspace } from '@cairn/coding-agent';
import { createWorkspaceCache } from '@cairn/workspace-cache';
import type { WorkspaceCache, WorkspaceRun } from '@cairn/workspace-cache';
import fc from 'fast-check';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
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
  readonly run: WorkspaceRun;
}

async function setUp(tree: Tree, options: { readonly mode?: 'static' } = {}): Promise<Setup> {
  const root = createTree(tree);
  await settled(root);
  const stateDirectory = temporaryDirectory();
  const cache = createWorkspaceCache({ root, stateDirectory, ...options });
  onTestFinished(() => cache.close());
  const workspace = cache.createWorkspace({ stateDirectory });
  const { run } = await cache.init({ userContext: {} });
  return { root, cache, workspace, run };
}

interface Item {
  readonly name: string;
  readonly isDirectory: boolean;
  readonly size?: number;
}

/** Returns the result of a promise, unless a call waits for another: then lets its time run out. With fake timers. */
async function withoutWaiting<T>(promise: Promise<T>): Promise<T | 'a call waits for another'> {
  let isDone = false;
  let hasWaited = false;
  void promise.finally(() => (isDone = true));
  while (!isDone) {
    hasWaited ||= vi.getTimerCount() > 0;
    if (hasWaited) vi.advanceTimersByTime(1000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return hasWaited ? 'a call waits for another' : promise;
}

/** What a wrapped function may call. */
interface Nested {
  readonly wrapped: (path: string) => Promise<string>;
  readonly other: (path: string) => Promise<string>;
}

/** A function that records the arguments of its calls. */
function counted<Args extends readonly unknown[], Result>(
  run: (...args: Args) => Result,
): ((...args: Args) => Result) & { readonly calls: readonly Args[] } {
  const calls: Args[] = [];
  const record = (...args: Args): Result => {
    calls.push(args);
    return run(...args);
  };
  return Object.assign(record, { calls });
}

/** A list function of a framework that shows its root as `/`. */
const lister = (root: string) =>
  counted(async ({ path, depth = 1 }: { path: string; depth?: number; name?: string }): Promise<Item[]> => {
    const below = (directory: string, prefix: string, left: number): Item[] =>
      readdirSync(directory, { withFileTypes: true })
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .flatMap((entry) => {
          const at = join(directory, entry.name);
          const isDirectory = entry.isDirectory();
          const item = { name: prefix + entry.name, isDirectory, ...(isDirectory ? {} : { size: lstatSync(at).size }) };
          return isDirectory && left > 1 ? [item, ...below(at, `${item.name}/`, left - 1)] : [item];
        });
    return below(join(root, path), '', depth);
  });

describe('a second call', () => {
  test('for a path does not reach the original', async () => {
    const { root, run } = await setUp({ 'src/a.ts': 'a', 'src/b/c': '' });
    const list = lister(root);
    const wrapped = run.wrapWithCache(list);
    const first = await wrapped({ path: '/src' });
    expect(first).toEqual([
      { name: 'a.ts', isDirectory: false, size: 1 },
      { name: 'b', isDirectory: true },
    ]);
    expect(await wrapped({ path: '/src' })).toEqual(first);
    expect(list.calls).toHaveLength(1);
    expect(run.statistics().listings).toEqual({ hits: 1, misses: 1 });
  });

  test.each([
    ['a path as it is', 'src'],
    ['the root', '/'],
    ['an absolute path', (root: string) => join(root, 'src')],
    ['a path with a link', 'link'],
  ])('works with %s', async (_what, path) => {
    const { root, run } = await setUp({ 'src/a.ts': '', link: symlink('src') });
    const list = counted(async (given: string) => readdirSync(given.startsWith(root) ? given : join(root, given)));
    const wrapped = run.wrapWithCache(list);
    const given = typeof path === 'string' ? path : path(root);
    expect(await wrapped(given)).toEqual(await wrapped(given));
    expect(list.calls).toHaveLength(1);
  });

  test('with other arguments is another call', async () => {
    const { root, run } = await setUp({ 'src/a.ts': '' });
    const list = lister(root);
    const wrapped = run.wrapWithCache(list);
    for (let time = 0; time < 2; time++) {
      await wrapped({ path: '/' });
      await wrapped({ path: '/src' });
      await wrapped({ path: '/', depth: 2 });
      await wrapped({ name: 'workspace', path: '/' });
      await wrapped({ path: '/', name: 'workspace' });
    }
    expect(list.calls).toHaveLength(4);
  });

  test('of another function, or on another object, is another call', async () => {
    const { run } = await setUp({ 'a.ts': '' });
    class Files {
      readonly names: readonly string[];
      constructor(names: readonly string[]) {
        this.names = names;
      }
      async list(path: string): Promise<readonly string[]> {
        return path === '/' ? this.names : [];
      }
    }
    // eslint-disable-next-line typescript/unbound-method
    const list = run.wrapWithCache(Files.prototype.list);
    const [one, other] = [new Files(['a.ts']), new Files([])];
    expect(await list.call(one, '/')).toEqual(['a.ts']);
    expect(await list.call(other, '/')).toEqual([]);
    expect(await list.call(one, '/')).toEqual(['a.ts']);
    expect(await run.wrapWithCache<[path: string], string[]>(() => ['a.ts', 'b'])('/')).toEqual(['a.ts', 'b']);
  });

  test('gets a copy, and so does the first', async () => {
    const { root, run } = await setUp({ 'a.ts': '' });
    const wrapped = run.wrapWithCache(lister(root));
    for (let time = 0; time < 3; time++) {
      const items = await wrapped({ path: '/' });
      expect(items).toHaveLength(1);
      items.length = 0;
    }
  });

  test('reaches the original after a failure, which all calls in flight share', async () => {
    const { run } = await setUp({ 'a.ts': '' });
    let number = 0;
    const list = counted<[path: string], Promise<string[]>>(async () => {
      number += 1;
      if (number === 1) throw new Error('try again');
      return ['a.ts'];
    });
    const wrapped = run.wrapWithCache(list);
    const first = await Promise.allSettled([wrapped('/'), wrapped('/')]);
    expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await wrapped('/')).toEqual(['a.ts']);
    expect(list.calls).toHaveLength(2);
  });

  test('after a result that is a failure reaches the original', async () => {
    const { run } = await setUp({ 'a.ts': '' });
    const list = counted<[path: string], Promise<object>>(async () => ({ isError: true, content: [] }));
    const wrapped = run.wrapWithCache(list);
    await wrapped('/');
    await wrapped('/');
    expect(list.calls).toHaveLength(2);
  });
});

describe('calls in flight', () => {
  test('share one, and each gets a result of its own', async () => {
    const { root, run } = await setUp({ 'a.ts': '' });
    const list = lister(root);
    const wrapped = run.wrapWithCache(list);
    const results = await Promise.all([wrapped({ path: '/' }), wrapped({ path: '/' }), wrapped({ path: '/' })]);
    expect(list.calls).toHaveLength(1);
    expect(new Set(results).size).toBe(3);
    expect(results[2]).toEqual(results[0]);
  });

  test('share one when it began before, unless something changed since', async () => {
    const { root, run } = await setUp({ 'a.ts': '' });
    const ends: ((names: readonly string[]) => void)[] = [];
    const list = counted<[path: string], Promise<readonly string[]>>(
      () => new Promise((resolve) => ends.push(resolve)),
    );
    const wrapped = run.wrapWithCache(list);
    const first = wrapped('/');
    await expect.poll(() => list.calls).toHaveLength(1);
    const second = wrapped('/');
    writeFileSync(join(root, 'b.ts'), '');
    const third = wrapped('/');
    await expect.poll(() => list.calls).toHaveLength(2);
    ends[0]?.(['a.ts']);
    ends[1]?.(['a.ts', 'b.ts']);
    expect(await first).toEqual(['a.ts']);
    expect(await third).toEqual(['a.ts', 'b.ts']);
    // It was made before the change; whether it saw the directory before it is not certain.
    expect([['a.ts'], ['a.ts', 'b.ts']]).toContainEqual(await second);
  });

  test('do not share the abort of another one', async () => {
    const { run } = await setUp({ 'a.ts': '' });
    const list = counted(
      ({ signal }: { readonly path: string; readonly signal: AbortSignal }) =>
        new Promise<string[]>((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          setImmediate(() => list.calls.length > 1 && resolve(['a.ts']));
        }),
    );
    const wrapped = run.wrapWithCache(list, undefined, { keyOf: ({ path }) => path });
    const controllers = [0, 1, 2].map(() => new AbortController());
    const [first, second, third] = controllers.map(({ signal }) => wrapped({ path: '/', signal }));
    await expect.poll(() => list.calls).toHaveLength(1);
    controllers[1]?.abort(new Error('the second'));
    await expect(second).rejects.toThrow('the second');
    controllers[0]?.abort(new Error('the first'));
    await expect(first).rejects.toThrow('the first');
    expect(await third).toEqual(['a.ts']);
    expect(list.calls).toHaveLength(2);
  });

  test('do not wait for one that never ends', async () => {
    const { root, run } = await setUp({ 'src/a': '' });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const list = counted(({ path }: { path: string }): string[] | Promise<string[]> =>
      list.calls.length === 1 ? new Promise<string[]>(() => undefined) : readdirSync(join(root, path)),
    );
    const wrapped = run.wrapWithCache(list);
    void wrapped({ path: 'src' });
    await expect.poll(() => list.calls).toHaveLength(1);
    const results = Promise.all([wrapped({ path: 'src' }), wrapped({ path: 'src' })]);
    let isDone = false;
    void results.then(() => (isDone = true));
    while (!isDone) {
      vi.advanceTimersByTime(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await results).toEqual([['a'], ['a']]);
  });

  test.each<[reason: string, nested: (read: Nested) => Promise<unknown>]>([
    ['itself', ({ wrapped }) => wrapped('a')],
    ['itself, later', ({ wrapped }) => Promise.resolve().then(() => wrapped('a'))],
    ['itself twice', ({ wrapped }) => Promise.all([wrapped('a'), wrapped('a')])],
    ['itself by way of another wrapped function', ({ other }) => other('b')],
  ])('are not waited for by a function that calls %s with equal arguments', async (_, nested) => {
    const { run } = await setUp({ a: 'a', b: 'b' });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let depth = 0;
    const read = async (path: string): Promise<string> => {
      depth += 1;
      if (depth === 1) await nested({ wrapped, other });
      return path;
    };
    const wrapped: Nested['wrapped'] = run.wrapReadWithCache(read);
    const other = run.wrapReadWithCache((path: string) => wrapped(path === 'b' ? 'a' : path));
    expect(await withoutWaiting(wrapped('a'))).toBe('a');
  });

  test('are not waited for by two functions that call each other', async () => {
    const { run } = await setUp({ a: 'a', b: 'b' });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const begun = Promise.withResolvers<void>();
    const started: string[] = [];
    const read = async (path: string): Promise<string> => {
      started.push(path);
      if (started.length > 2) return path;
      if (started.length === 2) begun.resolve();
      await begun.promise;
      return wrapped(path === 'a' ? 'b' : 'a');
    };
    const wrapped = run.wrapReadWithCache(read);
    expect(await withoutWaiting(Promise.all([wrapped('a'), wrapped('b')]))).toEqual(['b', 'a']);
  });

  test('are shared again by what a wrapped function began and left behind', async () => {
    const { root, run } = await setUp({ 'a.ts': '' });
    const list = lister(root);
    const wrapped = run.wrapWithCache(list);
    const ended = Promise.withResolvers<void>();
    let later: Promise<unknown> = Promise.resolve();
    await run.wrapReadWithCache((path: string) => {
      later = ended.promise.then(() => Promise.all([wrapped({ path: '/' }), wrapped({ path: '/' })]));
      return path;
    })('a.ts');
    ended.resolve();
    await later;
    expect(list.calls).toHaveLength(1);
  });

  test('that cannot share a result call the original each', async () => {
    const { run } = await setUp({ 'a.ts': '' });
    const list = counted<[path: string], Promise<{ items: string[]; close: () => void }>>(async () => ({
      items: [],
      close: () => undefined,
    }));
    const wrapped = run.wrapWithCache(list);
    const [one, other] = await Promise.all([wrapped('/'), wrapped('/')]);
    expect(one.close).toBeTypeOf('function');
    expect(other.close).not.toBe(one.close);
    expect(list.calls).toHaveLength(2);
  });
});

describe('a wrapped function is transparent', () => {
  test('for arguments that no key can hold', async () => {
    const { run } = await setUp({ 'a.ts': '' });
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const list = counted<unknown[], Promise<string[]>>(async () => ['a.ts']);
    const wrapped = run.wrapWithCache(list);
    const odd = [
      ['/', { signal: new AbortController().signal }],
      ['/', () => 1],
      ['/', cycle],
      ['/', Symbol('a')],
      ['/', 'x'.repeat(100_000)],
      [
        {
          get path(): string {
            throw new Error('no');
          },
        },
      ],
      [],
      [undefined],
      [1],
    ];
    for (const args of odd) {
      expect(await wrapped(...args)).toEqual(['a.ts']);
      expect(await wrapped(...args)).toEqual(['a.ts']);
      expect(list.calls.at(-1)).toEqual(args);
    }
    expect(list.calls).toHaveLength(2 * odd.length);
  });

  test('and calls the listener, too, when no key can hold the arguments', async () => {
    const { run } = await setUp({ 'a.ts': '' });
    const found: unknown[] = [];
    const list = run.wrapWithCache<[path: string, signal: AbortSignal], string[]>(
      () => ['a.ts'],
      (path, names) => void found.push([path, names]),
    );
    await list('/', AbortSignal.abort());
    expect(found).toEqual([['/', ['a.ts']]]);
    expect(run.statistics().listings).toEqual({ hits: 0, misses: 1 });
  });

  test.each(['full', 'static'] as const)('but is rejected when it is not a function, in the mode %s', async (mode) => {
    const { run } = await setUp({}, mode === 'static' ? { mode } : {});
    const odd = [
      [undefined],
      [null],
      ['list'],
      [() => [], 'x'],
      [() => [], undefined, { keyOf: 1 }],
      [() => [], undefined, { pathOf: {} }],
    ];
    for (const args of odd) {
      expect(() => run.wrapWithCache(...(args as unknown as [() => unknown]))).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTION' }),
      );
    }
  });

  test('when the key leaves out what changes with each call', async () => {
    const { run } = await setUp({ 'a.ts': '' });
    const list = counted<
      [input: { readonly path: string }, options: { readonly signal: AbortSignal }],
      Promise<string[]>
    >(async () => ['a.ts']);
    const wrapped = run.wrapWithCache(list, undefined, { keyOf: (input) => input });
    await wrapped({ path: '/' }, { signal: new AbortController().signal });
    await wrapped({ path: '/' }, { signal: new AbortController().signal });
    expect(list.calls).toHaveLength(1);
    // The original decides what an aborted signal means.
    await wrapped({ path: '/' }, { signal: AbortSignal.abort() });
    expect(list.calls).toHaveLength(2);
  });

  test('when it is not asynchronous, throws, or has a listener that throws', async () => {
    const { run } = await setUp({ 'a.ts': '' });
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    onTestFinished(() => warn.mockRestore());
    const wrapped = run.wrapWithCache(
      (path: string) => {
        if (path === 'missing') throw new RangeError('missing');
        return ['a.ts'];
      },
      () => {
        throw new Error('a listener');
      },
    );
    expect(await wrapped('/')).toEqual(['a.ts']);
    await expect(wrapped('missing')).rejects.toThrow(RangeError);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('a listener'), 'CairnWarning');
  });

  test('and calls its listener for each result of the original', async () => {
    const { root, run } = await setUp({ 'a.ts': '' });
    const found: unknown[] = [];
    const wrapped = run.wrapWithCache(lister(root), (path, items) => void found.push([path, items.length]));
    await Promise.all([wrapped({ path: '/' }), wrapped({ path: '/' })]);
    await wrapped({ path: '/' });
    expect(found).toEqual([['/', 1]]);
  });

  test('in the mode static, where it keeps nothing', async () => {
    const { root, run } = await setUp({ 'a.ts': '' }, { mode: 'static' });
    const found: unknown[] = [];
    const list = lister(root);
    const wrapped = run.wrapWithCache(list, (path) => void found.push(path));
    await wrapped({ path: '/' });
    await wrapped({ path: '/' });
    expect(list.calls).toHaveLength(2);
    expect(found).toEqual(['/', '/']);
    expect(run.data.dynamic).toEqual({});
    expect(run.tools).toEqual({});
  });
});

describe('not kept is', () => {
  test.each([
    ['a listing of a path outside the workspace', { 'a.ts': '' }, '../', ['x']],
    ['a listing of a path that does not exist', { 'a.ts': '' }, 'missing', []],
    ['a listing of another directory', { 'a.ts': '' }, '/', ['bin', 'etc']],
    ['a listing of a path that may be meant in two ways', { 'etc/a.ts': '' }, '/etc', ['a.ts']],
  ])('%s', async (_what, tree: Tree, path, names) => {
    const { run } = await setUp(tree);
    const list = counted<[path: string], Promise<string[]>>(async () => names);
    const wrapped = run.wrapWithCache(list);
    await wrapped(path);
    await wrapped(path);
    expect(list.calls).toHaveLength(2);
    expect(run.data.dynamic).toEqual({});
  });

  test('a listing of very many entries', async () => {
    const files = Object.fromEntries(Array.from({ length: 2100 }, (_, index) => [`f${index}`, '']));
    const { root, run } = await setUp(files);
    const list = lister(root);
    const wrapped = run.wrapWithCache(list);
    expect(await wrapped({ path: '/' })).toHaveLength(2100);
    expect(await wrapped({ path: '/' })).toHaveLength(2100);
    expect(list.calls).toHaveLength(2);
  });

  test('a listing of a directory that changes while it is listed', async () => {
    const { root, run } = await setUp({ 'a.ts': '' });
    const list = counted<[path: string], Promise<string[]>>(async () => {
      const names = readdirSync(root);
      writeFileSync(join(root, `f${names.length}`), '');
      return names;
    });
    const wrapped = run.wrapWithCache(list);
    expect(await wrapped('/')).toHaveLength(1);
    expect(await wrapped('/')).toHaveLength(2);
  });
});

describe('the tools of a workspace', () => {
  test('drop the listings that a write, a deletion and a rename change', async () => {
    const { root, run, workspace } = await setUp({ 'src/a.ts': 'a', 'src/deep/b.ts': 'b', 'docs/c': '' });
    const tools = createCodingTools({ workspace });
    const wrapped = run.wrapWithCache(lister(root));
    const listAll = async (): Promise<void> => {
      await settled(root);
      for (const path of ['/', '/src', '/docs']) await wrapped({ path });
    };
    await listAll();
    expect(Object.keys(run.data.dynamic)).toEqual(['/', '/src', '/docs']);
    await tools.write.execute({ path: 'src/deep/new.ts', content: 'x' });
    expect(Object.keys(run.data.dynamic)).toEqual(['/docs']);
    expect(await wrapped({ path: '/src/deep' })).toHaveLength(2);
    await listAll();
    await wrapped({ path: '/src/deep' });
    await tools.delete.execute({ path: 'src/a.ts' });
    expect(Object.keys(run.data.dynamic)).toEqual(['/docs', '/src/deep']);
    await listAll();
    await tools.rename.execute({ from: 'docs', to: 'papers' });
    expect(Object.keys(run.data.dynamic)).toEqual(['/src/deep', '/src']);
  });

  test('list from memory what they listed before, and never something old', async () => {
    const { root, workspace } = await setUp({ 'src/a.ts': 'a', 'src/link': symlink('a.ts') });
    const tools = createCodingTools({ workspace });
    const plain = createCodingTools({ workspace: createWorkspace({ root, stateDirectory: temporaryDirectory() }) });
    const check = async (): Promise<void> => {
      expect(await tools.ls.execute({ depth: 3 })).toEqual(await plain.ls.execute({ depth: 3 }));
    };
    await check();
    await check();
    symlinkSync('b', join(root, 'src', 'other'));
    await check();
    renameSync(join(root, 'src'), join(root, 'lib'));
    await check();
    await tools.write.execute({ path: 'src/x', content: '' });
    await check();
  });

  test('share a listing that is under way', async () => {
    const root = createTree({ 'a.ts': '' });
    await settled(root);
    const stateDirectory = temporaryDirectory();
    const cache = createWorkspaceCache({ root, stateDirectory });
    onTestFinished(() => cache.close());
    const list = counted((path: string) => nodeFileOperations.list(path));
    const operations = { ...nodeFileOperations, list };
    const tools = createCodingTools({ workspace: cache.createWorkspace({ operations, stateDirectory }) });
    await tools.read.execute({ path: 'a.ts' });
    const before = list.calls.length;
    const results = await Promise.all(Array.from({ length: 20 }, () => tools.ls.execute({})));
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(list.calls).toHaveLength(before + 1);
  });

  test('do not list a directory that became a link, and one that may not be read', async () => {
    const outside = temporaryDirectory();
    const { root, workspace } = await setUp({ 'd/a.ts': '', e: {} });
    const tools = createCodingTools({ workspace });
    for (const path of ['d', 'e']) await tools.ls.execute({ path });
    renameSync(join(root, 'd'), join(outside, 'd'));
    symlinkSync(join(outside, 'd'), join(root, 'd'));
    const listed = await tools.ls.execute({ path: 'd' });
    expect(listed.isError && listed.details.reason).toBe('OUTSIDE_ROOT');
    await expect(workspace.operations.listCached?.(join(root, 'd'))).rejects.toMatchObject({ code: 'ESTALE' });
    chmodSync(join(root, 'e'), 0o000);
    const spy = vi.spyOn(process, 'geteuid').mockReturnValue(12_345);
    onTestFinished(() => spy.mockRestore());
    expect((await tools.ls.execute({ path: 'e' })).isError).toBe(process.getuid?.() !== 0);
  });

  test('count in the statistics of the run, but not twice below a wrapped function', async () => {
    const { run, workspace } = await setUp({ 'a.ts': 'a' });
    const tools = createCodingTools({ workspace });
    await tools.read.execute({ path: 'a.ts' });
    await tools.read.execute({ path: 'a.ts' });
    expect(run.statistics().reads).toEqual({ hits: 1, misses: 1 });
    const read = run.wrapReadWithCache((path: string) => tools.read.execute({ path }));
    await read('a.ts');
    await read('a.ts');
    expect(run.statistics().reads).toEqual({ hits: 2, misses: 2 });
  });
});

describe('a wrapped read', () => {
  test('keeps what it read until the file changes', async () => {
    const { root, run, cache } = await setUp({ 'a.ts': 'one', '.env': 'KEY=1' });
    const read = counted(async ({ path }: { path: string }) => ({ content: readFileSync(join(root, path), 'utf8') }));
    const wrapped = run.wrapReadWithCache(read);
    for (let time = 0; time < 3; time++) expect(await wrapped({ path: 'a.ts' })).toEqual({ content: 'one' });
    expect(read.calls).toHaveLength(1);
    const { atime, mtime } = lstatSync(join(root, 'a.ts'));
    writeFileSync(join(root, 'a.ts'), 'two');
    utimesSync(join(root, 'a.ts'), atime, mtime);
    expect(await wrapped({ path: 'a.ts' })).toEqual({ content: 'two' });
    await wrapped({ path: '.env' });
    await wrapped({ path: '.env' });
    expect(read.calls).toHaveLength(4);
    expect(await cache.content.accessCounts()).toMatchObject([{ path: 'a.ts', count: 4 }]);
  });

  test('takes memory of the same 32 MiB as contents', async () => {
    const { root, run, cache } = await setUp({ 'a.ts': 'x'.repeat(500_000) });
    const wrapped = run.wrapReadWithCache(
      async (path: string, page: number) => readFileSync(join(root, path), 'utf8') + page,
    );
    for (let page = 0; page < 50; page++) await wrapped('a.ts', page);
    expect(cache.content.stats.bytes).toBeGreaterThan(20_000_000);
    expect(cache.content.stats.bytes).toBeLessThanOrEqual(32 * 1024 * 1024);
  });
});

describe('the listings of a run', () => {
  test('show what the list function returned, without secret names', async () => {
    const { root, run } = await setUp({
      'src/a.ts': 'a',
      'src/.env': '',
      'src/.ssh/config': '',
      'src/server.key': '',
      '.ssh/x': '',
    });
    const wrapped = run.wrapWithCache(lister(root));
    expect(await wrapped({ path: '/src' })).toHaveLength(4);
    await wrapped({ path: '/.ssh' });
    expect(run.data.dynamic).toEqual({
      '/src': { items: [{ name: 'a.ts', isDirectory: false, size: 1 }], cachedAt: expect.any(String) },
    });
    expect(JSON.parse(JSON.stringify(run.data.dynamic))).toEqual(run.data.dynamic);
  });

  test.each<[string, Tree, (root: string) => unknown]>([
    [
      'nested paths',
      { 'src/deep/.env': '', 'src/deep/b': '' },
      (root) => readdirSync(join(root, 'src'), { recursive: true }).map(String),
    ],
    [
      'nested lists',
      { 'src/deep/.env': '', 'src/deep/b': '' },
      (root) => [{ name: 'deep', children: readdirSync(join(root, 'src/deep')).map((name) => ({ name })) }],
    ],
    [
      'what links lead to',
      { 'src/deep/b': '', 'src/link': symlink('deep/.env'), 'src/deep/.env': '' },
      () => [{ name: 'deep' }, { name: 'link', target: 'deep/.env' }],
    ],
  ])('show no secret names in %s', async (_what, tree, list) => {
    const { root, run } = await setUp(tree);
    await run.wrapWithCache(() => list(root), undefined, { pathOf: () => 'src' })();
    expect(JSON.stringify(run.data.dynamic)).toContain('deep');
    expect(JSON.stringify(run.data.dynamic)).not.toContain('.env');
  });

  test.each<[string, (name: string) => unknown]>([
    ['names', (name) => name],
    ['names in objects', (name) => ({ name })],
    ['paths below the directory', (name) => ({ path: name })],
    ['paths below the root', (name) => ({ path: `/src/${name}` })],
    ['names next to the path of their directory', (name) => ({ name, path: 'src' })],
  ])(
    'have all entries when the function returns %s, also one with the name of its directory',
    async (_what, itemOf) => {
      const { root, run } = await setUp({ 'src/src/x': '', 'src/a.ts': '' });
      await run.wrapWithCache((path: string) => readdirSync(join(root, path)).map(itemOf))('src');
      expect(run.data.dynamic['src']?.items).toHaveLength(2);
    },
  );

  test('appear once in the updates, and not again when they are used', async () => {
    const { root, run } = await setUp({ 'src/a.ts': '', 'docs/b': '' });
    const wrapped = run.wrapWithCache(lister(root));
    await wrapped({ path: '/src' });
    const section = run.section();
    expect(section).toContain('a.ts');
    await wrapped({ path: '/src' });
    expect(run.updates()).toBe('');
    await wrapped({ path: '/docs' });
    expect(run.updates()).toContain('/docs');
    expect(run.section()).toBe(section);
  });

  test('disappear when another program changed the directory, after a check', async () => {
    const { root, run } = await setUp({ 'src/a.ts': '', 'docs/b': '' });
    const wrapped = run.wrapWithCache(lister(root));
    for (const path of ['/src', '/docs']) await wrapped({ path });
    writeFileSync(join(root, 'src/new.ts'), '');
    await run.checkListings();
    expect(Object.keys(run.data.dynamic)).toEqual(['/docs']);
  });

  test('of one directory are one, whatever its name is', async () => {
    const { root, run } = await setUp({ 'src/a.ts': '' });
    const wrapped = run.wrapWithCache(lister(root));
    for (const path of ['src', '/src', './src/', '/src']) await wrapped({ path });
    expect(Object.keys(run.data.dynamic)).toEqual(['/src']);
  });

  test('are at most 200', async () => {
    const { root, run } = await setUp(
      Object.fromEntries(Array.from({ length: 210 }, (_, index) => [`d${index}/a`, ''])),
    );
    const wrapped = run.wrapWithCache(lister(root));
    for (let index = 0; index < 210; index++) await wrapped({ path: `d${index}` });
    const paths = Object.keys(run.data.dynamic);
    expect(paths).toHaveLength(200);
    expect(paths).not.toContain('d9');
    expect(paths).toContain('d10');
  });

  test('may have any path', async () => {
    const { root, run } = await setUp({ ['__proto__/a']: '', 'constructor/b': '' });
    const wrapped = run.wrapWithCache(lister(root));
    for (const path of ['__proto__', 'constructor']) await wrapped({ path });
    expect(Object.keys(run.data.dynamic)).toEqual(['__proto__', 'constructor']);
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });
});

test.each([
  [
    'returns nested lists',
    (root: string) => [{ name: 'a', children: readdirSync(join(root, 'a'), { recursive: true }) }],
  ],
  [
    'returns the number of files in a directory',
    (root: string) => [{ name: 'a', files: readdirSync(join(root, 'a'), { recursive: true }).length }],
  ],
  ['goes into subdirectories', (root: string) => readdirSync(root, { recursive: true }).map(String)],
  ['returns a text', (root: string) => readdirSync(root, { recursive: true }).join('\n')],
])('a list function that %s is asked again after a change far below', async (_what, list) => {
  const { root, run } = await setUp({ 'a/b/c/d': '' });
  const original = counted<[path: string], unknown>(() => list(root));
  const wrapped = run.wrapWithCache(original);
  expect(await wrapped('/')).toEqual(list(root));
  expect(await wrapped('/')).toEqual(list(root));
  expect(original.calls).toHaveLength(1);
  writeFileSync(join(root, 'a/b/c/new'), '');
  expect(await wrapped('/')).toEqual(list(root));
  expect(original.calls).toHaveLength(2);
});

test('a wrapped read that lists a directory is asked again after a change far below', async () => {
  const { root, run } = await setUp({ 'a/b/c/d': '' });
  const read = run.wrapReadWithCache((path: string) => readdirSync(join(root, path), { recursive: true }).map(String));
  expect(await read('a')).toEqual(['b', 'b/c', 'b/c/d']);
  writeFileSync(join(root, 'a/b/c/new'), '');
  expect(await read('a')).toEqual(['b', 'b/c', 'b/c/d', 'b/c/new']);
});

test('a list function that follows a link is asked again after a change far below', async () => {
  const { root, run } = await setUp({ 'a/link': symlink('../other'), 'other/b/c': '' });
  const list = run.wrapWithCache((path: string) =>
    readdirSync(join(root, path, 'link/b')).map((name) => `link/b/${name}`),
  );
  expect(await list('a')).toEqual(['link/b/c']);
  writeFileSync(join(root, 'other/b/new'), '');
  expect(await list('a')).toEqual(['link/b/c', 'link/b/new']);
});

test.each(['.gitignore', '.git/info/exclude'])(
  'a listing depends on the rules above the root, in %s',
  async (rules) => {
    const outer = createTree({ 'root/a.log': '', 'root/b': '', [rules]: '' });
    await settled(outer);
    const root = join(outer, 'root');
    const cache = createWorkspaceCache({ root, stateDirectory: temporaryDirectory() });
    onTestFinished(() => cache.close());
    const { run } = await cache.init();
    const list = run.wrapWithCache((path: string) =>
      readdirSync(join(root, path)).filter((name) => !readFileSync(join(outer, rules), 'utf8').includes(name)),
    );
    expect(await list('/')).toEqual(['a.log', 'b']);
    writeFileSync(join(outer, rules), 'a.log');
    expect(await list('/')).toEqual(['b']);
  },
);

test.each(['.gitignore', 'src/.gitignore', '.ignore'])('a listing depends on the rules in %s', async (rules) => {
  const { root, run, workspace } = await setUp({ 'src/deep/a': '', 'src/deep/b': '' });
  const list = counted(({ path }: { path: string }) => {
    const ignored = existsSync(join(root, rules)) ? readFileSync(join(root, rules), 'utf8').split('\n') : [];
    return readdirSync(join(root, path)).filter((name) => !ignored.includes(name));
  });
  const wrapped = run.wrapWithCache(list);
  const check = async (expected: readonly string[]): Promise<void> => {
    expect(await wrapped({ path: '/src/deep' })).toEqual(expected);
    await settled(root);
    expect(await wrapped({ path: '/src/deep' })).toEqual(expected);
    expect(await wrapped({ path: '/src/deep' })).toEqual(expected);
  };
  await check(['a', 'b']);
  expect(list.calls).toHaveLength(1);
  writeFileSync(join(root, rules), 'a');
  await check(['b']);
  writeFileSync(join(root, rules), 'b');
  await check(['a']);
  rmSync(join(root, rules));
  await check(['a', 'b']);
  expect(Object.keys(run.data.dynamic)).toEqual(['/src/deep']);
  await createCodingTools({ workspace }).write.execute({ path: rules, content: 'a' });
  expect(run.data.dynamic).toEqual({});
  await check(['b']);
});

/** What another program may do to a tree between two calls. */
const changes: Readonly<Record<string, (root: string, name: string) => void>> = {
  'make a file': (root, name) => writeFileSync(join(root, name), 'x'),
  'make a file longer': (root, name) => writeFileSync(join(root, name), `${readdirSync(root).length}`.padEnd(40)),
  'make a directory': (root, name) => {
    rmSync(join(root, name), { recursive: true, force: true });
    mkdirSync(join(root, name));
  },
  'make a deep file': (root, name) => {
    rmSync(join(root, name), { recursive: true, force: true });
    mkdirSync(join(root, name, 'deep'), { recursive: true });
    writeFileSync(join(root, name, 'deep', `${Math.random()}`), '');
  },
  remove: (root, name) => rmSync(join(root, name), { recursive: true, force: true }),
  'make a link': (root, name) => {
    rmSync(join(root, name), { recursive: true, force: true });
    symlinkSync('a', join(root, name));
  },
  'swap two and restore the times': (root, name) => {
    const { atime, mtime } = lstatSync(root);
    renameSync(join(root, name), join(root, 'moved'));
    utimesSync(root, atime, mtime);
  },
  nothing: () => undefined,
};

test('is never stale, whatever other programs do to directories', async () => {
  const { root, run, workspace } = await setUp({ 'a/x': '', 'b/y/z': '', c: 'c' });
  const list = lister(root);
  const wrapped = run.wrapWithCache(list);
  const tools = createCodingTools({ workspace });
  const plain = createCodingTools({ workspace: createWorkspace({ root, stateDirectory: temporaryDirectory() }) });
  const check = async (): Promise<void> => {
    for (const input of [{ path: '/' }, { path: '/', depth: 1 }, { path: '/', depth: 3 }]) {
      expect(await wrapped(input)).toEqual(await lister(root)(input));
    }
    expect(await tools.ls.execute({ depth: 3 })).toEqual(await plain.ls.execute({ depth: 3 }));
    await run.checkListings();
    for (const { items } of Object.values(run.data.dynamic)) {
      const there = readdirSync(root);
      for (const { name } of items) expect(there).toContain(String(name).split('/')[0]);
    }
  };
  const step = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), kind: fc.constantFrom(...Object.keys(changes)) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), fc.boolean(), async (steps, waits) => {
      for (const { name, kind } of steps) {
        try {
          changes[kind]?.(root, name);
        } catch {
          // A directory is in the way: the tree stays as it is.
        }
        await check();
      }
      if (waits) await settled(root);
      await check();
      await check();
    }),
    { numRuns: 25 },
  );
  expect(run.statistics().listings.hits).toBeGreaterThan(10);
});
