import type { CallTable } from '@cairn/tool/errors';
import type { CallOptions, Erasure, MemoryBackend } from '@cairn/memory';
import type { Meaning } from '@cairn/memory/terms';
import { quoted } from '@cairn/tool/kernel';
import type { Asset } from '../assets/asset.ts';
import { editAsset, parseAsset, type ParsedAsset } from '../assets/markdown.ts';
import { assetId, checkName, checkProductLine } from '../assets/names.ts';
import { checkSecrets } from '../assets/secrets.ts';
import { callOptions, checkArguments, KnowledgeError } from '../errors.ts';
import { readAssetChanges, type AssetChanges, type KnownAssets, type SequencedAsset } from './changes.ts';
import { checkContent, parseDraft } from './draft.ts';
import type { AddOptions, AssetChange, AssetDraft, AssetFile, ChangeOptions } from './draft.ts';
import { assetOf, isRemoval, removalOf, rowIdOf, rowOf, type StoredAsset, type StoredRow } from './record.ts';
import type { Position } from './rows.ts';
import { AssetTable, checkReadable, mapSlowly, untilDone, versionOf } from './table.ts';
import type { AssetListener, FoundRow, NextRow } from './table.ts';
import { entryOf, nextRow, type StoreEntry, type TeamChange, type TeamResult } from './team-changes.ts';
import { AssetTerms } from './terms.ts';

const MAX_NOTES = 10;
const MAX_NOTE_CHARACTERS = 500;

export interface LocalStoreOptions {
  readonly backend: MemoryBackend;
  /** Milliseconds since the epoch. @default the clock of the backend */
  readonly clock?: (() => number) | undefined;
  /** Finds assets by meaning too. @default by words only */
  readonly meaning?: Meaning | undefined;
}

/** What became of the text of a removed asset. */
interface RemovedAsset {
  /** How long backups of the store keep the text, such as `until 2026-12-06`. Absent when none does. */
  readonly backups?: string;
  readonly erasure: Erasure;
}

function assetIn(stored: StoredRow | undefined): Asset | undefined {
  return stored === undefined || isRemoval(stored) ? undefined : assetOf(stored);
}

class Local {
  readonly backend: MemoryBackend;
  /** The term index of the assets. */
  readonly terms: AssetTerms;
  readonly #table: AssetTable;
  readonly #clock: LocalStoreOptions['clock'];

  constructor({ backend, clock, meaning }: LocalStoreOptions) {
    this.backend = backend;
    this.terms = new AssetTerms(backend, meaning);
    this.#table = new AssetTable(backend);
    this.#clock = clock;
  }

  /** Returns the time by the clock of the store, milliseconds since the epoch. */
  async now(options: CallOptions = {}): Promise<number> {
    return this.#clock?.() ?? this.backend.now(options);
  }

