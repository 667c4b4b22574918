/** What a synchronization with the team store reads and changes here. */
import type { Asset, AssetConflict } from '../assets/asset.ts';
import { parseAsset } from '../assets/markdown.ts';
import { assetId, parseAssetId } from '../assets/names.ts';
import { assetOf, isRemoval, removalOf, rowOf, type StoredAsset, type StoredRow, type TeamState } from './record.ts';
import { checkReadable, versionOf, type AssetRow } from './table.ts';

/** An asset of the local store, or one that was removed here and is still in the team store. */
export interface StoreEntry extends Pick<StoredAsset, 'team' | 'conflict'> {
  readonly id: string;
  /** Identifies this state of the entry. */
  readonly version: string;
  /** Absent when it was removed here. */
  readonly asset?: Asset | undefined;
}

/** A change of one entry by a synchronization. */
export interface TeamChange {
  /** `product_line/name`. */
  readonly id: string;
  /** The version of the entry that the change is based on; `undefined` when there was no entry. */
  readonly version: string | undefined;
  /** The Markdown that the asset gets; `null` removes it. @default what is here stays */
  readonly text?: string | null | undefined;
  /** The file that the team store has now; `null` when it has none. @default what it had at the last synchronization */
  readonly team?: TeamState | null | undefined;
  /** A conflict; `null` ends it. @default a conflict stays */
  readonly conflict?: AssetConflict | null | undefined;
  /** When the text was changed. @default now */
  readonly changedMs?: number | undefined;
  /** The remote, for assets that are new here. */
  readonly source?: string | undefined;
}

/** Whether the changes were made. `changed`: these entries are not as expected; nothing was changed. */
export type TeamResult = { readonly isDone: true } | { readonly isDone: false; readonly changed: readonly string[] };

/** Returns the row after a change; `undefined` when it is removed. @throws {KnowledgeError} `INVALID_ASSET`, `TOO_LARGE`. */
export function nextRow(before: AssetRow | undefined, change: TeamChange, nowMs: number): StoredRow | undefined {
  const { id, text, changedMs = nowMs, source } = change;
  const stored = before && checkReadable(before);
  const conflict = change.conflict === undefined ? stored?.conflict : (change.conflict ?? undefined);
  const team = change.team === undefined ? stored?.team : (change.team ?? undefined);
  if (typeof text === 'string') {
    const own = stored === undefined || isRemoval(stored) ? undefined : stored;
    return rowOf(parseAsset(text, { key: parseAssetId(id) }), {
      createdMs: own?.createdMs ?? changedMs,
      changedMs,
      origin: own?.origin ?? { kind: 'team', ...(source !== undefined && { source }) },
      team,
      conflict,
    });
  }
  if (text === null || stored === undefined || isRemoval(stored)) {
    const removed = stored !== undefined && isRemoval(stored) ? stored.removed : parseAssetId(id);
    return team && removalOf(removed, { team, conflict });
  }
  return { ...stored, team, conflict };
}

/** @throws {KnowledgeError} `STORE_FAILED`. */
export function entryOf(row: AssetRow): StoreEntry {
  const stored = checkReadable(row);
  const { team, conflict } = stored;
  return {
    id: assetId(isRemoval(stored) ? stored.removed : stored.fields),
    version: versionOf(row),
    ...(!isRemoval(stored) && { asset: assetOf(stored) }),
    ...(team !== undefined && { team }),
    ...(conflict !== undefined && { conflict }),
  };
}
