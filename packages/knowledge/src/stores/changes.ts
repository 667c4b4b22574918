import type { CallOptions } from '@cairn/memory';
import type { Asset } from '../assets/asset.ts';
import { assetOf, isRemoval, rowIdOf } from './record.ts';
import type { Position } from './rows.ts';
import type { AssetRow, AssetTable } from './table.ts';

/** What a reader knows of the store. */
export interface KnownAssets extends Position {
  /** The sequence of each asset, by its id. */
  readonly sequences: ReadonlyMap<string, number>;
}

export interface SequencedAsset {
  /** The sequence of the asset's row. */
  readonly sequence: number;
  readonly asset: Asset;
}

/** What changed in the store. */
export interface AssetChanges extends Position {
  /** Whether this continues what the reader knows. Otherwise `changed` has all assets, and the reader drops the others. */
  readonly isContinued: boolean;
  readonly changed: readonly SequencedAsset[];
  /**
   * The ids of assets that are gone, the earlier id of an asset whose rename changed only case included. Empty unless it continues.
   */
  readonly removed: readonly string[];
  /** The ids of rows that this version cannot read. */
  readonly unreadable: readonly string[];
}

/** Returns the known ids that a rename replaced by an id of the same row: one that differs only in case. */
function replacedIds({ sequences }: KnownAssets, changed: ReadonlyMap<string, unknown>): string[] {
  const rows = new Set([...changed.keys()].flatMap((id) => (sequences.has(id) ? [] : [rowIdOf(id)])));
  // Mostly no asset has a new id, and the known ones need not be folded.
  if (rows.size === 0) return [];
  return [...sequences.keys()].filter((id) => !changed.has(id) && rows.has(rowIdOf(id)));
}

/** Returns the changes since a reader last read, or all assets. Costs one small read when nothing changed. */
export async function readAssetChanges(
  table: AssetTable,
  known: KnownAssets | undefined,
  { signal }: CallOptions,
): Promise<AssetChanges> {
  let read = await table.changes({ epoch: known?.epoch, after: known?.sequence ?? 0, signal });
  const isContinued = known !== undefined && known.epoch === read.epoch && known.sequence <= read.sequence;
  // A copy of an earlier state was put back.
  if (known?.epoch === read.epoch && !isContinued) read = await table.changes({ after: 0, signal });
  const changed = new Map<string, SequencedAsset>();
  const removed = new Set<string>();
  const unreadable: string[] = [];
  const add = ({ rowId, sequence, stored }: AssetRow): void => {
    if (stored === undefined) unreadable.push(rowId);
    else if (!isRemoval(stored)) {
      const asset = assetOf(stored);
      changed.set(asset.id, { sequence, asset });
    }
  };
  for (const row of read.rows) add(row);
  // Each change gives a number to each of its rows: when all numbers are those of present rows, no row was removed.
  if (isContinued && read.rows.length !== read.sequence - known.sequence) {
    const present = await table.sequences({ signal });
    const missing = [...known.sequences].flatMap(([id, sequence]) =>
      present.has(sequence) || changed.has(id) ? [] : [id],
    );
    // A row without its sequence may have been changed after the first read.
    for (const [index, row] of (await table.read(missing, { signal })).entries()) {
      const id = missing[index] ?? '';
      if (row !== undefined) add(row);
      if (!changed.has(id)) removed.add(id);
    }
  }
  if (isContinued) for (const id of replacedIds(known, changed)) removed.add(id);
  const { epoch, sequence } = read;
  return { epoch, sequence, isContinued, changed: [...changed.values()], removed: [...removed], unreadable };
}
