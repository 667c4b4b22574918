import type { CallOptions, Erasure, MemoryBackend } from '@cairn/memory';
import type { Asset, AssetKey, AssetOrigin } from '../assets/asset.ts';
import type { FieldChanges } from '../assets/fields.ts';
import type { AssetEdit } from '../assets/markdown.ts';
import type { AssetTerms } from './terms.ts';
import type { AssetChanges, KnownAssets, SequencedAsset } from './changes.ts';
import type { Position } from './rows.ts';
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
 * The assets of a user, in one table of a store. Multiple processes can share it: every change is atomic.
 *
 * An id is `product_line/name`; case does not matter. Besides the errors below, every call throws the `MemoryError`s of the backend,
 * such as `STORE_FULL`.
 */
export interface LocalStore {
  readonly backend: MemoryBackend;
  /** The term index of the assets. */
  readonly terms: AssetTerms;
  /** Returns the time by the clock of the store, milliseconds since the epoch. */
  readonly now: (options?: CallOptions) => Promise<number>;
  readonly get: (id: string, options?: CallOptions) => Promise<Asset | undefined>;
  readonly getMany: (ids: readonly string[], options?: CallOptions) => Promise<(Asset | undefined)[]>;
  /** Returns assets with the sequences of their rows; `undefined` for those that are missing or not readable. */
  readonly getSequenced: (ids: readonly string[], options?: CallOptions) => Promise<(SequencedAsset | undefined)[]>;
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
  /** Returns the state of the table, which differs after every change. */
  readonly position: (options?: CallOptions) => Promise<Position>;
  /** Returns the changes since a reader last read; without `known`, all assets. */
  readonly changes: (known?: KnownAssets, options?: CallOptions) => Promise<AssetChanges>;
  /** Returns all entries, or those with these ids. @throws {KnowledgeError} `STORE_FAILED` for an unreadable one. */
  readonly entries: (ids?: readonly string[], options?: CallOptions) => Promise<StoreEntry[]>;
  /** Makes all changes of a synchronization, or none. Secrets are not rejected: the team has them. */
  readonly applyTeam: (changes: readonly TeamChange[], options?: CallOptions) => Promise<TeamResult>;
  /**
   * Calls a listener after each change that this process made.
   *
   * @returns a function that ends it.
   */
  readonly onChange: (listener: AssetListener) => () => void;
}
