import { createCodingTools, createWorkspace, nodeFileOperations } from '@cairn/coding-agent';
import type { FileOperations } from '@cairn/coding-agent';
import { fsScanCacheStats } from '@cairn/natives';
import { observeCalls } from '@cairn/tool';
import type { ObservedCall } from '@cairn/tool';
import { estimateTokens } from '@cairn/tool/prompt';
import { cacheDirectoryRules, createWorkspaceCache } from '@cairn/workspace-cache';
import type {
  InitResult,
  UserContext,
  WorkspaceCache,
  WorkspaceCacheOptions,
  WorkspaceRun,
} from '@cairn/workspace-cache';
import { createWorkspaceCacheToolSet } from '@cairn/workspace-cache/tools';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { settled } from '../support/settled.ts';
import { createTree, temporaryDirectory, writeTree } from '../support/tree.ts';
import { createTestCache } from './support.ts';

const INITIALIZED = 'Workspace cache initialized';
const FAILED = 'Workspace cache initialization failed, will use on-demand loading';

const tree = { 'README.md': '# A\n', src: { 'a.ts': '', lib: { 'b.ts': '' } } };

describe('init', () => {
  test('sets data of the form of the source document, which are plain JSON', async () => {
    const { cache, warnings } = createTestCache(createTree(tree), { clock: () => Date.UTC(2026, 0, 2) });
    const userContext: UserContext = { other: 1 };
    const { message, run } = await cache.init({ userContext });
    expect(message).toBe(INITIALIZED);
    expect(userContext).toEqual({ other: 1, workspaceCache: run.data });
    expect(run.data).toEqual({
      static: {
        tree: '├── README.md\n└── src/\n    ├── a.ts\n    └── lib/\n        └── b.ts',
        metadata: expect.objectContaining({ cachedAt: '2026-01-02T00:00:00.000Z', depth: 3, entries: 5 }),
      },
      dynamic: {},
    });
    // Strict: also the prototypes are those of plain JSON.
    expect(run.data).toStrictEqual(JSON.parse(JSON.stringify(run.data)));
    expect(warnings).toEqual([]);
  });

  test('gives the tree a second name that no template prints and no code can set', async () => {
    const { run } = await createTestCache(createTree(tree)).cache.init();
    expect(run.data.directoryTree).toBe(run.data.static.tree);
    expect(Object.keys(run.data)).toEqual(['static', 'dynamic']);
    expect(() => Object.assign(run.data, { directoryTree: '' })).toThrow(TypeError);
  });

  test('has the names of the source document for the metadata, which no template prints twice', async () => {
    const { run } = await createTestCache(createTree(tree)).cache.init();
    const { data } = run;
    expect(data.metadata).toBe(data.static.metadata);
    expect([data.metadata.maxDepth, data.metadata.size]).toEqual([3, data.directoryTree.length]);
    expect(JSON.stringify(data)).not.toContain('maxDepth');
    expect(Object.keys(data)).toEqual(['static', 'dynamic']);
    expect(() => Object.assign(data, { metadata: {} })).toThrow(TypeError);
  });

  test('gives observers one line with the characters and the entries', async () => {
    const calls: ObservedCall[] = [];
    const stop = observeCalls(({ kind, call }) => void (kind === 'call-end' && calls.push(call)));
    onTestFinished(stop);
    const { cache } = createTestCache(createTree(tree));
    const { run } = await cache.init();
    const { cache: broken } = createTestCache(join(temporaryDirectory(), 'missing'));
    const { run: failed } = await broken.init();
    const { size } = run.data.static.metadata;
    expect(calls.filter(({ name }) => name === 'init')).toMatchObject([
      {
        source: 'workspace-cache',
        results: 5,
        note: `Workspace directory tree cached: ${size} chars, max depth 3, 5 entries`,
      },
      { failure: 'INIT_FAILED', note: `Failed to initialize workspace cache: ${failed.data.static.metadata.error}` },
    ]);
  });

  test('without a user context makes a run of its own', async () => {
    const { cache } = createTestCache(createTree(tree));
    const [one, other] = [await cache.init(), await cache.init({})];
    expect(one.message).toBe(INITIALIZED);
    expect(other.run).not.toBe(one.run);
    expect(other.run.data).toEqual({ ...one.run.data, static: { ...one.run.data.static } });
  });
});

