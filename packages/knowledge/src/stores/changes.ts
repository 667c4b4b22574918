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
  const read = await table.changes({ after: known?.sequence ?? 0, signal });
  if (known !== undefined && !isContinuation(known, read)) return readAssetChanges(table, undefined, { signal });
  const changed = new Map<string, SequencedAsset>();
  const unreadable: string[] = [];
  const gone = new Set<string>();
  for (const { rowId, sequence, stored } of read.rows) {
    if (stored === undefined) unreadable.push(rowId);
    else if (isRemoval(stored)) gone.add(rowId);
    else {
      const asset = assetOf(stored);
      changed.set(asset.id, { sequence, asset });
    }
  }
  const removed = known === undefined ? [] : replacedIds(known, changed);
  // The team store still has it.
  if (known !== undefined && gone.size > 0) {
    removed.push(...[...known.sequences.keys()].filter((id) => gone.has(rowIdOf(id)) && !changed.has(id)));
  }
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
  return count === known.count + rows.filter(({ rowId }) => !ids.has(rowId)).length;
}
