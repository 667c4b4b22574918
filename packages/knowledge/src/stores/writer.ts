import type { CallOptions, Erasure, MemoryBackend } from '@cairn/memory';
import { quoted } from '@cairn/tool/kernel';
import { KnowledgeError } from '../errors.ts';
import { AssetTerms } from './terms.ts';
import type { ChangeOptions } from './draft.ts';
import { losesLines } from './lost-lines.ts';
import { assetOf, isRemoval, uniqueOf } from './record.ts';
import type { StoredAsset } from './record.ts';
import { INDEX_KEY, INDEX_ROWS, isSamePosition, Rows } from './rows.ts';
import type { Position } from './rows.ts';
import { AssetTable, checkReadable } from './table.ts';
import type { AssetRow, NextRow } from './table.ts';

export interface LocalStoreOptions {
  readonly backend: MemoryBackend;
  /** Milliseconds since the epoch. @default the clock of the backend */
  readonly clock?: (() => number) | undefined;
}

/** The ids of assets that this process changed. */
export type AssetListener = (ids: readonly string[]) => void;

/** An asset as it was read before a change. */
export interface FoundRow {
  readonly row: AssetRow;
  readonly stored: StoredAsset;
}

/** What every change of the local store needs: it finds rows, writes them, tells the listeners, and erases what was replaced. */
export class AssetWriter {
  readonly table: AssetTable;
  readonly terms: AssetTerms;
  readonly #options: LocalStoreOptions;
  readonly #listeners = new Set<AssetListener>();
  /** The writes that replaced lines, and the number of those that are erased. */
  #replaced = 0;
  #erased = 0;

  constructor(options: LocalStoreOptions) {
    this.#options = options;
    this.table = new AssetTable(options.backend);
    this.terms = new AssetTerms(options.backend);
  }

  async now({ signal }: CallOptions): Promise<number> {
    return this.#options.clock?.() ?? this.#options.backend.now({ signal });
  }

  /** @throws {KnowledgeError} `UNKNOWN_ASSET`, `ASSET_CHANGED`. */
  async find(id: string, { expected, signal }: ChangeOptions): Promise<FoundRow> {
    const row = await this.table.readOne(id, { signal });
    const stored = row && checkReadable(row);
    const facts = { assets: [id] };
    if (row === undefined || stored === undefined || isRemoval(stored)) {
      const summary = `Unknown asset ${quoted(id)}`;
      throw new KnowledgeError('UNKNOWN_ASSET', [summary, 'List or search the assets to get their ids.'], facts);
    }
    if (expected === undefined || expected === stored.hash) return { row, stored };
    const summary = `The asset ${quoted(id)} was changed after it was read`;
    const hint = 'It was not overwritten; read it again, then repeat the change.';
    throw new KnowledgeError('ASSET_CHANGED', [summary, hint], facts);
  }

  /** Returns the row that a new asset takes over: none, or that of a removed one. @throws {KnowledgeError} `ASSET_EXISTS`. */
  async free(id: string, options: CallOptions): Promise<AssetRow | undefined> {
    const row = await this.table.readOne(id, options);
    const stored = row && checkReadable(row);
    if (stored === undefined || isRemoval(stored)) return row;
    const other = assetOf(stored).id;
    const summary = `The asset ${quoted(other)} exists`;
    throw new KnowledgeError('ASSET_EXISTS', [summary, 'Change that asset, or use another name.'], { assets: [other] });
  }

  /**
   * Writes rows; `undefined` when another process was first. Bodies that were there before, such as those that the team store has
   * twice, may stay equal to others.
   *
   * @throws {KnowledgeError} `ASSET_EXISTS`.
   */
  async write(rows: readonly NextRow[], options: CallOptions): Promise<true | undefined> {
    const present = new Set(rows.map(({ before }) => before?.stored && uniqueOf(before.stored)));
    const result = await this.table.write(rows, { mayBeEqual: (unique) => present.has(unique), ...options });
    if (result.isDone) return true;
    if (result.reason === 'changed') return undefined;
    const owner = await this.table.readOne(result.id, options);
    const other = owner?.stored === undefined || isRemoval(owner.stored) ? result.id : assetOf(owner.stored).id;
    const summary = `Another asset has exactly this text: ${other}`;
    const hint = 'Use or change that asset. Nothing was written.';
    throw new KnowledgeError('ASSET_EXISTS', [summary, hint], { assets: [other] });
  }

  onChange(listener: AssetListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  notify(ids: readonly string[]): void {
    for (const listener of this.#listeners) listener(ids);
  }

  noteReplaced(rows: readonly NextRow[]): void {
    const before = rows.map((row) => row.before?.stored);
    const next = rows.map((row) => row.next);
    if (losesLines(before, next)) this.#replaced += 1;
  }

  /** Erases what is not in the rows after a step has run. */
  async eraseAfter(step: () => Promise<void>): Promise<Erasure> {
    const covered = this.#replaced;
    await step();
    await this.#dropSavedIndex();
    const erasure = await this.#options.backend.erase();
    this.#erased = Math.max(this.#erased, covered);
    return erasure;
  }

  /** Removes the saved index if it has assets as they were before a change. It is saved again when the index is written. */
  async #dropSavedIndex(): Promise<void> {
    const saved = new Rows(this.#options.backend, INDEX_KEY);
    const [row] = await saved.read(INDEX_ROWS.slice(0, 1), {});
    if (row === undefined) return;
    const position = JSON.parse(row.text) as Position;
    if (!isSamePosition(position, await this.table.position({}))) await saved.remove(INDEX_ROWS, {});
  }

  async eraseReplaced(): Promise<{ readonly erasure: Erasure } | undefined> {
    if (this.#erased === this.#replaced) return undefined;
    return { erasure: await this.eraseAfter(async () => undefined) };
  }
}
