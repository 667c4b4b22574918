import type { TreeSummary, TreeSummaryOptions } from '@cairn/natives';
import { expect, test } from 'vitest';
import { resolveTreeOptions } from './options.ts';
import { Trees } from './trees.ts';

/** The trees of a directory. The test sets its summary. */
function createBench(): {
  readonly build: Trees['build'];
  readonly asked: (number | undefined)[];
  summary: Partial<TreeSummary>;
} {
  const asked: (number | undefined)[] = [];
  const bench = {
    asked,
    summary: {} as Partial<TreeSummary>,
    build: (...given: Parameters<Trees['build']>) => trees.build(...given),
  };
  const trees = new Trees({
    root: '/root',
    clock: () => 0,
    scope: { realRoots: async () => ['/root'] },
    warn: () => undefined,
    summarize: async ({ maxEntries }: TreeSummaryOptions): Promise<TreeSummary> => {
      asked.push(maxEntries);
      return {
        root: '/root',
        depth: 3,
        rootChildren: 1,
        entries: maxEntries === 0 ? [] : [{ name: 'a', parent: -1, kind: 'file', children: 0 }],
        totalEntries: 1,
        excluded: 0,
        hiddenSecrets: 0,
        generation: 1,
        complete: true,
        ...bench.summary,
      };
    },
  });
  return bench;
}

const options = resolveTreeOptions({ format: 'source' });

test('builds a tree again only when its generation changed', async () => {
  const bench = createBench();
  const first = await bench.build(options);
  expect(await bench.build(resolveTreeOptions({ format: 'source' }))).toBe(first);
  expect(bench.asked).toEqual([835, 0]);
  bench.summary = { generation: 2 };
  const second = await bench.build(options);
  expect(second).not.toBe(first);
  expect(second.version).toBe(2);
  expect(bench.asked).toEqual([835, 0, 0, 835]);
});

test('builds a tree of its own for other options, and keeps both', async () => {
  const bench = createBench();
  const other = resolveTreeOptions({ format: 'source', depth: 1 });
  const trees = [await bench.build(options), await bench.build(other)];
  expect(trees[0]).not.toBe(trees[1]);
  expect([await bench.build(options), await bench.build(other)]).toEqual(trees);
  expect(bench.asked).toEqual([835, 835, 0, 0]);
});

test('keeps at most 8 trees: the least recently used leaves first', async () => {
  const bench = createBench();
  const of = (depth: number): ReturnType<typeof bench.build> =>
    bench.build(resolveTreeOptions({ format: 'source', depth }));
  for (let depth = 1; depth <= 8; depth++) await of(depth);
  await of(1);
  await of(9);
  bench.asked.length = 0;
  await of(1);
  expect(bench.asked).toEqual([0]);
  await of(2);
  expect(bench.asked).toEqual([0, 835]);
});

test('does not keep a tree that is not complete', async () => {
  const bench = createBench();
  bench.summary = { complete: false, stopReason: 'timeout' };
  expect((await bench.build(options)).metadata.error).toBeTypeOf('string');
  bench.summary = {};
  expect((await bench.build(options)).metadata.error).toBeUndefined();
});