describe('the agents of one run', () => {
  test('share one run and one scan, even when all begin at once with caches of their own', async () => {
    const root = createTree(tree);
    const userContext: UserContext = {};
    const before = fsScanCacheStats();
    const results = await Promise.all(
      Array.from({ length: 7 }, () => createTestCache(root).cache.init({ userContext })),
    );
    const after = fsScanCacheStats();
    expect(new Set(results.map(({ run }) => run)).size).toBe(1);
    expect(userContext['workspaceCache']).toBe(results[0]?.run.data);
    expect([after.misses, after.rescans, after.validations]).toEqual([
      before.misses + 1,
      before.rescans,
      before.validations,
    ]);
    expect(results[0]?.run.statistics().totalScans).toBe(1);
  });

  test('with a copy of the user context get a run of its own: it may be the copy of an earlier run', async () => {
    const root = createTree(tree);
    const userContext: UserContext = {};
    const first = await createTestCache(root).cache.init({ userContext });
    const copy = { ...userContext };
    const second = await createTestCache(root).cache.init({ userContext: copy });
    expect(second.run).not.toBe(first.run);
    expect(second.run.section()).toBe(first.run.section());
    expect(copy['workspaceCache']).toBe(second.run.data);
    expect(userContext['workspaceCache']).toBe(first.run.data);
  });

  test.each<readonly [name: string, options: Partial<WorkspaceCacheOptions>]>([
    ['depth', { depth: 1 }],
    ['format', { format: 'indent' }],
    ['limit', { maxCharacters: 60 }],
    ['tokens', { maxTokens: 20 }],
    ['tokenizer', { countTokens: (text) => text.length }],
    ['focus', { focus: ['src/lib'] }],
    ['language', { language: 'zh' }],
    ['mode', { mode: 'static' }],
    ['names of tools', { toolNames: { list: 'afs_list' } }],
    ['times', { showTime: true }],
  ])('get another run with another %s, from the same scan', async (_name, options) => {
    const root = createTree(tree);
    const userContext: UserContext = {};
    const first = await createTestCache(root).cache.init({ userContext });
    const before = fsScanCacheStats();
    const second = await createTestCache(root, options).cache.init({ userContext });
    const after = fsScanCacheStats();
    expect(second.run).not.toBe(first.run);
    expect(second.run.data.dynamic).toBe(first.run.data.dynamic);
    expect(userContext['workspaceCache']).toBe(second.run.data);
    expect([after.misses, after.rescans]).toEqual([before.misses, before.rescans]);
    expect(second.run.statistics().totalScans).toBe(1);
    const again = await createTestCache(root, options).cache.init({ userContext });
    expect(again.run).toBe(second.run);
  });

  test('get the same run whatever watches it: clock, observer and workspace do not change a tree', async () => {
    const root = createTree(tree);
    const userContext: UserContext = {};
    const first = await createTestCache(root).cache.init({ userContext });
    const workspace = createWorkspace({ root, stateDirectory: temporaryDirectory() });
    const second = await createTestCache(root, { clock: () => 0, workspace }).cache.init({ userContext });
    expect(second.run).toBe(first.run);
    // The workspace of the second cache reports to the run.
    await createCodingTools({ workspace }).write.execute({ path: 'new', content: '' });
    expect(first.run.updates()).toContain('+ new');
  });

  test('hear of the changes of a workspace that the cache follows, until it follows it no more', async () => {
    const root = createTree(tree);
    const { cache } = createTestCache(root);
    const { run } = await cache.init();
    const workspace = createWorkspace({ root, stateDirectory: temporaryDirectory() });
    const { write } = createCodingTools({ workspace });
    const unfollow = cache.follow(workspace);
    await write.execute({ path: 'one', content: '' });
    expect(run.updates()).toContain('+ one');
    unfollow();
    unfollow();
    await write.execute({ path: 'two', content: '' });
    expect(run.updates()).not.toContain('two');
  });

  test('count what they read through caches of their own, and not what the section read', async () => {
    const root = createTree(tree);
    const userContext: UserContext = {};
    const { run } = await createTestCache(root, { coreFiles: true }).cache.init({ userContext });
    expect(run.statistics().reads).toEqual({ hits: 0, misses: 0 });
    const { cache } = createTestCache(root, { coreFiles: true });
    await cache.init({ userContext });
    const workspace = cache.createWorkspace({ stateDirectory: temporaryDirectory() });
    await createCodingTools({ workspace }).read.execute({ path: 'src/a.ts' });
    const { hits, misses } = run.statistics().reads;
    expect(hits + misses).toBe(1);
  });

  test('get the same result again', async () => {
    const { cache } = createTestCache(createTree(tree));
    const userContext: UserContext = {};
    const first = await cache.init({ userContext });
    expect(await cache.init({ userContext })).toBe(first);
  });

  test('lose a kept listing when the workspace of any of their caches changes it', async () => {
    const root = createTree(tree);
    const userContext: UserContext = {};
    const { run } = await createTestCache(root).cache.init({ userContext });
    const { cache } = createTestCache(root);
    await cache.init({ userContext });
    const workspace = cache.createWorkspace({ stateDirectory: temporaryDirectory() });
    await settled(join(root, 'src'));
    await run.wrapWithCache(async (path: string) => (path === 'src' ? ['a.ts', 'lib'] : []))('src');
    expect(Object.keys(run.data.dynamic)).toHaveLength(1);
    await createCodingTools({ workspace }).write.execute({ path: 'src/new', content: '' });
    expect(run.data.dynamic).toEqual({});
  });

  test('of two roots have nothing in common', async () => {
    const userContext: UserContext = {};
    const one = await createTestCache(createTree({ a: '' })).cache.init({ userContext });
    const other = await createTestCache(createTree({ b: '' })).cache.init({ userContext });
    expect([one.run.data.static.tree, other.run.data.static.tree]).toEqual(['└── a', '└── b']);
    expect(other.run.data.dynamic).not.toBe(one.run.data.dynamic);
  });
});

