/** How the rows of assets are read and written. */
import type { CallOptions, MemoryBackend } from '@cairn/memory';
import { quoted, retry } from '@cairn/tool/kernel';
import { setImmediate } from 'node:timers/promises';
import { KnowledgeError } from '../errors.ts';
import { hashOf } from '../assets/markdown.ts';
import { parseRow, rowIdOf, uniqueOf } from './record.ts';
import type { StoredRow } from './record.ts';
import { ASSETS_KEY, Rows } from './rows.ts';
import { termsOfRow } from './terms.ts';
import type { Position, Row, RowChange, RowResult } from './rows.ts';

/** The rows that are read at once: one may have more than a megabyte. */
const ROWS_AT_ONCE = 32;
/** The number of values that are mapped before other work runs. */
const VALUES_AT_ONCE = 16;
const MAX_ATTEMPTS = 1000;
const MAX_WAIT_MS = 30;

export interface AssetRow {
  readonly rowId: string;
  readonly sequence: number;
  readonly text: string;
  /** `undefined` when the text is not readable. */
  readonly stored: StoredRow | undefined;
}

export interface ChangedRows extends Position {
  /** The last state of each row. */
  readonly rows: readonly AssetRow[];
}

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

/** Maps values. Other work runs in between. */
export async function mapSlowly<In, Out>(values: readonly In[], map: (value: In) => Out): Promise<Out[]> {
  const results: Out[] = [];
  for (const [index, value] of values.entries()) {
    if (index % VALUES_AT_ONCE === VALUES_AT_ONCE - 1) await setImmediate();
    results.push(map(value));
  }
  return results;
}

function assetRowOf({ id, sequence, text }: Row): AssetRow {
  return { rowId: id, sequence, text, stored: parseRow(text) };
}

/** Returns the identity of the state of a row. */
export function versionOf({ text }: AssetRow): string {
  return hashOf(text);
}

/** The table of assets. */
export class AssetTable {
  readonly #rows: Rows;

  constructor(backend: MemoryBackend) {
    this.#rows = new Rows(backend, ASSETS_KEY);
  }

  /** Reads rows by the ids of their assets. */
  async read(ids: readonly string[], { signal }: CallOptions): Promise<(AssetRow | undefined)[]> {
    const rows: (AssetRow | undefined)[] = [];
    for (let from = 0; from < ids.length; from += ROWS_AT_ONCE) {
      if (from > 0) await setImmediate();
      const page = ids.slice(from, from + ROWS_AT_ONCE).map(rowIdOf);
      for (const row of await this.#rows.read(page, { signal })) rows.push(row && assetRowOf(row));
    }
    return rows;
  }

  async readOne(id: string, options: CallOptions): Promise<AssetRow | undefined> {
    const [row] = await this.read([id], options);
    return row;
  }

  /** Reads the rows that changed after a sequence. Other work runs in between. */
  async changes(options: CallOptions & { readonly after: number }): Promise<ChangedRows> {
    const { rows, ...position } = await this.#rows.changes(options);
    return { ...position, rows: await mapSlowly(rows, assetRowOf) };
  }

  position(options: CallOptions): Promise<Position> {
    return this.#rows.position(options);
  }

  /** Writes all rows, or none. */
  async write(changes: readonly NextRow[], { mayBeEqual, signal }: WriteOptions): Promise<RowResult> {
    const planned = changes.map(async ({ id, before, next }): Promise<RowChange> => {
      const unique = next && uniqueOf(next);
      const text = next && JSON.stringify(next);
      return { id: rowIdOf(id), expected: before?.text, next: text, unique, terms: await termsOfRow(next) };
    });
    let rows = await Promise.all(planned);
    for (let attempt = 0; ; attempt++) {
      const result = await this.#rows.change(rows, { signal });
      if (result.isDone) return result;
      const { reason, id } = result;
      // An attempt for each row is enough, unless others change theirs meanwhile.
      if (reason === 'changed' || attempt > rows.length + MAX_ATTEMPTS) return result;
      const own = rows.find((row) => row.id === id);
      const stored = own === undefined ? (await this.readOne(id, { signal }))?.stored : undefined;
      const unique = own?.unique ?? (stored && uniqueOf(stored));
      // The owner was changed meanwhile, or the new asset is rejected.
      if (unique !== undefined && !mayBeEqual(unique)) return result;
      rows = rows.map((row) => (row.unique === unique && row.id !== id ? { ...row, unique: undefined } : row));
    }
  }
}

/** Repeats an attempt until it returns a value, because another process was first. @throws {KnowledgeError} `ASSET_CHANGED`. */
export async function untilDone<T>(
  attempt: () => Promise<T | undefined>,
  { id, signal }: CallOptions & { readonly id: string },
): Promise<T> {
  const result = await retry(attempt, { attempts: MAX_ATTEMPTS, maxWaitMs: MAX_WAIT_MS, signal });
  if (result !== undefined) return result;
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
