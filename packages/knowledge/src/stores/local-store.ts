import type { CallTable } from '@cairn/tool/errors';
import type { CallOptions, Erasure, MemoryBackend } from '@cairn/memory';
import type { Asset } from '../assets/asset.ts';
import { callOptions, checkArguments } from '../errors.ts';
import type { AssetTerms } from './terms.ts';
import { readAssetChanges } from './changes.ts';
import type { AssetChanges, KnownAssets, SequencedAsset } from './changes.ts';
import { addAsset, changeAsset, removeAsset, reportAsset } from './edits.ts';
import type { AddOptions, AssetChange, AssetDraft, AssetFile, ChangeOptions } from './draft.ts';
import { assetOf, isRemoval } from './record.ts';
import type { StoredRow } from './record.ts';
import type { Position } from './rows.ts';
import { checkReadable, mapSlowly } from './table.ts';
import type { AssetTable } from './table.ts';
import { applyTeamChanges, entryOf } from './apply-team.ts';
import type { StoreEntry, TeamChange, TeamResult } from './team-changes.ts';
import { AssetWriter } from './writer.ts';
import type { AssetListener, LocalStoreOptions } from './writer.ts';

function assetIn(stored: StoredRow | undefined): Asset | undefined {
  return stored === undefined || isRemoval(stored) ? undefined : assetOf(stored);
}

class Local {
  readonly backend: MemoryBackend;
  /** The term index of the assets. */
  readonly terms: AssetTerms;
  readonly #writer: AssetWriter;
  readonly #table: AssetTable;

  constructor(options: LocalStoreOptions) {
    this.backend = options.backend;
    this.#writer = new AssetWriter(options);
    this.#table = this.#writer.table;
    this.terms = this.#writer.terms;
  }

  /** Returns the time by the clock of the store, milliseconds since the epoch. */
  now(options: CallOptions = {}): Promise<number> {
    return this.#writer.now(options);
  }

  async get(id: string, options: CallOptions = {}): Promise<Asset | undefined> {
    const row = await this.#table.readOne(id, options);
    return assetIn(row && checkReadable(row));
  }

  async getMany(ids: readonly string[], options: CallOptions = {}): Promise<(Asset | undefined)[]> {
    const rows = await this.#table.read(ids, options);
    return rows.map((row) => assetIn(row && checkReadable(row)));
  }

  /** Returns assets with the sequences of their rows; `undefined` for those that are missing or not readable. */
  async getSequenced(ids: readonly string[], options: CallOptions = {}): Promise<(SequencedAsset | undefined)[]> {
    const rows = await this.#table.read(ids, options);
    return rows.map((row) => {
      const asset = assetIn(row?.stored);
      return row && asset && { sequence: row.sequence, asset };
    });
  }

  /**
   * Adds an asset.
   *
   * @throws {KnowledgeError} `INVALID_ASSET`, `INVALID_NAME`, `TOO_LARGE`, `SECRET`, `ASSET_EXISTS` when the name is taken, or when
   *   another asset has the same body.
   */
  add(draft: AssetDraft | AssetFile, options: AddOptions = {}): Promise<Asset> {
    return addAsset(this.#writer, draft, options);
  }

  /**
   * Changes an asset, and clears its reports. A rename is one atomic step. `fields.verifiedMs` confirms the asset.
   *
   * @throws {KnowledgeError} `UNKNOWN_ASSET`, `ASSET_CHANGED`, and those of `add`.
   */
  change(id: string, change: AssetChange, options: ChangeOptions = {}): Promise<Asset> {
    return changeAsset(this.#writer, [id, change], options);
  }

  /**
   * Erases an asset: its text is in no file of the store afterwards, unless `erasure` states otherwise.
   *
   * @throws {KnowledgeError} `UNKNOWN_ASSET`, `ASSET_CHANGED`.
   */
  remove(id: string, options: Omit<ChangeOptions, 'dryRun'> = {}): Promise<{ readonly erasure: Erasure }> {
    return removeAsset(this.#writer, id, options);
  }

  /**
   * Erases the texts that changes of this process have replaced or removed: their lines and words are in no file of the store
   * afterwards, unless `erasure` states otherwise. It also erases the words that other processes have replaced. Its time grows with
   * the store, so that it is not a part of each change.
   *
   * @returns `undefined` when no line was replaced since the last call.
   */
  eraseReplaced(): Promise<{ readonly erasure: Erasure } | undefined> {
    return this.#writer.eraseReplaced();
  }

  /** Counts the report of a reader. A change of the asset clears the reports. @throws {KnowledgeError} `UNKNOWN_ASSET`, `SECRET`. */
  report(
    id: string,
    verdict: 'helpful' | 'wrong',
    options: CallOptions & { readonly note?: string | undefined } = {},
  ): Promise<Asset> {
    return reportAsset(this.#writer, [id, verdict], options);
  }

  /** Returns the state of the table, which differs after every change. */
  position(options: CallOptions = {}): Promise<Position> {
    return this.#table.position(options);
  }

  /** Returns the changes since a reader last read; without `known`, all assets. */
  changes(known?: KnownAssets, options: CallOptions = {}): Promise<AssetChanges> {
    return readAssetChanges(this.#table, known, options);
  }

  /** Returns all entries, or those with these ids. @throws {KnowledgeError} `STORE_FAILED` for an unreadable one. */
  async entries(ids?: readonly string[], { signal }: CallOptions = {}): Promise<StoreEntry[]> {
    const rows =
      ids === undefined
        ? (await this.#table.changes({ after: 0, signal })).rows
        : await this.#table.read(ids, { signal });
    return mapSlowly(
      rows.filter((row) => row !== undefined),
      entryOf,
    );
  }

  /** Makes all changes of a synchronization, or none. Secrets are not rejected: the team has them. */
  applyTeam(changes: readonly TeamChange[], options: CallOptions = {}): Promise<TeamResult> {
    return applyTeamChanges(this.#writer, changes, options);
  }

  /**
   * Calls a listener after each change that this process made.
   *
   * @returns a function that ends it.
   */
  onChange(listener: AssetListener): () => void {
    return this.#writer.onChange(listener);
  }
}

/**
 * The assets of a user, in one table of a store. Multiple processes can share it: every change is atomic.
 *
 * An id is `product_line/name`; case does not matter. Besides the errors below, every call throws the `MemoryError`s of the backend,
 * such as `STORE_FULL`.
 */
export type LocalStore = Pick<Local, keyof Local>;

const storeCalls: CallTable<LocalStore> = {
  now: [callOptions],
  get: ['any', callOptions],
  getMany: ['any', callOptions],
  getSequenced: ['any', callOptions],
  add: ['any', { ...callOptions, origin: 'optional', dryRun: 'optional' }],
  change: [
    'any',
    { text: 'optional', fields: 'optional', body: 'optional' },
    { ...callOptions, expected: 'optional', dryRun: 'optional' },
  ],
  remove: ['any', { ...callOptions, expected: 'optional' }],
  eraseReplaced: [],
  report: ['any', 'any', { ...callOptions, note: 'optional' }],
  position: [callOptions],
  changes: ['any', callOptions],
  entries: ['any', callOptions],
  applyTeam: ['any', callOptions],
};

const directCalls: CallTable<LocalStore> = { onChange: ['any'] };

/** Opens the local store over a backend, which the caller closes. */
export function openLocalStore(options: LocalStoreOptions): LocalStore {
  return checkArguments.directCalls(checkArguments.calls<LocalStore>(new Local(options), storeCalls), directCalls);
}