describe('a run', () => {
  const inFence = (text: string): string[] => text.split('\n').slice(3, -1);

  test('keeps its section, lists what changes, and the next run shows it in its section', async () => {
    const root = createTree(tree);
    const workspace = createWorkspace({ root, policy: { staleGuard: 'off' }, stateDirectory: temporaryDirectory() });
    const { cache } = createTestCache(root, { workspace });
    const { run } = await cache.init({ userContext: {} });
    const section = run.section();
    expect(run.updates()).toBe('');
    const tools = createCodingTools({ workspace });
    await tools.write.execute({ path: 'src/new/c.ts', content: '' });
    await tools.delete.execute({ path: 'src/lib/b.ts' });
    await tools.rename.execute({ from: 'README.md', to: 'READ.md' });
    await tools.write.execute({ path: '.env', content: 'x' });
    expect(run.section()).toBe(section);
    expect(run.data.static.tree).toContain('README.md');
    expect(inFence(run.updates())).toEqual([
      '+ READ.md',
      '- README.md',
      '- src/lib/b.ts',
      '+ src/new/',
      '+ src/new/c.ts',
    ]);
    const next = await cache.init({ userContext: {} });
    expect(next.run.updates()).toBe('');
    expect(next.run.version).toBeGreaterThan(run.version);
    expect(next.run.section()).toContain('READ.md');
  });

  test('does not list what its rules leave out', async () => {
    const { cache } = createTestCache(createTree(tree), { hidden: true, exclude: ['gen'], allow: ['.github', 'out'] });
    const { run } = await cache.init({ userContext: {} });
    const tools = createCodingTools({ workspace: cache.createWorkspace({ stateDirectory: temporaryDirectory() }) });
    for (const path of ['gen/a', '.cache/b', '.github/c', 'dist/d', 'src/gen/e']) {
      expect(await tools.write.execute({ path, content: '' })).toMatchObject({ isError: false });
    }
    const lines = inFence(run.updates());
    expect(lines).toEqual(['+ .cache/', '+ .cache/b', '+ .github/', '+ .github/c', '+ dist/', '+ dist/d']);
    const other = createTestCache(cache.root, { allow: ['dist', '.cache'] }).cache;
    const next = await other.init({ userContext: {} });
    const nextTools = createCodingTools({ workspace: other.createWorkspace({ stateDirectory: temporaryDirectory() }) });
    for (const path of ['.cache/new', '.github/new', 'dist/new', 'out/new']) {
      expect(await nextTools.write.execute({ path, content: '' })).toMatchObject({ isError: false });
    }
    expect(inFence(next.run.updates())).toEqual(['+ .cache/new', '+ dist/new']);
  });

  test('changes nothing in later trees when its data are changed', async () => {
    const { cache } = createTestCache(createTree(tree));
    const metadata = async (): Promise<{ entries: number }> => (await cache.init()).run.data.static.metadata as never;
    (await metadata()).entries = 7;
    Object.assign((await cache.tree()).metadata, { entries: 8 });
    expect([(await metadata()).entries, (await cache.tree()).metadata.entries]).toEqual([5, 5]);
  });

  test('in the mode `static` has no tool and keeps no listing', async () => {
    const { run } = await createTestCache(createTree(tree), { mode: 'static' }).cache.init();
    expect(run.tools).toEqual({});
    await run.wrapWithCache((path: string) => [{ name: path }])('src');
    expect(run.data.dynamic).toEqual({});
    expect(run.section()).not.toContain('cache_directory');
  });
});

