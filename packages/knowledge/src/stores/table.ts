/** How the rows of assets are read and written, and what follows a change. */
import type { CallOptions, Erasure, MemoryBackend, Row, RowChange } from '@cairn/memory';
import { withoutVectors } from '@cairn/memory/terms';
import { quoted, retry } from '@cairn/tool/kernel';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { hashOf } from '../assets/markdown.ts';
import { assetId } from '../assets/names.ts';
import { KnowledgeError } from '../errors.ts';
import { isRemoval, losesLines, parseRow, rowIdOf, uniqueOf, type StoredAsset, type StoredRow } from './record.ts';
import { ASSETS_KEY, INDEX_KEY, INDEX_ROWS, isSamePosition, Rows, type Position, type RowResult } from './rows.ts';
import { meaningOfRow, termsOfRow } from './terms.ts';

/** The rows that are read at once: one may have more than a megabyte. */
const ROWS_AT_ONCE = 32;
/** The number of values that are mapped before other work runs. */
const VALUES_AT_ONCE = 16;
const MAX_ATTEMPTS = 1000;
const MAX_WAIT_MS = 30;

export interface AssetRow extends Row {
  /** `undefined` when the text is not readable. */
  readonly stored: StoredRow | undefined;
}

export interface ChangedRows extends Position {
  /** The last state of each row. */
  readonly rows: readonly AssetRow[];
}

export interface NextRow {
  /** The id of the asset before the change. */
  readonly id: string;
  /** The row as it was read; `undefined` when there was none. */
  readonly before: AssetRow | undefined;
  /** `undefined` removes the row. */
  readonly next: StoredRow | undefined;
}

/** An asset as it was read before a change. */
export interface FoundRow {
  readonly row: AssetRow;
  readonly stored: StoredAsset;
}

/** The ids of assets that this process changed. */
export type AssetListener = (ids: readonly string[]) => void;

/** Maps values. Other work runs in between. */
export async function mapSlowly<In, Out>(values: readonly In[], map: (value: In) => Out): Promise<Out[]> {
  const results: Out[] = [];
  for (const [index, value] of values.entries()) {
    if (index % VALUES_AT_ONCE === VALUES_AT_ONCE - 1) await setImmediate();
    results.push(map(value));
  }
  return results;
}

function assetRowOf(row: Row): AssetRow {
  return { ...row, stored: parseRow(row.text) };
}

/** Returns the identity of the state of a row. */
export function versionOf({ text }: AssetRow): string {
  return hashOf(text);
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
  const summary = `The asset ${quoted(row.id)} in the local store is not readable; a later version of Cairn may have written it`;
  const hint = 'It was not changed. Update Cairn, or remove the asset.';
  throw new KnowledgeError('STORE_FAILED', [summary, hint], { assets: [row.id] });
}

/** The table of assets. It tells the listeners of changes, and erases what was replaced. */
export class AssetTable {
  readonly #backend: MemoryBackend;
  readonly #rows: Rows;
  readonly #listeners = new Set<AssetListener>();
  /** The writes that replaced lines, and the number of those that are erased. */
  #replaced = 0;
  #erased = 0;

