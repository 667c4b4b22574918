/** How rows are read from and written to the table of assets. */
import type { CallOptions, MemoryBackend, RowChange } from '@cairn/memory';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { KnowledgeError } from '../errors.ts';
import { hashOf } from '../assets/markdown.ts';
import { quoted } from '../assets/names.ts';
import { ASSETS_KEY } from './keys.ts';
import { parseRow, rowIdOf, uniqueOf } from './record.ts';
import type { StoredRow } from './record.ts';

/** The rows that are read at once, at first and at most: one may have more than a megabyte. */
const FIRST_PAGE = 32;
const MAX_PAGE = 256;
/** The UTF-16 code units of a page. */
const UNITS_PER_PAGE = 512 * 1024;
/** The texts that are worked on before other work runs. */
const TEXTS_AT_ONCE = 16;
const MAX_ATTEMPTS = 1000;
const MAX_WAIT_MS = 30;

/** A row with what it holds; `undefined` when it is not readable. */
export interface AssetRow {
  readonly rowId: string;
  readonly sequence: number;
  readonly record: string;
  readonly stored: StoredRow | undefined;
}

/** Maps values. Other work runs in between. */
export async function mapSlowly<In, Out>(values: readonly In[], map: (value: In) => Out): Promise<Out[]> {
  const results: Out[] = [];
  for (const [index, value] of values.entries()) {
    if (index % TEXTS_AT_ONCE === TEXTS_AT_ONCE - 1) await setImmediate();
    results.push(map(value));
  }
  return results;
}

/** Returns the identity of the state of a row. */
export function versionOf(record: string): string {
  return hashOf(record);
}

/** Reads rows by the ids of their assets. */
export async function readRows(
  backend: MemoryBackend,
  ids: readonly string[],
  { signal }: CallOptions,
): Promise<(AssetRow | undefined)[]> {
  const rows: (AssetRow | undefined)[] = [];
  for (let from = 0; from < ids.length; from += FIRST_PAGE) {
    if (from > 0) await setImmediate();
    const page = ids.slice(from, from + FIRST_PAGE).map(rowIdOf);
    for (const row of await backend.rows(ASSETS_KEY, page, { signal })) {
      const { id: rowId = '', sequence = 0, record = '' } = row ?? {};
      rows.push(row && { rowId, sequence, record, stored: parseRow(record) });
    }
  }
  return rows;
}

export interface ChangedRows {
  /** Empty when the table has no rows. */
  readonly epoch: string;
  readonly sequence: number;
  /** The last state of each row. */
  readonly rows: readonly AssetRow[];
}

/** Reads the rows that changed after a sequence. Other work runs in between. */
export async function readChangedRows(
  backend: MemoryBackend,
  { epoch, after, signal }: CallOptions & { readonly epoch?: string | undefined; readonly after: number },
): Promise<ChangedRows> {
  const rows = new Map<string, AssetRow>();
  let from = { epoch, after };
  let limit = FIRST_PAGE;
  for (;;) {
    const page = await backend.changes(ASSETS_KEY, { ...from, limit, signal });
    if (from.epoch !== undefined && page.epoch !== from.epoch) rows.clear();
    for (const { id: rowId = '', sequence, record } of page.records) {
      rows.set(rowId, { rowId, sequence, record, stored: parseRow(record) });
    }
    const last = page.records.at(-1);
    if (last === undefined || page.records.length < limit) {
      return { epoch: page.epoch, sequence: page.sequence, rows: [...rows.values()] };
    }
    from = { epoch: page.epoch, after: last.sequence };
    const units = page.records.reduce((sum, { record }) => sum + record.length, 1);
    limit = Math.max(1, Math.min(MAX_PAGE, Math.floor((limit * UNITS_PER_PAGE) / units)));
    await setImmediate();
  }
}

/** A row and its next state. */
export interface NextRow {
  /** The id of the asset. */
  readonly id: string;
  /** The row as it was read; `undefined` when there was none. */
  readonly before: AssetRow | undefined;
  /** `undefined` removes the row. */
  readonly next: StoredRow | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Whether an asset may have the same body as another one, by the hash of the body. */
  readonly mayBeEqual: (unique: string) => boolean;
}

/** Whether rows were written. `changed`: the row `id` is not as it was read. `taken`: the asset of the row `id` has the body. */
export type WriteResult =
  | { readonly isDone: true }
  | { readonly isDone: false; readonly reason: 'changed' | 'taken'; readonly id: string };

/** Writes all rows, or none. */
export async function writeRows(
  backend: MemoryBackend,
  changes: readonly NextRow[],
  { mayBeEqual, signal }: WriteOptions,
): Promise<WriteResult> {
  let rows = changes.map(({ id, before, next }): RowChange => {
    const record = next && JSON.stringify(next);
    return { id: rowIdOf(id), expected: before?.record, next: record, unique: next && uniqueOf(next) };
  });
  for (let attempt = 0; ; attempt++) {
    const result = await backend.change(ASSETS_KEY, { rows }, { signal });
    if (result.isDone) return result;
    const { reason, id = '' } = result;
    // An attempt for each row is enough, unless others change theirs meanwhile.
    if (reason === 'changed' || attempt > rows.length + MAX_ATTEMPTS) return { isDone: false, reason, id };
    const own = rows.find((row) => row.id === id);
    const stored = own === undefined ? (await readRows(backend, [id], { signal }))[0]?.stored : undefined;
    const unique = own?.unique ?? (stored && uniqueOf(stored));
    // The owner was changed meanwhile, or the new asset is refused.
    if (unique !== undefined && !mayBeEqual(unique)) return { isDone: false, reason, id };
    rows = rows.map((row) => (row.unique === unique && row.id !== id ? { ...row, unique: undefined } : row));
  }
}

/** Repeats an attempt until it returns a value, because another process was first. @throws {KnowledgeError} `ASSET_CHANGED`. */
export async function untilDone<T>(
  attempt: () => Promise<T | undefined>,
  { id, signal }: CallOptions & { readonly id: string },
): Promise<T> {
  for (let count = 0; count < MAX_ATTEMPTS; count++) {
    const result = await attempt();
    if (result !== undefined) return result;
    await delay(Math.random() * Math.min(count, MAX_WAIT_MS));
    signal?.throwIfAborted();
  }
  const summary = `Other processes changed the asset ${quoted(id)} during ${MAX_ATTEMPTS} attempts`;
  throw new KnowledgeError('ASSET_CHANGED', [summary, 'Nothing was changed; repeat the call.'], { assets: [id] });
}

/** @throws {KnowledgeError} `STORE_FAILED`. */
export function checkReadable(row: AssetRow): StoredRow {
  if (row.stored !== undefined) return row.stored;
  const summary = `The asset ${quoted(row.rowId)} in the local store is not readable; a later version of Cairn may have written it`;
  throw new KnowledgeError('STORE_FAILED', [summary, 'It was not changed. Update Cairn, or remove the asset.'], {
    assets: [row.rowId],
  });
}