describe('init does not reject', () => {
  const expectFailed = ({ message, run }: InitResult, userContext?: UserContext): void => {
    expect(message).toBe(FAILED);
    expect(run.data.static.tree).toBe('');
    expect(run.data.static.metadata.error).toBeTypeOf('string');
    expect(run.data.dynamic).toEqual({});
    expect(run.section()).toContain('Use the `ls` tool to list directories on demand.');
    expect(run.updates()).toBe('');
    expect(userContext?.['workspaceCache'] ?? run.data).toBe(run.data);
  };

  test('when the root does not exist; a later init of the run tries again', async () => {
    const root = join(temporaryDirectory(), 'later');
    const { cache, warnings } = createTestCache(root);
    const userContext: UserContext = {};
    expectFailed(await cache.init({ userContext }), userContext);
    expectFailed(await cache.init({ userContext }), userContext);
    expect(warnings).toHaveLength(1);
    writeTree(root, { a: '' });
    expect((await cache.init({ userContext })).message).toBe(INITIALIZED);
    expect((userContext['workspaceCache'] as { directoryTree: string }).directoryTree).toBe('└── a');
  });

  test.each<readonly [reason: string, countTokens: () => unknown, error: string]>([
    [
      'throws',
      () => {
        throw new Error('no such encoding');
      },
      'no such encoding',
    ],
    ['returns no number', () => '3', 'countTokens returned 3. Return a number from 0.'],
    ['returns NaN', () => Number.NaN, 'countTokens returned NaN. Return a number from 0.'],
    ['returns infinity', () => Infinity, 'countTokens returned Infinity. Return a number from 0.'],
    ['is asynchronous', async () => 3, 'countTokens returned [object Promise]. Return a number from 0.'],
  ])('when the tokenizer of the caller %s; statistics estimate the tokens', async (_reason, countTokens, error) => {
    const { cache, warnings } = createTestCache(createTree(tree), {
      maxTokens: 10,
      countTokens: countTokens as () => number,
    });
    const { message, run } = await cache.init({ userContext: {} });
    expect(message).toBe(FAILED);
    expect(run.data.static.metadata.error).toBe(error);
    expect(warnings).toEqual([`workspace cache of ${cache.root}: ${error}`]);
    const section = run.section();
    expect(run.statistics().sectionTokens.estimated).toBe(estimateTokens(section));
    expect(run.report()).toContain(`sectionTokens (${estimateTokens(section)})`);
  });

  test.each<readonly [reason: string, userContext: unknown]>([
    ['is frozen', Object.freeze({})],
    [
      'rejects the property',
      {
        set workspaceCache(_value: unknown) {
          throw new Error('refused');
        },
      },
    ],
  ])('when the user context %s: the run still has its tree', async (_reason, userContext) => {
    const { cache, warnings } = createTestCache(createTree({ a: '' }));
    const { message, run } = await cache.init({ userContext: userContext as UserContext });
    expect(message).toBe(FAILED);
    expect(run.data.static.tree).toBe('└── a');
    expect(warnings).toEqual([expect.stringContaining('userContext cannot be changed')]);
  });

  test.each([[], [undefined], [{}], [{ userContext: undefined }], [{}, undefined]])(
    'for the arguments %j, %j',
    async (...args) => {
      const { cache } = createTestCache(createTree({ a: '' }));
      expect((await cache.init(...(args as []))).message).toBe(INITIALIZED);
    },
  );

  test('when the observer throws', async () => {
    const onWarning = (): never => {
      throw new Error('observer');
    };
    const { cache } = createTestCache(join(temporaryDirectory(), 'no'), { onWarning });
    expectFailed(await cache.init({ userContext: {} }));
  });

  test('when the root vanishes between two calls', async () => {
    const root = createTree({ a: '' });
    const { cache } = createTestCache(root, { coreFiles: true, git: true });
    rmSync(root, { recursive: true });
    expectFailed(await cache.init({ userContext: {} }));
  });
});

