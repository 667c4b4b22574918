import type { CallTable, OptionNames } from '@cairn/tool/errors';
import { checkArguments } from '../errors.ts';
import type { CallOptions } from '@cairn/memory';
import type { Asset } from '../assets/asset.ts';
import type { LocalStore } from '../stores/local-store.ts';
import { rowIdOf } from '../stores/record.ts';
import type { Usage } from './usage.ts';

/** The assets that are kept: those that most sessions opened, then those that were read last. */
const MAX_KEPT = 32;
/** A larger asset is read from the store each time. UTF-16 code units. */
const MAX_UNITS = 128 * 1024;

/** Assets that are kept in memory because they are read often. */
export interface HotAssets {
  /**
   * Returns an asset like `LocalStore.get`. One that is kept is read from memory, after one check that the store has not changed
   * since it was read.
   */
  readonly get: (id: string, options?: CallOptions) => Promise<Asset | undefined>;
  /** Reads the assets that most sessions opened. */
  readonly preload: (options?: CallOptions) => Promise<void>;
}

interface KeptAsset {
  readonly asset: Asset;
  /** The state of the store before the asset was read. While it is the same, so is the asset. */
  readonly state: string;
}

const callOptions: OptionNames<CallOptions> = { signal: 'optional' };

const hotCalls: CallTable<HotAssets> = { get: ['any', callOptions], preload: [callOptions] };

export function openHotAssets({
  store,
  usage,
}: {
  readonly store: LocalStore;
  readonly usage: Pick<Usage, 'opened'>;
}): HotAssets {
  /** By the ids of their rows; the one that was read last is last. */
  const kept = new Map<string, KeptAsset>();

  const readState = async ({ signal }: CallOptions): Promise<string> => {
    const { start, sequence, count } = await store.position({ signal });
    return JSON.stringify([start, sequence, count]);
  };
  const keep = (rowId: string, asset: Asset | undefined, state: string): void => {
    kept.delete(rowId);
    if (asset === undefined || asset.text.length > MAX_UNITS) return;
    kept.set(rowId, { asset, state });
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  };
  const api: HotAssets = {
    get: async (id, options = {}) => {
      const state = await readState(options);
      const rowId = rowIdOf(id);
      const known = kept.get(rowId);
      const asset = known?.state === state ? known.asset : await store.get(id, options);
      keep(rowId, asset, state);
      return asset;
    },
    preload: async (options = {}) => {
      const opened = [...(await usage.opened(options))];
      const hot = opened.toSorted(([, one], [, other]) => other - one).slice(0, MAX_KEPT);
      const state = await readState(options);
      const ids = hot.map(([id]) => id).toReversed();
      for (const [place, asset] of (await store.getMany(ids, options)).entries()) {
        keep(rowIdOf(ids[place] ?? ''), asset, state);
      }
    },
  };
  return checkArguments.calls(api, hotCalls);
}
