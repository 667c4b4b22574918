import { isObject } from '@cairn/tool/kernel';
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Lru } from '../content/lru.ts';
import { isNeverKept } from '../content/never-kept.ts';
import type { CacheScope } from '../content/scope.ts';
import { userOf } from '../content/stamped-values.ts';
import { isBefore, type Stamps } from '../content/stamps.ts';
import type { Call } from './call-arguments.ts';
import { extentOfItems, itemsOf } from './items.ts';
import { isAffected, locate } from './paths.ts';
import type { PlainCopy } from './plain.ts';
import { Snapshots, type Extent, type Snapshot } from './snapshots.ts';

export interface ResultState {
  readonly real: string;
  readonly extent: Extent;
  /** Of the {@link Snapshot}. */
  readonly digest: string;
}

/** A result that is used again while its state is the one of the disk. */
interface KeptResult extends ResultState {
  readonly user: string;
  readonly value: unknown;
}

/** A path of a call, and its state. */
export interface Place {
  /** The canonical roots of the workspace. */
  readonly roots: readonly string[];
  /** Canonical; `undefined` when it is not a path of the workspace. */
  readonly real: string | undefined;
  /** Absent when the path is not on this disk, or cannot be checked. */
  readonly snapshot: Snapshot | undefined;
}

/** A call of the original function, and the state of its path just before. */
export type Begun = Place & { readonly startedMs: number };

/** Returns whether a function returned its failure, as tools do. */
function isFailure(value: unknown): boolean {
  return isObject(value) && (value['isError'] === true || (value['error'] ?? undefined) !== undefined);
}

/** Results of calls, by their keys, which the disk decides about. */
export class CallResults {
  readonly #scope: CacheScope;
  readonly #snapshots: Snapshots;
  readonly #stores: Readonly<Record<Call['kind'], Lru<unknown>>>;

  constructor(scope: CacheScope, stamps: Stamps, stores: Readonly<Record<Call['kind'], Lru<unknown>>>) {
    this.#scope = scope;
    this.#snapshots = new Snapshots(stamps);
    this.#stores = stores;
  }

  async isCurrent({ real, extent, digest }: ResultState): Promise<boolean> {
    return (await this.#snapshots.take(real, extent))?.digest === digest;
  }

  async placeOf({ path, extent }: Call): Promise<Place> {
    const scope = this.#scope;
    const [real, roots] = await Promise.all([locate(scope, path), scope.realRoots().catch(() => [])]);
    return { roots, real, snapshot: real === undefined ? undefined : await this.#snapshots.take(real, extent) };
  }

  /** Returns the kept result of a call, if all that it depends on is unchanged. */
  async lookUp(call: Call, { real, snapshot }: Place): Promise<KeptResult | undefined> {
    const store = this.#stores[call.kind];
    // Keys of calls have results of calls.
    const kept = store.get(call.key) as KeptResult | undefined;
    if (kept === undefined || real === undefined) return undefined;
    if (kept.real === real && kept.user === userOf()) {
      const now = kept.extent === call.extent ? snapshot : await this.#snapshots.take(real, kept.extent);
      if (now?.digest === kept.digest) return kept;
    }
    store.delete(call.key, kept);
    return undefined;
  }

  /** Keeps a result, if it is certain which state of the disk it describes. Returns that state. */
  async keep(call: Call, result: PlainCopy<unknown>, begun: Begun): Promise<ResultState | undefined> {
    const { kind, key, path } = call;
    const { real, roots, startedMs } = begun;
    if (real === undefined || isFailure(result.value)) return undefined;
    const { root } = this.#scope;
    if (kind === 'read' && (isNeverKept(real, roots) || isNeverKept(resolve(root, path), [root]))) return undefined;
    const extent = await this.#extentOf(call, real, result.value).catch(() => undefined);
    const snapshot = extent && (await this.#snapshots.take(real, extent));
    // Whatever changed since the call began has a later time.
    if (extent === undefined || snapshot === undefined || !isBefore(snapshot.settledNs, startedMs)) return undefined;
    // A file that is gone has no time.
    if (begun.snapshot?.rules !== snapshot.rules) return undefined;
    const kept: KeptResult = { real, extent, digest: snapshot.digest, user: userOf(), value: result.value };
    this.#stores[kind].set(key, kept, result.cost + 2 * real.length);
    return kept;
  }

  /** Drops listings of a path when something at or below it was changed. */
  drop(changed: readonly string[]): void {
    const { list } = this.#stores;
    for (const key of list.keys()) {
      const { real } = list.peek(key) as KeptResult;
      if (isAffected(real, changed)) list.delete(key);
    }
  }

  /** Returns what a result depends on; `undefined` when the function read something else than the path. */
  async #extentOf({ kind, path, extent }: Call, real: string, value: unknown): Promise<Extent | undefined> {
    if (kind === 'read') return extent;
    const found = itemsOf(value, [path, real]);
    if (found === undefined) return 'tree';
    const entries = await readdir(real, { withFileTypes: true });
    const names = new Set(entries.map(({ name }) => name));
    if (found.some(({ below }) => !names.has(below.split('/', 1).join()))) return undefined;
    if (extent === 'tree') return extent;
    const needed = extentOfItems(found);
    // A list function may show the kind of what a link leads to.
    return needed === 'names' && entries.some((entry) => entry.isSymbolicLink()) ? 'entries' : needed;
  }
}