describe('the form of the source document, init(input, { context })', () => {
  test('is that of the source: the same run, and the data in the user context', async () => {
    const { cache } = createTestCache(createTree({ a: '' }));
    const userContext: UserContext = {};
    // As a function of the framework: the context is an instance with other fields.
    const context = Object.assign(Object.create({ newContext: () => undefined }) as object, { userContext, afs: {} });
    const { message, run } = await cache.init({ topic: 'docs' }, { context });
    expect(message).toBe(INITIALIZED);
    expect(userContext['workspaceCache']).toBe(run.data);
    expect((await cache.init({ userContext })).run).toBe(run);
    expect((await cache.init(undefined, { context })).run).toBe(run);
  });

  test.each<readonly [args: readonly unknown[], message: string]>([
    [[null], 'The options of init are not an object'],
    [['context'], 'The options of init are not an object'],
    [[[]], 'The options of init are not an object'],
    [[{ userContext: null }], 'invalid userContext of init: null'],
    [[{ userContext: 'context' }], 'invalid userContext of init: "context"'],
    [[{ userContext: [] }], 'invalid userContext of init: []'],
    [[{ usercontext: {} }], 'Unknown option usercontext of init. Use userContext.'],
    [[{ context: { userContext: {} } }], 'context of init is in its first argument, which is the input'],
    [[{}, null], 'invalid options of init: null'],
    [[{}, 'x'], 'invalid options of init: "x"'],
    [[{}, {}], 'invalid options.context of init: a value of type undefined'],
    [[{}, { userContext: {} }], 'invalid options.context of init: a value of type undefined'],
    [[{}, { context: null }], 'invalid options.context of init: null'],
    [[{}, { context: {} }], 'invalid options.context.userContext of init: a value of type undefined'],
    [[{}, { context: { userContext: 5 } }], 'invalid options.context.userContext of init: 5'],
  ])('is one of two: %j are rejected with the place', async (args, message) => {
    const { cache } = createTestCache(createTree({ a: '' }));
    const error = await cache.init(...(args as [])).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'INVALID_OPTION', message: expect.stringContaining(message) });
  });
});