  constructor(backend: MemoryBackend) {
    this.#backend = backend;
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

  /** @throws {KnowledgeError} `UNKNOWN_ASSET`, `ASSET_CHANGED` when the hash of the text is not the expected one. */
  async find(id: string, options: CallOptions & { readonly expected?: string | undefined }): Promise<FoundRow> {
    const row = await this.readOne(id, options);
    const stored = row && checkReadable(row);
    const facts = { assets: [id] };
    if (row === undefined || stored === undefined || isRemoval(stored)) {
      const summary = `Unknown asset ${quoted(id)}`;
      throw new KnowledgeError('UNKNOWN_ASSET', [summary, 'List or search the assets to get their ids.'], facts);
    }
    if ((options.expected ?? stored.hash) === stored.hash) return { row, stored };
    const summary = `The asset ${quoted(id)} was changed after it was read`;
    const hint = 'It was not overwritten; read it again, then repeat the change.';
    throw new KnowledgeError('ASSET_CHANGED', [summary, hint], facts);
  }

  /** Returns the row that a new asset takes over: none, or the row of a removed asset. @throws {KnowledgeError} `ASSET_EXISTS`. */
  async free(id: string, options: CallOptions): Promise<AssetRow | undefined> {
    const row = await this.readOne(id, options);
    const stored = row && checkReadable(row);
    if (stored === undefined || isRemoval(stored)) return row;
    const other = assetId(stored.fields);
    const summary = `The asset ${quoted(other)} exists`;
    throw new KnowledgeError('ASSET_EXISTS', [summary, 'Change that asset, or use another name.'], { assets: [other] });
  }

  /** Writes all rows, or none. `mayBeEqual`: whether an asset may have another one's body, by the hash of the body. */
  async write(
    changes: readonly NextRow[],
    mayBeEqual: (unique: string) => boolean,
    options: CallOptions,
  ): Promise<RowResult> {
    const planned = changes.map(async ({ id, before, next }): Promise<RowChange> => {
      const unique = next && uniqueOf(next);
      const text = next && JSON.stringify(next);
      return { id: rowIdOf(id), expected: before?.text, next: text, unique, terms: await termsOfRow(next) };
    });
    const changed = changes.flatMap(({ id, before, next }) =>
      before === undefined || isDeepStrictEqual(meaningOfRow(before.stored), meaningOfRow(next)) ? [] : [rowIdOf(id)],
    );
    let rows = await Promise.all(planned);
    for (let attempt = 0; ; attempt++) {
      const run = (): Promise<RowResult> => this.#rows.change(rows, options);
      const result = await withoutVectors(this.#backend, ASSETS_KEY, { ids: changed, run, ...options });
      if (result.isDone) {
        this.#note(changes);
        return result;
      }
      const { reason, id } = result;
      // An attempt for each row is enough, unless others change theirs meanwhile.
      if (reason === 'changed' || attempt > rows.length + MAX_ATTEMPTS) return result;
      const own = rows.find((row) => row.id === id);
      const stored = own === undefined ? (await this.readOne(id, options))?.stored : undefined;
      const unique = own?.unique ?? (stored && uniqueOf(stored));
      // The owner was changed meanwhile, or the new asset is rejected.
      if (unique !== undefined && !mayBeEqual(unique)) return result;
      rows = rows.map((row) => (row.unique === unique && row.id !== id ? { ...row, unique: undefined } : row));
    }
  }

  /**
   * Writes the change of a user. Bodies that were there before, such as those that the team store has twice, may stay equal to others.
   * Returns whether no other process was first. @throws {KnowledgeError} `ASSET_EXISTS`.
   */
  async commit(rows: readonly NextRow[], options: CallOptions): Promise<boolean> {
    const present = new Set(rows.map(({ before }) => before?.stored && uniqueOf(before.stored)));
    const result = await this.write(rows, (unique) => present.has(unique), options);
    if (result.isDone || result.reason === 'changed') return result.isDone;
    const owner = (await this.readOne(result.id, options))?.stored;
    const other = owner === undefined || isRemoval(owner) ? result.id : assetId(owner.fields);
    const summary = `Another asset has exactly this text: ${other}`;
    const hint = 'Use or change that asset. Nothing was written.';
    throw new KnowledgeError('ASSET_EXISTS', [summary, hint], { assets: [other] });
  }

  onChange(listener: AssetListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #note(changes: readonly NextRow[]): void {
    const before = changes.map((row) => row.before?.stored);
    const next = changes.map((row) => row.next);
    if (losesLines(before, next)) this.#replaced += 1;
    const renamed = next.flatMap((row) => (row === undefined || isRemoval(row) ? [] : assetId(row.fields)));
    const ids = [...new Set([...changes.map(({ id }) => id), ...renamed])];
    for (const listener of this.#listeners) listener(ids);
  }

  /** Erases what is not in the rows. */
  async erase(): Promise<Erasure> {
    const covered = this.#replaced;
    await this.#dropSavedIndex();
    const erasure = await this.#backend.erase();
    this.#erased = Math.max(this.#erased, covered);
    return erasure;
  }

  async eraseReplaced(): Promise<{ readonly erasure: Erasure } | undefined> {
    return this.#erased === this.#replaced ? undefined : { erasure: await this.erase() };
  }

  /** Removes the saved index if it has assets as they were before a change. It is saved again when the index is written. */
  async #dropSavedIndex(): Promise<void> {
    const saved = new Rows(this.#backend, INDEX_KEY);
    const [row] = await saved.read(INDEX_ROWS.slice(0, 1), {});
    if (row === undefined) return;
    const position = JSON.parse(row.text) as Position;
    if (!isSamePosition(position, await this.position({}))) await saved.remove(INDEX_ROWS, {});
  }
}
