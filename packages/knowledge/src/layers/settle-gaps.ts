import type { Asset } from '../assets/asset.ts';
import type { Gaps } from '../gaps/gaps.ts';
import type { LocalStore } from '../stores/local-store.ts';
import type { Layers } from './layers.ts';

/** The assets that are read at once. */
const PAGE = 50;

interface GapSettlerOptions {
  readonly store: LocalStore;
  readonly gaps: Gaps;
  readonly layers: Pick<Layers, 'isAnswered'>;
}

interface GapSettler {
  /** Resolves when the gaps of all changes so far are settled. */
  readonly flush: () => Promise<void>;
  /** Waits as `flush`, and ends. */
  readonly close: () => Promise<void>;
}

/** Closes gaps in the background as soon as an asset that was added or changed answers them. */
export function createGapSettler({ store, gaps, layers }: GapSettlerOptions): GapSettler {
  const changed = new Set<string>();
  let running: Promise<void> | undefined;

  const settle = async (): Promise<void> => {
    try {
      while (changed.size > 0) {
        const ids = [...changed].slice(0, PAGE);
        for (const id of ids) changed.delete(id);
        // Mostly no question is open, and the assets need not be read.
        if ((await gaps.list()).length === 0) continue;
        const assets = (await store.getMany(ids)).filter((asset): asset is Asset => asset !== undefined);
        await gaps.settle(assets, (query) => layers.isAnswered(query));
      }
    } catch {
      // The gaps cannot be read. The next change of an asset tries again.
    } finally {
      running = undefined;
    }
  };
  const stop = store.onChange((ids) => {
    for (const id of ids) changed.add(id);
    if (changed.size > 0) running ??= settle();
  });
  const flush = async (): Promise<void> => {
    while (running !== undefined) await running;
  };
  return {
    flush,
    close: async () => {
      stop();
      await flush();
    },
  };
}