describe('after close', () => {
  const open = async (mode: 'full' | 'static') => {
    const root = createTree({ a: 'a' });
    const { cache } = createTestCache(root, { mode, stateDirectory: temporaryDirectory() });
    const userContext = {};
    const { run } = await cache.init({ userContext });
    const wrapped = { list: run.wrapWithCache(() => []), read: run.wrapReadWithCache(() => '') };
    const operations = cache.operations();
    const cached = {
      open: (path: string) => operations.openCached?.(path, path),
      list: (path: string) => operations.listCached?.(path),
    };
    return { root, cache, run, userContext, wrapped, cached };
  };
  /** Calls every method of an object, and returns those that did not fail with the code. */
  const notClosed = async (members: object, ...args: readonly unknown[]): Promise<string[]> => {
    const names: string[] = [];
    for (const [name, member] of Object.entries(members)) {
      if (typeof member !== 'function') continue;
      const call = async (): Promise<unknown> => (await Reflect.apply(member, members, args)) as unknown;
      const error = await call().catch((reason: unknown) => reason);
      if ((error as { code?: unknown } | undefined)?.code !== 'CLOSED') names.push(name);
    }
    return names;
  };

  test.each(['full', 'static'] as const)(
    'every call fails with a code, in the mode %s; close does not',
    async (mode) => {
      const { root, cache, run, wrapped, cached } = await open(mode);
      await Promise.all([cache.close(), cache.close()]);
      expect(await notClosed(cache)).toEqual(['close']);
      expect(await notClosed(cache.content)).toEqual([]);
      expect(await notClosed(run)).toEqual([]);
      expect(await notClosed(wrapped, 'a')).toEqual([]);
      expect(await notClosed(cached, join(root, 'a'))).toEqual([]);
      const results = Object.values(run.tools).map((tool) => tool.execute({ path: '.', items: [] }));
      for (const { details } of await Promise.all(results)) expect(details).toMatchObject({ reason: 'CLOSED' });
      await cache[Symbol.asyncDispose]();
    },
  );

  test('the methods that return promises reject, and do not throw', async () => {
    const { cache, run, wrapped } = await open('full');
    await cache.close();
    const calls = [
      () => cache.tree(),
      () => cache.init(),
      () => cache.content.read('a'),
      () => cache.content.accessCounts(),
      () => cache.content.preload(),
      () => run.checkListings(),
      () => wrapped.list(),
      () => wrapped.read(),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow('is closed. Make another one');
  });

  test('another cache makes the run of a user context again, and a closed one leaves the runs of others alone', async () => {
    const { root, cache, run, userContext } = await open('full');
    const { cache: other } = createTestCache(root, { stateDirectory: temporaryDirectory() });
    expect((await other.init({ userContext })).run).toBe(run);
    await cache.close();
    const [again, same] = await Promise.all([other.init({ userContext }), other.init({ userContext })]);
    expect(same.run).toBe(again.run);
    expect(again.run.section()).toContain('a');
    const { cache: third } = createTestCache(root, { stateDirectory: temporaryDirectory() });
    await third.init({ userContext });
    await third.close();
    expect(again.run.section()).toContain('a');
  });

  test('a workspace of the cache still commits what it began, but reads nothing by way of the cache', async () => {
    const root = createTree({ a: 'a' });
    const { cache } = createTestCache(root, { stateDirectory: temporaryDirectory() });
    const tools = createCodingTools({ workspace: cache.createWorkspace({ stateDirectory: temporaryDirectory() }) });
    await cache.close();
    expect((await tools.write.execute({ path: 'b', content: 'b' })).isError).toBe(false);
    expect((await tools.read.execute({ path: 'a' })).details).toMatchObject({ reason: 'CLOSED' });
  });
});

describe('an unknown option is rejected with its name by', () => {
  const operations = { ...nodeFileOperations, open: undefined } as unknown as FileOperations;
  test.each<readonly [call: string, call: (cache: WorkspaceCache, run: WorkspaceRun) => unknown, message: string]>([
    ['tree', (cache) => cache.tree({ maxDepth: 3 } as never), 'Unknown option maxDepth of tree'],
    ['operations', (cache) => cache.operations(operations), 'operations.open must be a function, not null'],
    ['createWorkspace, root', (cache) => cache.createWorkspace({ root: '/' } as never), 'Unknown option root of'],
    ['createWorkspace', (cache) => cache.createWorkspace({ polcy: {} } as never), 'Unknown option polcy of'],
    ['createWorkspace', (cache) => cache.createWorkspace({ operations }), 'operations.open must be a function'],
    ['follow', (cache) => cache.follow({} as never), 'onChange of the workspace must be a function'],
    ['follow', (cache) => cache.follow(5 as never), 'not a workspace: 5'],
    ['content.read', (cache) => cache.content.read('a', { count: true } as never), 'Unknown option count of read'],
    ['content.read', (cache) => cache.content.read('a', { signal: 5 } as never), 'invalid option signal: 5'],
    ['section', (_, run) => run.section({ lst: 'x' } as never), 'Unknown option lst of section'],
    ['section', (_, run) => run.section({ list: 'a b' }), 'invalid option list: "a b"'],
    ['section', (_, run) => run.section(null as never), 'The options of section are not an object'],
    ['updates', (_, run) => run.updates({ lst: 'x' } as never), 'Unknown option lst of updates'],
    ['statistics', (_, run) => run.statistics({ request: 3 } as never), 'Unknown option request of statistics'],
    ['statistics', (_, run) => run.statistics({ requests: -1 }), 'invalid option requests: -1'],
    ['report', (_, run) => run.report({ requests: 1.5 }), 'invalid option requests: 1.5'],
    ['wrapWithCache', (_, run) => run.wrapWithCache(() => [], undefined, { key: 3 } as never), 'Unknown option key of'],
    ['createWorkspaceCache', () => createWorkspaceCache({ root: '/', toolNames: { lst: 'x' } as never }), 'option lst'],
    ['cacheDirectoryRules', () => cacheDirectoryRules({ lang: 'zh' } as never), 'Unknown option lang of'],
    ['cacheDirectoryRules', () => cacheDirectoryRules({ language: 'de' as never }), 'invalid option language: "de"'],
    ['the tool set', () => createWorkspaceCacheToolSet({ root: '/' } as never), 'Unknown option root of'],
    ['the tool set', () => createWorkspaceCacheToolSet({ cacheFiles: 1 as never }), 'invalid option cacheFiles: 1'],
  ])('%s', async (_, call, message) => {
    const { cache } = createTestCache(createTree({ a: '' }), { stateDirectory: temporaryDirectory() });
    const { run } = await cache.init();
    const error = await Promise.resolve()
      .then(() => call(cache, run))
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'INVALID_OPTION', message: expect.stringContaining(message) });
  });
});

