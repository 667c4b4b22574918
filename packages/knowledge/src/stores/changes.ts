import type { CallOptions } from '@cairn/memory';
import type { Asset } from '../assets/asset.ts';
import { assetOf, isRemoval, rowIdOf } from './record.ts';
import type { Position } from './rows.ts';
import type { AssetTable, ChangedRows } from './table.ts';

export interface KnownAssets extends Position {
  readonly sequences: ReadonlyMap<string, number>;
}

export interface SequencedAsset {
  readonly sequence: number;
  readonly asset: Asset;
}

export interface AssetChanges extends Position {
  /** Whether this continues what the reader knows. Otherwise `changed` has all assets, and the reader drops the others. */
  readonly isContinued: boolean;
  readonly changed: readonly SequencedAsset[];
  /**
   * The ids of assets that the team store still has, and of those that a rename replaced by an id that differs in case. Empty unless it
   * continues: after another removal it does not.
   */
  readonly removed: readonly string[];
  /** The ids of rows that this version cannot read. */
  readonly unreadable: readonly string[];
}

/** Returns the changes since a reader last read, or all assets. Costs one small read when nothing changed. */
export async function readAssetChanges(
  table: AssetTable,
  known: KnownAssets | undefined,
  { signal }: CallOptions,
): Promise<AssetChanges> {
  const read = await table.changes({ after: known?.sequence ?? 0, signal });
  if (known !== undefined && !isContinuation(known, read)) return readAssetChanges(table, undefined, { signal });
  const changed = new Map<string, SequencedAsset>();
  const unreadable: string[] = [];
  const gone = new Set<string>();
  for (const { id: rowId, sequence, stored } of read.rows) {
    if (stored === undefined) unreadable.push(rowId);
    else if (isRemoval(stored)) gone.add(rowId);
    else {
      const asset = assetOf(stored);
      changed.set(asset.id, { sequence, asset });
    }
  }
  // A rename may have replaced an id by one that differs only in case. Mostly no asset has a new id, and none is folded.
  const added = [...changed.keys()].filter((id) => known?.sequences.has(id) === false);
  const rows = new Set([...gone, ...added.map(rowIdOf)]);
  const before = rows.size === 0 ? [] : [...(known?.sequences.keys() ?? [])];
  const removed = before.filter((id) => !changed.has(id) && rows.has(rowIdOf(id)));
  const { start, sequence } = read;
  const isContinued = known !== undefined;
  // When a row was removed while the pages were read, this differs from the table's count, and the next call reads all again.
  const count = isContinued ? read.count : read.rows.length;
  return { start, sequence, count, isContinued, changed: [...changed.values()], removed, unreadable };
}

/** Returns whether the rows are all that changed: no row was removed, and no other table or earlier state is there. */
function isContinuation(known: KnownAssets, { start, sequence, count, rows }: ChangedRows): boolean {
  if (known.start !== start || known.sequence > sequence) return false;
  if (rows.length === 0) return known.count === count;
  const ids = new Set(Array.from(known.sequences.keys(), rowIdOf));
  return count === known.count + rows.filter(({ id }) => !ids.has(id)).length;
}