  async get(id: string, options: CallOptions = {}): Promise<Asset | undefined> {
    const [asset] = await this.getMany([id], options);
    return asset;
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
  async add(draft: AssetDraft | AssetFile, options: AddOptions = {}): Promise<Asset> {
    const { origin = { kind: 'local' }, dryRun = false, signal } = options;
    signal?.throwIfAborted();
    const parsed = parseDraft(draft);
    const { id } = parsed;
    const attempt = async (): Promise<Asset | undefined> => {
      const before = await this.#table.free(id, { signal });
      const nowMs = await this.now({ signal });
      const { team, conflict } = before?.stored ?? {};
      const next = rowOf(parsed, { createdMs: nowMs, changedMs: nowMs, origin, team, conflict });
      const isDone = dryRun || (await this.#table.commit([{ id, before, next }], { signal }));
      return isDone ? assetOf(next) : undefined;
    };
    return untilDone(attempt, { id, signal });
  }

  /**
   * Adds new assets in one step, whose texts the caller has checked.
   *
   * @returns the assets; `undefined` when they cannot all be added, because a name is taken, or another asset has the same body. Then
   *   nothing was written.
   */
  async addAll(
    assets: readonly (Pick<Asset, 'origin'> & { readonly parsed: ParsedAsset })[],
    { signal }: CallOptions = {},
  ): Promise<readonly Asset[] | undefined> {
    signal?.throwIfAborted();
    const ids = assets.map(({ parsed }) => parsed.id);
    if (new Set(ids.map(rowIdOf)).size < ids.length) return undefined;
    const before = await this.#table.read(ids, { signal });
    if (before.some((row) => row !== undefined)) return undefined;
    const nowMs = await this.now({ signal });
    const stored = assets.map(({ parsed, origin }) => rowOf(parsed, { createdMs: nowMs, changedMs: nowMs, origin }));
    const rows = stored.map((next, index): NextRow => ({ id: ids[index] ?? '', before: undefined, next }));
    const { isDone } = await this.#table.write(rows, () => false, { signal });
    return isDone ? stored.map(assetOf) : undefined;
  }

  /**
   * Changes an asset, and clears its reports. A rename is one atomic step. `fields.verifiedMs` confirms the asset.
   *
   * @throws {KnowledgeError} `UNKNOWN_ASSET`, `ASSET_CHANGED`, and the codes of `add`.
   */
  async change(id: string, change: AssetChange, options: ChangeOptions = {}): Promise<Asset> {
    const { dryRun = false, signal } = options;
    signal?.throwIfAborted();
    const { name, productLine } = change.fields ?? {};
    if (name !== undefined) checkName(name);
    if (productLine !== undefined) checkProductLine(productLine);
    const attempt = async (): Promise<Asset | undefined> => {
      const found = await this.#table.find(id, options);
      const { next, rows } = await this.#planChange(found, change, { signal });
      const isDone = dryRun || rows.length === 0 || (await this.#table.commit(rows, { signal }));
      return isDone ? assetOf(next) : undefined;
    };
    return untilDone(attempt, { id, signal });
  }

  /** Returns the state of an asset after a change, and the rows that make it. No rows: nothing changes. */
  async #planChange(found: FoundRow, { text, fields, body }: AssetChange, call: CallOptions) {
    const { row, stored } = found;
    const edited = editAsset(text ?? stored.text, { fields, body });
    const isSame = edited === stored.text;
    // The user may confirm it twice in a day.
    const isConfirmed = typeof fields?.verifiedMs === 'number' && stored.reports !== undefined;
    if (isSame && !isConfirmed) return { next: stored, rows: [] };
    const parsed = parseAsset(edited);
    // An allowed secret may stay; a file without the mark is checked.
    checkContent(parsed, { allowSecret: stored.fields.allowSecret === true && parsed.fields.allowSecret === true });
    const nowMs = await this.now(call);
    const { createdMs, origin, team, conflict } = stored;
    const next = rowOf(parsed, { createdMs, changedMs: isSame ? stored.changedMs : nowMs, origin, team, conflict });
    const [own, id] = [assetId(stored.fields), parsed.id];
    if (rowIdOf(id) === rowIdOf(own)) return { next, rows: [{ id: own, before: row, next }] };
    const free = await this.#table.free(id, call);
    const moved: StoredAsset = { ...next, team: free?.stored?.team, conflict: free?.stored?.conflict };
    const removal = team && removalOf(stored.fields, { team, conflict });
    const rows = [
      { id: own, before: row, next: removal },
      { id, before: free, next: moved },
    ];
    return { next: moved, rows };
  }

  /**
   * Erases an asset: its text is in no file of the store afterwards, unless `erasure` states otherwise.
   *
   * @throws {KnowledgeError} `UNKNOWN_ASSET`, `ASSET_CHANGED`.
   */
  async remove(id: string, options: Omit<ChangeOptions, 'dryRun'> = {}): Promise<RemovedAsset> {
    const { signal } = options;
    signal?.throwIfAborted();
    const attempt = async (): Promise<true | undefined> => {
      const row = await this.#table.readOne(id, { signal });
      // One that is not readable is removed whole.
      const isReadable = row === undefined || row.stored !== undefined;
      const { fields, team, conflict } = isReadable ? (await this.#table.find(id, options)).stored : {};
      if (row === undefined) return undefined;
      const next = team && fields && removalOf(fields, { team, conflict });
      const own = fields === undefined ? row.id : assetId(fields);
      return (await this.#table.commit([{ id: own, before: row, next }], { signal })) || undefined;
    };
    await untilDone(attempt, { id, signal });
    const erasure = await this.#table.erase();
    const backups = await this.backend.keptUntil?.({ signal });
    return { erasure, ...(backups !== undefined && { backups }) };
  }

  /**
   * Erases the texts that changes of this process have replaced or removed: their lines and words are in no file of the store
   * afterwards, unless `erasure` states otherwise. It also erases the words that other processes have replaced. Its time grows with
   * the store, so that it is not a part of each change.
   *
   * @returns `undefined` when no line was replaced since the last call.
   */
  eraseReplaced(): Promise<{ readonly erasure: Erasure } | undefined> {
    return this.#table.eraseReplaced();
  }

  /** Counts the report of a reader. A change of the asset clears the reports. @throws {KnowledgeError} `UNKNOWN_ASSET`, `SECRET`. */
  async report(
    id: string,
    verdict: 'helpful' | 'wrong',
    { note, signal }: CallOptions & { readonly note?: string | undefined } = {},
  ): Promise<Asset> {
    signal?.throwIfAborted();
    const text = note?.trim() ?? '';
    if (verdict !== 'helpful' && verdict !== 'wrong') {
      throw new KnowledgeError('INVALID_INPUT', [`Invalid report ${quoted(verdict)}`, 'Use helpful or wrong.']);
    }
    if (text.length > MAX_NOTE_CHARACTERS) {
      const summary = `The note has ${text.length} characters, more than ${MAX_NOTE_CHARACTERS}`;
      throw new KnowledgeError('TOO_LARGE', [summary, 'Shorten it.']);
    }
    checkSecrets(text);
    const attempt = async (): Promise<Asset | undefined> => {
      const { row, stored } = await this.#table.find(id, { signal });
      const { reports } = assetOf(stored);
      const notes = text === '' ? reports.notes : [...reports.notes, text].slice(-MAX_NOTES);
      const next = { ...stored, reports: { ...reports, [verdict]: reports[verdict] + 1, notes } };
      const rows = [{ id: assetId(stored.fields), before: row, next }];
      return (await this.#table.commit(rows, { signal })) ? assetOf(next) : undefined;
    };
    return untilDone(attempt, { id, signal });
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
  async applyTeam(changes: readonly TeamChange[], { signal }: CallOptions = {}): Promise<TeamResult> {
    signal?.throwIfAborted();
    if (changes.length === 0) return { isDone: true };
    const ids = changes.map(({ id }) => id);
    const rows = await this.#table.read(ids, { signal });
    const pairs = changes.map((change, index) => ({ change, row: rows[index] }));
    const unexpected = await mapSlowly(pairs, ({ change: { id, version }, row }) =>
      (row && versionOf(row)) === version ? [] : [id],
    );
    if (unexpected.flat().length > 0) return { isDone: false, changed: unexpected.flat() };
    const nowMs = await this.now({ signal });
    const next = await mapSlowly(pairs, ({ change, row }): NextRow => {
      return { id: change.id, before: row, next: nextRow(row, change, nowMs) };
    });
    const changed = next.filter((row) => row.before !== undefined || row.next !== undefined);
    const result = await this.#table.write(changed, () => true, { signal });
    if (result.isDone) return result;
    return { isDone: false, changed: [ids.find((id) => rowIdOf(id) === result.id) ?? result.id] };
  }

  /** Calls a listener after each change that this process made. @returns a function that ends it. */
  onChange(listener: AssetListener): () => void {
    return this.#table.onChange(listener);
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
  addAll: ['any', callOptions],
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
