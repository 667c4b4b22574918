import type { CallTable, OptionNames } from '@cairn/tool/errors';
import type { CallOptions, Erasure, MemoryBackend } from '@cairn/memory';
import { createTermStore } from '@cairn/memory/terms';
import type { TermStore } from '@cairn/memory/terms';
import type { Asset, AssetKey, AssetOrigin } from '../assets/asset.ts';
import type { FieldChanges } from '../assets/fields.ts';
import { editAsset, formatAsset, parseAsset } from '../assets/markdown.ts';
import type { AssetEdit, ParsedAsset } from '../assets/markdown.ts';
import { invalidAsset } from '../assets/front-matter.ts';
import { assetId, checkName, checkProductLine, DEFAULT_PRODUCT_LINE, quoted } from '../assets/names.ts';
import { checkSecrets, hasSecret } from '../assets/secrets.ts';
import { checkArguments, KnowledgeError } from '../errors.ts';
import { assetTerms } from './asset-terms.ts';
import { readAssetChanges } from './changes.ts';
import type { AssetChanges, KnownAssets } from './changes.ts';
import { losesLines } from './lost-lines.ts';
import { assetOf, isRemoval, removalOf, rowIdOf, rowOf, uniqueOf } from './record.ts';
import type { StoredAsset } from './record.ts';
import { checkReadable, mapSlowly, readChangedRows, readRows, untilDone, versionOf, writeRows } from './table.ts';
import type { AssetRow, NextRow } from './table.ts';
import { applyTeamChange, isExpected } from './team-changes.ts';
import type { StoreEntry, TeamChange, TeamResult } from './team-changes.ts';

/** A new asset. */
export interface AssetDraft extends FieldChanges {
  readonly name: string;
  readonly type: NonNullable<FieldChanges['type']>;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
}

/** A new asset as a Markdown file. */
export interface AssetFile {
  readonly text: string;
  /** What the place of the file says. Missing fields are taken from it, and others must agree with it. */
  readonly key?: AssetKey | undefined;
  /** The file, for errors. */
  readonly path?: string | undefined;
}

export interface AddOptions extends CallOptions {
  /** @default written here */
  readonly origin?: AssetOrigin | undefined;
  /** Whether the asset is only checked. That another asset has the same body is not seen then. @default false */
  readonly dryRun?: boolean | undefined;
}

export interface ChangeOptions extends CallOptions {
  /** The hash of the text that the change is based on. @default any */
  readonly expected?: string | undefined;
  /** Whether the change is only checked. That another asset has the same body is not seen then. @default false */
  readonly dryRun?: boolean | undefined;
}

/** A change of an asset: the whole text, or fields and body. Another name or product line renames it. */
export interface AssetChange extends AssetEdit {
  readonly text?: string | undefined;
}

export interface LocalStoreOptions {
  readonly backend: MemoryBackend;
  /** Milliseconds since the epoch. @default the clock of the backend */
  readonly clock?: (() => number) | undefined;
}

/** The ids of assets that this process changed. */
export type AssetListener = (ids: readonly string[]) => void;

/**
 * The assets of a user, in one table of a store. Several processes may use it at the same time: every change is one atomic step.
 *
 * An id is `product_line/name`; case does not matter. Besides the errors below, every call throws the `MemoryError`s of the backend,
 * such as `STORE_FULL`.
 */
