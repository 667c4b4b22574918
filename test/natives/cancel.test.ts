import { getEventListeners } from 'node:events';
import { open } from 'node:fs/promises';
import { constants, openSync, closeSync } from 'node:fs';
import { CairnError, fuzzyFind, glob, grep, grepStream, treeSummary } from '@cairn/natives';
import { describe, expect, it } from 'vitest';
import { createTree, fifo } from '../support/tree.ts';
import { runNode } from '../support/run-node.ts';

type Call = (options: {
  path: string;
  signal?: AbortSignal;
  timeoutMs?: number;
  onTimeout?: 'reject' | 'partial';
  cache?: boolean;
}) => Promise<{ matches: unknown[]; complete: boolean; stopReason?: string }>;

const calls: [string, Call][] = [
  ['glob', (options) => glob({ pattern: '*', ...options })],
  ['fuzzyFind', (options) => fuzzyFind({ query: 'file', ...options })],
  ['grep', (options) => grep({ pattern: 'x', ...options })],
  ['grep with a callback', (options) => grep({ pattern: 'x', ...options }, () => undefined)],
  [
    'grepStream',
    async (options) => {
      const matches: unknown[] = [];
      const facts = await grepStream({ pattern: 'x', ...options }, (batch) => void matches.push(...batch));
      return { matches, ...facts };
    },
  ],
  [
    'treeSummary',
    async (options) => {
      const { entries: matches, ...facts } = await treeSummary(options);
      return { matches, ...facts };
    },
  ],
];

describe.each(calls)('cancelling %s', (_, call) => {
  const tree = (): string => createTree({ file: 'x', 'deep/file': 'x' });

  it('starts nothing when the signal has aborted before', async () => {
    const reason = new Error('too late');
    await expect(call({ path: '/does/not/exist', signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it('rejects with the reason when the signal aborts during the call', async () => {
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    const result = call({ path: tree(), signal: controller.signal });
    controller.abort(reason);
    await expect(result).rejects.toBe(reason);
  });

  it('is not affected by a signal that aborts after the call', async () => {
    const controller = new AbortController();
    const result = await call({ path: tree(), signal: controller.signal });
    controller.abort();
    expect(result.complete).toBe(true);
  });

  it('takes one signal for many calls, in sequence and at once', async () => {
    const controller = new AbortController();
    const path = tree();
    for (let round = 0; round < 3; round++) {
      expect((await call({ path, signal: controller.signal })).matches.length).toBeGreaterThan(0);
    }
    const together = Promise.allSettled(Array.from({ length: 20 }, () => call({ path, signal: controller.signal })));
    controller.abort(new Error('all of them'));
    for (const outcome of await together) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'all of them' } });
    }
  });

  it('leaves no listener behind after thousands of calls', async () => {
    const { signal } = new AbortController();
    const path = tree();
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 100 }, () => call({ path, signal, cache: true })));
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('times out at once with a timeout of zero', async () => {
    await expect(call({ path: tree(), timeoutMs: 0 })).rejects.toMatchObject({ name: 'CairnError', code: 'TIMEOUT' });
    await expect(call({ path: tree(), timeoutMs: 0, cache: true })).rejects.toMatchObject({ code: 'TIMEOUT' });
  });

  it('gives what there is when asked to, and says that it is not all', async () => {
    const result = await call({ path: tree(), timeoutMs: 0, onTimeout: 'partial' });
    // Another worker may have finished the little there is.
    expect([result.complete, result.stopReason]).toBeOneOf([
      [true, undefined],
      [false, 'timeout'],
    ]);
  });

  it('ignores a timeout that is far away', async () => {
    expect((await call({ path: tree(), timeoutMs: 1e300 })).complete).toBe(true);
    expect((await call({ path: tree(), timeoutMs: Infinity })).complete).toBe(true);
  });
});

const bindingUrl = new URL('../../packages/natives/binding/index.js', import.meta.url).href;

