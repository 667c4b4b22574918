/**
 * How vectors are written and removed. A table of vectors is next to the table of its records: no call changes both, so that
 *
 * - a call that removes or changes a record removes its vectors before and after that, which raises the sequence of their table;
 * - a process that makes vectors reads that sequence first, then the records, and writes only if the sequence is still the same.
 *
 * Therefore no vector of a removed text is written after the removal.
 */
import { setImmediate } from 'node:timers/promises';
import type { CallOptions, Erasure, MemoryBackend, RowChange } from '../records/backend.ts';
import { VECTORS_PREFIX, vectorsKey } from '../records/keys.ts';
import { removeTable } from '../records/lists.ts';
import { recordIdOf, vectorIdOf } from './vector-row.ts';

const ROWS_PER_PAGE = 256;

/** A row that no table has. To remove it raises the sequence of a table that is there. */
const NO_ROW: RowChange = { id: 'none', next: undefined };

/** Removes the vectors of records. @returns whether the table has a row, so that others may write vectors meanwhile. */
async function removeVectors(
  backend: MemoryBackend,
  key: string,
  { ids, signal }: CallOptions & { readonly ids: readonly string[] },
): Promise<boolean> {
  const change = { removes: ids.map(vectorIdOf), rows: [NO_ROW] };
  const result = await backend.change(vectorsKey(key), change, { signal });
  return result.isDone && result.sequence > 0;
}

/** Changes or removes records, and removes their vectors. */
export async function withoutVectors<T>(
  backend: MemoryBackend,
  key: string,
  change: CallOptions & { readonly ids: readonly string[]; readonly run: () => Promise<T> },
): Promise<T> {
  if (change.ids.length === 0) return change.run();
  const hasVectors = await removeVectors(backend, key, change);
  const result = await change.run();
  // Vectors of a record that was read before are written before this, or not at all.
  if (hasVectors) await removeVectors(backend, key, { ids: change.ids });
  return result;
}

/** Removes a table with its vectors. @returns the number of removed rows, without the vectors. */
export async function removeWithVectors(backend: MemoryBackend, key: string, call?: CallOptions): Promise<number> {
  const removed = await removeTable(backend, key, call);
  await removeTable(backend, vectorsKey(key), call);
  return removed;
}

/** Removes the vectors of records that are gone, such as old messages. */
export async function removeOrphans(backend: MemoryBackend, key: string): Promise<void> {
  for (let after = 0; ;) {
    const page = await backend.page(vectorsKey(key), { order: 'written', after, limit: ROWS_PER_PAGE });
    const ids = page.rows.flatMap(({ id }) => recordIdOf(id) ?? []);
    const records = await backend.rows(key, ids);
    const orphans = ids.filter((_, index) => records[index] === undefined);
    if (orphans.length > 0) await removeVectors(backend, key, { ids: orphans });
    after = page.rows.at(-1)?.sequence ?? after;
    if (!page.hasMore) return;
    await setImmediate();
  }
}

/** Removes the vectors of all tables, and erases them from the files of the store. */
export async function removeAllVectors(backend: MemoryBackend, call: CallOptions): Promise<Erasure | undefined> {
  const found = await backend.keys(VECTORS_PREFIX, call);
  for (const { key } of found) await removeTable(backend, key, call);
  return found.length === 0 ? undefined : backend.erase(call);
}