export interface LocalStore {
  readonly backend: MemoryBackend;
  /** The term index of the assets, for the source `assetTerms`. */
  readonly terms: TermStore;
  readonly get: (id: string, options?: CallOptions) => Promise<Asset | undefined>;
  readonly getMany: (ids: readonly string[], options?: CallOptions) => Promise<(Asset | undefined)[]>;
  /**
   * Adds an asset.
   *
   * @throws {KnowledgeError} `INVALID_ASSET`, `INVALID_NAME`, `TOO_LARGE`, `SECRET`, `ASSET_EXISTS` when the name is taken, or when
   *   another asset has the same body.
   */
  readonly add: (draft: AssetDraft | AssetFile, options?: AddOptions) => Promise<Asset>;
  /**
   * Changes an asset, and clears its reports. A rename is one atomic step. `fields.verifiedMs` confirms the asset.
   *
   * @throws {KnowledgeError} `UNKNOWN_ASSET`, `ASSET_CHANGED`, and those of `add`.
   */
  readonly change: (id: string, change: AssetChange, options?: ChangeOptions) => Promise<Asset>;
  /**
   * Erases an asset: its text is in no file of the store afterwards, unless `erasure` states otherwise.
   *
   * @throws {KnowledgeError} `UNKNOWN_ASSET`, `ASSET_CHANGED`.
   */
  readonly remove: (id: string, options?: Omit<ChangeOptions, 'dryRun'>) => Promise<{ readonly erasure: Erasure }>;
  /**
   * Erases the texts that changes of this process have replaced or removed: their lines and words are in no file of the store
   * afterwards, unless `erasure` states otherwise. It also erases the words that other processes have replaced. Its time grows with
   * the store, so that it is not a part of each change.
   *
   * @returns `undefined` when no line was replaced since the last call.
   */
  readonly eraseReplaced: () => Promise<{ readonly erasure: Erasure } | undefined>;
  /** Counts the report of a reader. A change of the asset clears the reports. @throws {KnowledgeError} `UNKNOWN_ASSET`, `SECRET`. */
  readonly report: (
    id: string,
    verdict: 'helpful' | 'wrong',
    options?: CallOptions & { readonly note?: string | undefined },
  ) => Promise<Asset>;
  /** Returns what changed since a reader last read; without `known`, all assets. */
  readonly changes: (known?: KnownAssets, options?: CallOptions) => Promise<AssetChanges>;
  /** Returns all entries, or those with these ids. @throws {KnowledgeError} `STORE_FAILED` for an unreadable one. */
  readonly entries: (ids?: readonly string[], options?: CallOptions) => Promise<StoreEntry[]>;
  /** Makes all changes of a synchronization, or none. Secrets are not refused: the team has them. */
  readonly applyTeam: (changes: readonly TeamChange[], options?: CallOptions) => Promise<TeamResult>;
  /**
   * Calls a listener after each change that this process made.
   *
   * @returns a function that ends it.
   */
  readonly onChange: (listener: AssetListener) => () => void;
}

const MAX_NOTES = 10;
const MAX_NOTE_CHARACTERS = 500;

function parseDraft(draft: AssetDraft | AssetFile): ParsedAsset {
  if ('text' in draft) {
    const { path } = draft;
    const parsed = parseAsset(draft.text, { key: draft.key, path });
    if (parsed.body.trim() === '') throw emptyBody(path);
    refuseSecrets(parsed, path);
    return parsed;
  }
  const { body, ...fields } = draft;
  const name = checkName(fields.name);
  const productLine = checkProductLine(fields.productLine ?? DEFAULT_PRODUCT_LINE);
  if (typeof body !== 'string' || body.trim() === '') throw emptyBody();
  const parsed = parseAsset(formatAsset({ ...fields, name, productLine }, body));
  refuseSecrets(parsed);
  return parsed;
}

/** @throws {KnowledgeError} `SECRET`. */
function refuseSecrets({ text, fields }: ParsedAsset, path?: string): void {
  checkSecrets(text, { path });
  // YAML can write a character as its number.
  if (!hasSecret([fields.title, ...fields.tags, ...fields.paths].join('\n'))) return;
  const summary = `The front matter${path === undefined ? '' : ` of ${path}`} seems to have a secret`;
  throw new KnowledgeError('SECRET', [summary, 'Replace it by a placeholder such as <token>.'], { path });
}

function emptyBody(path?: string): KnowledgeError {
  return invalidAsset(['it has no body', 'Write Markdown below the front matter.'], { path });
}

function unknownAsset(id: string): KnowledgeError {
  return new KnowledgeError(
    'UNKNOWN_ASSET',
    [`Unknown asset ${quoted(id)}`, 'List or search the assets to get their ids.'],
    {
      assets: [id],
    },
  );
}

function isSameRow(left: string, right: string): boolean {
  return rowIdOf(left) === rowIdOf(right);
}

const callOptions: OptionNames<CallOptions> = { signal: 'optional' };

