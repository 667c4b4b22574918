import type { CallTable, OptionNames } from '@cairn/tool/errors';
import type { CallOptions, MemoryBackend } from '@cairn/memory';
import type { Asset } from '../assets/asset.ts';
import { checkArguments } from '../errors.ts';
import type { AssetTerms } from './terms.ts';
import { readAssetChanges } from './changes.ts';
import type { AssetChanges, KnownAssets, SequencedAsset } from './changes.ts';
import { addAsset, changeAsset, removeAsset, reportAsset } from './edits.ts';
import type {
  AddOptions,
  AssetChange,
  AssetDraft,
  AssetFile,
  AssetListener,
  ChangeOptions,
  LocalStore,
  LocalStoreOptions,
} from './local-store.ts';
import { assetOf, isRemoval } from './record.ts';
import type { StoredRow } from './record.ts';
import type { Position } from './rows.ts';
import { checkReadable, mapSlowly } from './table.ts';
import type { AssetTable } from './table.ts';
import { applyTeamChanges, entryOf } from './apply-team.ts';
import type { StoreEntry, TeamChange, TeamResult } from './team-changes.ts';
import { AssetWriter } from './writer.ts';

function assetIn(stored: StoredRow | undefined): Asset | undefined {
  return stored === undefined || isRemoval(stored) ? undefined : assetOf(stored);
}

class Local implements LocalStore {
  readonly backend: MemoryBackend;
  readonly terms: AssetTerms;
  readonly #writer: AssetWriter;
  readonly #table: AssetTable;

  constructor(options: LocalStoreOptions) {
    this.backend = options.backend;
    this.#writer = new AssetWriter(options);
    this.#table = this.#writer.table;
    this.terms = this.#writer.terms;
  }

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

  async getSequenced(ids: readonly string[], options: CallOptions = {}): Promise<(SequencedAsset | undefined)[]> {
    const rows = await this.#table.read(ids, options);
    return rows.map((row) => {
      const asset = assetIn(row?.stored);
      return row && asset && { sequence: row.sequence, asset };
    });
  }

  add(draft: AssetDraft | AssetFile, options: AddOptions = {}): Promise<Asset> {
    return addAsset(this.#writer, draft, options);
  }

  change(id: string, change: AssetChange, options: ChangeOptions = {}): Promise<Asset> {
    return changeAsset(this.#writer, [id, change], options);
  }

  remove(id: string, options: ChangeOptions = {}): ReturnType<LocalStore['remove']> {
    return removeAsset(this.#writer, id, options);
  }

  eraseReplaced(): ReturnType<LocalStore['eraseReplaced']> {
    return this.#writer.eraseReplaced();
  }

  report(
    id: string,
    verdict: 'helpful' | 'wrong',
    options: CallOptions & { readonly note?: string | undefined } = {},
  ): Promise<Asset> {
    return reportAsset(this.#writer, [id, verdict], options);
  }

  position(options: CallOptions = {}): Promise<Position> {
    return this.#table.position(options);
  }

  changes(known?: KnownAssets, options: CallOptions = {}): Promise<AssetChanges> {
    return readAssetChanges(this.#table, known, options);
  }

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

  applyTeam(changes: readonly TeamChange[], options: CallOptions = {}): Promise<TeamResult> {
    return applyTeamChanges(this.#writer, changes, options);
  }

  onChange(listener: AssetListener): () => void {
    return this.#writer.onChange(listener);
  }
}

const callOptions: OptionNames<CallOptions> = { signal: 'optional' };

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
  checkArguments.options('openLocalStore', options, { backend: 'required', clock: 'optional' });
  return checkArguments.directCalls(checkArguments.calls<LocalStore>(new Local(options), storeCalls), directCalls);
}