test.each<readonly [reason: string, options: unknown, message: string]>([
  ['no options', undefined, 'The options of createWorkspaceCache are not an object. Use '],
  ['no root', {}, 'root must be an absolute path, not a value of type undefined. Make it absolute with path.resolve.'],
  ['a relative root', { root: 'src' }, 'root must be an absolute path, not "src". Make it absolute with path.resolve.'],
  ['a root with NUL', { root: '/a\0b' }, 'root must be an absolute path'],
  ['an unknown option', { root: '/', maxDepth: 3 }, 'Unknown option maxDepth of createWorkspaceCache. Use '],
  ['a mode', { root: '/', mode: 'dynamic' }, 'invalid option mode: "dynamic". Use "full" or "static".'],
  ['a flag', { root: '/', git: 'yes' }, 'invalid option git: "yes". Use true or false.'],
  ['a workspace', { root: '/', workspace: {} }, 'invalid option workspace: a value of type object. Use a workspace of'],
  [
    'the name of a tool',
    { root: '/', toolNames: { list: 'a`b' } },
    'invalid option toolNames.list: "a`b". Use the name',
  ],
  [
    'an option of the tree',
    { root: '/', depth: -1 },
    'invalid option depth: -1. Use a whole number from 1, "auto" or "fit".',
  ],
])('createWorkspaceCache rejects %s', (_reason, options, message) => {
  expect(() => createWorkspaceCache(options as never)).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(message) }),
  );
});
