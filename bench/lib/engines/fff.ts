import type { Fff, FffFinder } from '../peers.ts';
import { topCount } from '../task.ts';
import type { Engine } from '../task.ts';

type Result<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: string };

export function valueOf<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(`fff: ${result.error}`);
  return result.value;
}

const scanTimeoutMs = 120_000;
const shown = 100;

/**
 * Opens `@ff-labs/fff-node`, and waits until it is ready: it always keeps its index. Without the watcher, which would scan for
 * changes while others are measured.
 */
export async function openFff(
  { FileFinder }: Fff,
  root: string,
  options: { contentIndex: boolean },
): Promise<FffFinder> {
  const off = !options.contentIndex;
  const finder = valueOf(
    FileFinder.create({ basePath: root, disableWatch: true, disableContentIndexing: off, disableMmapCache: off }),
  );
  if (!valueOf(await finder.waitForScan(scanTimeoutMs))) throw new Error('fff: the scan took too long');
  if (!off) valueOf(await finder.waitForIndexReady(scanTimeoutMs));
  return finder;
}

/** With its content index only where its memory is measured as it is by default. */
export function fffEngine(api: Fff, options: { contentIndex: boolean }): Engine {
  const open = (root: string): Promise<FffFinder> => openFff(api, root, options);
  return async (task) => {
    if (task.kind === 'glob' && task.cached) {
      const finder = await open(task.root);
      return {
        run: () => ({ count: valueOf(finder.glob(task.pattern, { pageSize: 1_000_000 })).items.length }),
      };
    }
    if (task.kind === 'find') {
      const finder = await open(task.root);
      const ask = (query: string) => valueOf(finder.fileSearch(query, { pageSize: shown }));
      return {
        arm: async () => {
          for (const query of task.before) ask(query);
        },
        run: () => {
          const { totalMatched, items } = ask(task.query);
          return { count: totalMatched, top: items.slice(0, topCount).map(({ relativePath }) => relativePath) };
        },
      };
    }
    return undefined;
  };
}
