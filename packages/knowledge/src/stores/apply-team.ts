import type { CallOptions } from '@cairn/memory';
import { parseAsset } from '../assets/markdown.ts';
import { assetId, parseAssetId } from '../assets/names.ts';
import { assetOf, isRemoval, removalOf, rowIdOf, rowOf } from './record.ts';
import type { StoredRow } from './record.ts';
import { checkReadable, mapSlowly, versionOf } from './table.ts';
import type { AssetRow, NextRow } from './table.ts';
import type { StoreEntry, TeamChange, TeamResult } from './team-changes.ts';
import type { AssetWriter } from './writer.ts';

/** Returns the row after a change; `undefined` when it is removed. @throws {KnowledgeError} `INVALID_ASSET`, `TOO_LARGE`. */
function nextRow(before: AssetRow | undefined, change: TeamChange, nowMs: number): StoredRow | undefined {
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

/** Makes all changes, or none. */
export async function applyTeamChanges(
  writer: AssetWriter,
  changes: readonly TeamChange[],
  { signal }: CallOptions,
): Promise<TeamResult> {
  signal?.throwIfAborted();
  if (changes.length === 0) return { isDone: true };
  const ids = changes.map(({ id }) => id);
  const before = await writer.table.read(ids, { signal });
  const pairs = changes.map((change, index) => ({ change, row: before[index] }));
  const checked = await mapSlowly(pairs, ({ change: { id, version }, row }) =>
    (row && versionOf(row)) === version ? [] : [id],
  );
  const unexpected = checked.flat();
  if (unexpected.length > 0) return { isDone: false, changed: unexpected };
  const nowMs = await writer.now({ signal });
  const next = await mapSlowly(pairs, ({ change, row }): NextRow => {
    return { id: change.id, before: row, next: nextRow(row, change, nowMs) };
  });
  const rows = next.filter((row) => row.before !== undefined || row.next !== undefined);
  const result = await writer.table.write(rows, { mayBeEqual: () => true, signal });
  if (!result.isDone) return { isDone: false, changed: [ids.find((id) => rowIdOf(id) === result.id) ?? result.id] };
  writer.noteReplaced(rows);
  writer.notify(ids);
  return { isDone: true };
}