describe('native work', () => {
  it('does not run on the thread pool of libuv', async () => {
    const path = createTree({ pipe: fifo(), file: 'x' });
    // Opening a FIFO to read blocks a thread until another process opens it to write: four of them are the whole pool.
    const blocked = Array.from({ length: 4 }, () => open(`${path}/pipe`, 'r'));
    try {
      expect((await glob({ pattern: 'file', path })).totalMatches).toBe(1);
      expect((await grep({ pattern: 'x', path })).totalMatches).toBe(1);
    } finally {
      const writer = openSync(`${path}/pipe`, constants.O_RDWR);
      for (const handle of await Promise.all(blocked)) await handle.close();
      closeSync(writer);
    }
  });

  it('returns scalars and one buffer of columns, or an error', async () => {
    const { glob: nativeGlob, grep: nativeGrep, fuzzyFind: nativeFind } = await import(bindingUrl);
    const path = createTree({ a: 'x', b: 'x' });
    const lists = { types: [], excludedTypes: [] };
    const outcomes = [
      nativeGlob({ ...lists, patterns: ['*'], path }),
      nativeFind({ query: 'a', path }),
      nativeGrep({ ...lists, globs: [], patterns: ['x'], path }),
    ];
    for (const { columns, ...scalars } of await Promise.all(outcomes)) {
      expect(columns).toBeInstanceOf(Uint8Array);
      expect(Object.values(scalars).filter((value) => ArrayBuffer.isView(value) || Array.isArray(value))).toEqual([]);
    }
    expect(Object.keys(await nativeGlob({ ...lists, patterns: ['['], path }))).toEqual(['code', 'message', 'pattern']);
  });

  it('turns a panic into an error and goes on', () => {
    const code = `
      const { panicOnWorker } = await import('${bindingUrl}');
      const outcomes = await Promise.all([panicOnWorker(), panicOnWorker(), panicOnWorker()]);
      const { totalMatches } = await glob({ pattern: 'run-node.ts', path: '.' });
      report({ codes: outcomes.map((outcome) => outcome.code), totalMatches });`;
    expect(runNode(code)).toEqual({ codes: ['INTERNAL', 'INTERNAL', 'INTERNAL'], totalMatches: 1 });
  });

  it.each(['1', '2', '7'])('gives the same answers on %s threads', async (threads) => {
    const path = createTree(
      Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`d${index % 17}/f${index}`, `x${index}\nx\n`])),
    );
    const code = `
      const path = ${JSON.stringify(path)};
      report([
        await glob({ pattern: '**', path }),
        await fuzzyFind({ query: 'f1', path, maxResults: 20 }),
        await grep({ pattern: 'x', path, maxCount: 50, offset: 7 }),
      ]);`;
    expect(runNode(code, { FS_SCAN_THREADS: threads })).toEqual([
      await glob({ pattern: '**', path }),
      await fuzzyFind({ query: 'f1', path, maxResults: 20 }),
      await grep({ pattern: 'x', path, maxCount: 50, offset: 7 }),
    ]);
  });

  it('survives a worker thread that is terminated with calls under way', () => {
    const code = `
      import { Worker } from 'node:worker_threads';
      import { once } from 'node:events';
      const source = "const { glob } = await import('@cairn/natives');" +
        "const { parentPort } = await import('node:worker_threads');" +
        "for (let call = 0; call < 50; call++) void glob({ pattern: '**', path: '../..', gitignore: false, includeNodeModules: true });" +
        "parentPort.postMessage('under way'); await new Promise(() => {});";
      for (let round = 0; round < 3; round++) {
        const worker = new Worker(new URL('data:text/javascript,' + encodeURIComponent(source)), {});
        await once(worker, 'message').catch((error) => { throw error; });
        await worker.terminate();
      }
      const { totalMatches } = await glob({ pattern: 'run-node.ts', path: '.' });
      report(totalMatches);`;
    // A data: module cannot import by name, so the worker gets the address.
    const address = JSON.stringify(import.meta.resolve('@cairn/natives')).slice(1, -1);
    expect(runNode(code.replace("import('@cairn/natives')", `import('${address}')`))).toBe(1);
  });

  it('rejects with an error that any copy of the package knows', async () => {
    const error: unknown = await glob({ pattern: '*', path: '/does/not/exist' }).catch((thrown: unknown) => thrown);
    expect(CairnError.isInstance(error)).toBe(true);
    expect(error).toBeInstanceOf(Error);
    expect(CairnError.isInstance(new Error('another'))).toBe(false);
    expect(CairnError.isInstance(null)).toBe(false);
  });
});
