import { textOf } from '@cairn/tool';
import type { ToolResult } from '@cairn/tool';
import { unquotePath } from '@cairn/tool/paths';
import fc from 'fast-check';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hostileNames } from '../support/hostile-names.ts';
import type { Tree } from '../support/tree.ts';
import { createBench, details } from './support.ts';

const name = fc.constantFrom('a', 'b.ts', 'c d', '.dot', '[e]', ...hostileNames);
const { tree } = fc.letrec<{ tree: Tree; node: Tree | string }>((tie) => ({
  tree: fc.dictionary(name, tie('node'), { maxKeys: 6 }),
  node: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constant(''), tie('tree')),
}));
const limit = fc.integer({ min: 1, max: 12 });

/** The entries of all pages: of the first call, and of the calls that each answer names. */
async function readAll(call: (skip: number) => Promise<ToolResult>): Promise<string[]> {
  const entries: string[] = [];
  for (let skip: number | undefined = 0; skip !== undefined;) {
    const answer = await call(skip);
    details(answer);
    const text: string = textOf(answer);
    const lines = text.split('\n').filter((line) => !/^\[[^\]]* /u.test(line));
    entries.push(...lines.map(unquotePath));
    const next: string | undefined = /continue with (?:ls )?skip=(\d+)\]$/mu.exec(text)?.[1];
    expect(next === undefined || Number(next) === entries.length).toBe(true);
    skip = next === undefined ? undefined : Number(next);
  }
  const past = textOf(await call(entries.length));
  const [start, end] =
    entries.length === 0
      ? ['\\[(?:no match|.*empty directory)', '']
      : ['\\[(?:.*: )?no more', `are ${entries.length}\\]`];
  expect(past).toMatch(new RegExp(`^${start}.*${end}$`, 'u'));
  return entries;
}

/** Every path below a root, directories with a slash. */
function pathsIn(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = `${entry.parentPath.slice(root.length + 1)}/${entry.name}`.replace(/^\//u, '');
    return entry.isDirectory() ? `${path}/` : path;
  });
}

test('the pages of glob have together every path once', async () => {
  await fc.assert(
    fc.asyncProperty(tree, limit, async (files, most) => {
      const { tools, root } = createBench(files);
      const found = await readAll((skip) => tools.glob.execute({ pattern: '**', hidden: true, limit: most, skip }));
      expect(found.toSorted()).toEqual(pathsIn(root).toSorted());
    }),
    { numRuns: 40 },
  );
});

test('the pages of ls have together every entry once', async () => {
  await fc.assert(
    fc.asyncProperty(tree, limit, async (files, most) => {
      const { tools, root } = createBench(files);
      const found = await readAll((skip) => tools.ls.execute({ depth: 20, limit: most, skip }));
      expect(found.toSorted()).toEqual(pathsIn(root).toSorted());
    }),
    { numRuns: 40 },
  );
});