const storeCalls: CallTable<LocalStore> = {
  get: ['any', callOptions],
  getMany: ['any', callOptions],
  add: ['any', { ...callOptions, origin: 'optional', dryRun: 'optional' }],
  change: [
    'any',
    { text: 'optional', fields: 'optional', body: 'optional' },
    { ...callOptions, expected: 'optional', dryRun: 'optional' },
  ],
  remove: ['any', { ...callOptions, expected: 'optional' }],
  report: ['any', 'any', { ...callOptions, note: 'optional' }],
  changes: ['any', callOptions],
  entries: ['any', callOptions],
  applyTeam: ['any', callOptions],
};

/** Opens the local store over a backend, which the caller closes. */
export function openLocalStore(options: LocalStoreOptions): LocalStore {
  checkArguments.options('openLocalStore', options, { backend: 'required', clock: 'optional' });
  const { backend, clock } = options;
  const listeners = new Set<AssetListener>();
  const terms = createTermStore({ backend });
  const nowOf = async ({ signal }: CallOptions): Promise<number> => clock?.() ?? backend.now({ signal });

  const notify = (ids: readonly string[]): void => {
    for (const listener of listeners) listener(ids);
  };

  /** The writes that replaced lines, and the number of those that are erased. */
  let [replaced, erased] = [0, 0];
  const noteReplaced = (rows: readonly NextRow[]): void => {
    const isLost = losesLines(
      rows.map(({ before }) => before?.stored),
      rows.map(({ next }) => next),
    );
    if (isLost) replaced += 1;
  };

  const readRow = async (id: string, options: CallOptions): Promise<AssetRow | undefined> => {
    const [row] = await readRows(backend, [id], options);
    return row;
  };

  /** @throws {KnowledgeError} `UNKNOWN_ASSET`, `ASSET_CHANGED`. */
  const findRow = async (
    id: string,
    { expected, signal }: ChangeOptions,
  ): Promise<{ readonly row: AssetRow; readonly stored: StoredAsset }> => {
    const row = await readRow(id, { signal });
    const stored = row && checkReadable(row);
    if (row === undefined || stored === undefined || isRemoval(stored)) throw unknownAsset(id);
    if (expected === undefined || expected === stored.hash) return { row, stored };
    const summary = `The asset ${quoted(id)} was changed after it was read`;
    throw new KnowledgeError(
      'ASSET_CHANGED',
      [summary, 'It was not overwritten; read it again, then repeat the change.'],
      {
        assets: [id],
      },
    );
  };

  /**
   * Writes rows; `undefined` when another process was first. Bodies that were there before, such as those that the team store has
   * twice, may stay equal to others.
   *
   * @throws {KnowledgeError} `ASSET_EXISTS`.
   */
  const tryChange = async (rows: readonly NextRow[], options: CallOptions): Promise<true | undefined> => {
    const present = new Set(rows.map(({ before }) => before?.stored && uniqueOf(before.stored)));
    const result = await writeRows(backend, rows, { mayBeEqual: (unique) => present.has(unique), ...options });
    if (result.isDone) return true;
    if (result.reason === 'changed') return undefined;
    const owner = await readRow(result.id, options);
    const other = owner?.stored === undefined || isRemoval(owner.stored) ? result.id : assetOf(owner.stored).id;
    const summary = `Another asset has exactly this text: ${other}`;
    throw new KnowledgeError('ASSET_EXISTS', [summary, 'Use or change that asset. Nothing was written.'], {
      assets: [other],
    });
  };

  /** Returns the row that a new asset takes over: none, or that of a removed one. @throws {KnowledgeError} `ASSET_EXISTS`. */
  const freeRow = async (id: string, options: CallOptions): Promise<AssetRow | undefined> => {
    const row = await readRow(id, options);
    const stored = row && checkReadable(row);
    if (stored === undefined || isRemoval(stored)) return row;
    const other = assetOf(stored).id;
    const summary = `The asset ${quoted(other)} exists`;
    throw new KnowledgeError('ASSET_EXISTS', [summary, 'Change that asset, or use another name.'], { assets: [other] });
  };

  const add: LocalStore['add'] = async (draft, options = {}) => {
    const { origin = { kind: 'local' } as const, dryRun = false, signal } = options;
    signal?.throwIfAborted();
    const parsed = parseDraft(draft);
    const stored = await untilDone(
      async () => {
        const before = await freeRow(parsed.id, { signal });
        const nowMs = await nowOf({ signal });
        const { team, conflict } = before?.stored ?? {};
        const next = rowOf(parsed, { createdMs: nowMs, changedMs: nowMs, origin, team, conflict });
        return dryRun ? next : (await tryChange([{ id: parsed.id, before, next }], { signal })) && next;
      },
      { id: parsed.id, signal },
    );
    if (!dryRun) notify([parsed.id]);
    return assetOf(stored);
  };

  /** Returns the rows of a changed asset that gets another id. */
  const renameRows = async (
    { row, stored }: { readonly row: AssetRow; readonly stored: StoredAsset },
    {
      next,
      id,
      nowMs,
      signal,
    }: CallOptions & { readonly next: StoredAsset; readonly id: string; readonly nowMs: number },
  ): Promise<readonly [next: StoredAsset, rows: NextRow[]]> => {
    const free = await freeRow(id, { signal });
    const { team, conflict } = stored;
    const removal = team && removalOf(stored.fields, { removedMs: nowMs, team, conflict });
    const moved: StoredAsset = { ...next, team: free?.stored?.team, conflict: free?.stored?.conflict };
    return [
      moved,
      [
        { id: row.rowId, before: row, next: removal },
        { id, before: free, next: moved },
      ],
    ];
  };

  const change: LocalStore['change'] = async (id, { text, fields, body }, options = {}) => {
    const { signal } = options;
    signal?.throwIfAborted();
    if (fields?.name !== undefined) checkName(fields.name);
    if (fields?.productLine !== undefined) checkProductLine(fields.productLine);
    const ids = new Set<string>();
    const changed = await untilDone(
      async (): Promise<StoredAsset | undefined> => {
        const found = await findRow(id, options);
        const { row, stored } = found;
        const edited = editAsset(text ?? stored.text, { fields, body });
        const isSame = edited === stored.text;
        // Somebody may confirm it twice in a day.
        const isConfirmed = typeof fields?.verifiedMs === 'number' && stored.reports !== undefined;
        if (isSame && !isConfirmed) return stored;
        const parsed = parseAsset(edited);
        if (parsed.body.trim() === '') throw emptyBody();
        refuseSecrets(parsed);
        const nowMs = await nowOf({ signal });
        const { createdMs, origin, team, conflict } = stored;
        const changedMs = isSame ? stored.changedMs : nowMs;
        const next = rowOf(parsed, { createdMs, changedMs, origin, team, conflict });
        const own = assetId(stored.fields);
        const [written, rows] = isSameRow(parsed.id, own)
          ? [next, [{ id: own, before: row, next }]]
          : await renameRows(found, { next, id: parsed.id, nowMs, signal });
        if (options.dryRun === true) return written;
        if ((await tryChange(rows, { signal })) === undefined) return undefined;
        noteReplaced(rows);
        ids.add(own).add(parsed.id);
        return written;
      },
      { id, signal },
    );
    if (ids.size > 0) notify([...ids]);
    return assetOf(changed);
  };

  const remove: LocalStore['remove'] = async (id, options = {}) => {
    const { signal } = options;
    signal?.throwIfAborted();
    const covered = replaced;
    const own = await untilDone(
      async () => {
        const row = await readRow(id, { signal });
        // An unreadable one is removed whole.
        const { stored } =
          row !== undefined && row.stored === undefined ? { stored: undefined } : await findRow(id, options);
        if (row === undefined) return undefined;
        // Before the row: a kill in between costs nothing but time.
        await terms.forget(assetTerms, [row.sequence], { signal });
        const { team, conflict, fields } = stored ?? {};
        const removal = team && fields && removalOf(fields, { removedMs: await nowOf({ signal }), team, conflict });
        const isDone = await tryChange([{ id: row.rowId, before: row, next: removal }], { signal });
        return isDone && (fields === undefined ? row.rowId : assetId(fields));
      },
      { id, signal },
    );
    notify([own]);
    const erasure = await backend.erase();
    erased = Math.max(erased, covered);
    return { erasure };
  };

  const eraseReplaced: LocalStore['eraseReplaced'] = async () => {
    const covered = replaced;
    if (erased === covered) return undefined;
    // Those of all records that are gone.
    await terms.forget(assetTerms, []);
    const erasure = await backend.erase();
    erased = Math.max(erased, covered);
    return { erasure };
  };

  const report: LocalStore['report'] = async (id, verdict, { note, signal } = {}) => {
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
    const stored = await untilDone(
      async () => {
        const { row, stored: before } = await findRow(id, { signal });
        const { helpful, wrong, notes } = assetOf(before).reports;
        const reports = {
          helpful: helpful + (verdict === 'helpful' ? 1 : 0),
          wrong: wrong + (verdict === 'wrong' ? 1 : 0),
          notes: text === '' ? notes : [...notes, text].slice(-MAX_NOTES),
        };
        const next = { ...before, reports };
        const rows = [{ id: row.rowId, before: row, next }];
        if ((await tryChange(rows, { signal })) === undefined) return undefined;
        noteReplaced(rows);
        return next;
      },
      { id, signal },
    );
    const asset = assetOf(stored);
    notify([asset.id]);
    return asset;
  };

  const entryOf = (row: AssetRow): StoreEntry => {
    const stored = checkReadable(row);
    const { team, conflict } = stored;
    return {
      id: assetId(isRemoval(stored) ? stored.removed : stored.fields),
      version: versionOf(row.record),
      ...(isRemoval(stored) ? { removedMs: stored.removedMs } : { asset: assetOf(stored) }),
      ...(team !== undefined && { team }),
      ...(conflict !== undefined && { conflict }),
    };
  };

  const applyTeam: LocalStore['applyTeam'] = async (changes, { signal } = {}) => {
    signal?.throwIfAborted();
    if (changes.length === 0) return { isDone: true };
    const before = await readRows(
      backend,
      changes.map(({ id }) => id),
      { signal },
    );
    const pairs = changes.map((one, index) => ({ one, row: before[index] }));
    const expected = await mapSlowly(pairs, ({ one, row }) => isExpected(row, one.version));
    const unexpected = changes.flatMap(({ id }, index) => (expected[index] === true ? [] : [id]));
    if (unexpected.length > 0) return { isDone: false, changed: unexpected };
    const gone = changes.flatMap(({ text }, index) => (text === null ? (before[index]?.sequence ?? []) : []));
    // As for `remove`: the words of a removed text must not stay in the term index.
    if (gone.length > 0) await terms.forget(assetTerms, gone, { signal });
    const nowMs = await nowOf({ signal });
    const next = await mapSlowly(pairs, ({ one, row }): NextRow => {
      return { id: one.id, before: row, next: applyTeamChange(row, one, nowMs) };
    });
    const rows = next.filter((row) => row.before !== undefined || row.next !== undefined);
    const result = await writeRows(backend, rows, { mayBeEqual: () => true, signal });
    if (!result.isDone) {
      const own = changes.find((one) => isSameRow(one.id, result.id));
      return { isDone: false, changed: [own?.id ?? result.id] };
    }
    noteReplaced(rows);
    notify(changes.map(({ id }) => id));
    return { isDone: true };
  };

  const api: LocalStore = {
    backend,
    terms,
    get: async (id, options = {}) => {
      const row = await readRow(id, options);
      const stored = row && checkReadable(row);
      return stored === undefined || isRemoval(stored) ? undefined : assetOf(stored);
    },
    getMany: async (ids, options = {}) => {
      const rows = await readRows(backend, ids, options);
      return rows.map((row) => {
        const stored = row && checkReadable(row);
        return stored === undefined || isRemoval(stored) ? undefined : assetOf(stored);
      });
    },
    add,
    change,
    remove,
    eraseReplaced,
    report,
    changes: (known, options = {}) => readAssetChanges(backend, known, options),
    entries: async (ids, { signal } = {}) => {
      const rows =
        ids === undefined
          ? (await readChangedRows(backend, { after: 0, signal })).rows
          : await readRows(backend, ids, { signal });
      return mapSlowly(
        rows.filter((row) => row !== undefined),
        entryOf,
      );
    },
    applyTeam,
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return checkArguments.calls(api, storeCalls);
}
