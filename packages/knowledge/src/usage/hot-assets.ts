import type { CallTable } from '@cairn/tool/errors';
import { callOptions, checkArguments } from '../errors.ts';
import type { CallOptions } from '@cairn/memory';
import type { Asset } from '../assets/asset.ts';
import type { LocalStore } from '../stores/local-store.ts';
import { rowIdOf } from '../stores/record.ts';
import type { Usage } from './usage.ts';

/** The assets that are kept: those that most sessions opened, then those that were read last. */
const MAX_KEPT = 32;
/** A larger asset is read from the store each time. UTF-16 code units. */
const MAX_UNITS = 128 * 1024;

class KeptAssets {
  readonly #store: LocalStore;
  readonly #usage: Pick<Usage, 'opened'>;
  /** By the ids of their rows; the one that was read last is last. */
  readonly #kept = new Map<string, Asset>();
  /** The state of the store before the assets were read. While it is the same, so are they. */
  #state = '';

  constructor(store: LocalStore, usage: Pick<Usage, 'opened'>) {
    this.#store = store;
    this.#usage = usage;
  }

  /**
   * Returns an asset like `LocalStore.get`. One that is kept is read from memory, after one check that the store has not changed
   * since it was read.
   */
  async get(id: string, options: CallOptions = {}): Promise<Asset | undefined> {
    const state = await this.#readState(options);
    const asset = this.#kept.get(rowIdOf(id)) ?? (await this.#store.get(id, options));
    this.#keep(id, asset, state);
    return asset;
  }

  async preload(options: CallOptions = {}): Promise<void> {
    const opened = [...(await this.#usage.opened(options))];
    const hot = opened.toSorted(([, one], [, other]) => other - one).slice(0, MAX_KEPT);
    const state = await this.#readState(options);
    const ids = hot.map(([id]) => id).toReversed();
    const assets = await this.#store.getMany(ids, options);
    for (const [place, id] of ids.entries()) this.#keep(id, assets[place], state);
  }

  /** Drops what is kept of another state. */
  async #readState({ signal }: CallOptions): Promise<string> {
    const { start, sequence, count } = await this.#store.position({ signal });
    const state = JSON.stringify([start, sequence, count]);
    if (state !== this.#state) this.#kept.clear();
    this.#state = state;
    return state;
  }

  #keep(id: string, asset: Asset | undefined, state: string): void {
    // Another call saw a later state meanwhile.
    if (state !== this.#state) return;
    const rowId = rowIdOf(id);
    this.#kept.delete(rowId);
    if (asset === undefined || asset.text.length > MAX_UNITS) return;
    this.#kept.set(rowId, asset);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }
}

/** Assets that are kept in memory because they are read often. */
export type HotAssets = Pick<KeptAssets, keyof KeptAssets>;

const hotCalls: CallTable<HotAssets> = { get: ['any', callOptions], preload: [callOptions] };

export function openHotAssets(store: LocalStore, usage: Pick<Usage, 'opened'>): HotAssets {
  return checkArguments.calls<HotAssets>(new KeptAssets(store, usage), hotCalls);
}
