import type { CallOptions, MemoryBackend } from '@cairn/memory';
import type { Language } from '@cairn/tool/kernel';
import type { AssetHead } from '../assets/asset.ts';
import type { LocalStore } from '../stores/local-store.ts';
import type { IndexDocument } from './document.ts';
import type { ScanResult } from './scan-entries.ts';
import type { IndexFilters, IndexOverview, ListResult } from './selection.ts';

export interface KnowledgeIndexOptions {
  readonly store: Pick<LocalStore, 'changes' | 'onChange'>;
  /** Keeps the index for the next process. @default the next process reads all assets */
  readonly backend?: MemoryBackend | undefined;
  /** The knowledge directory, which has `AGENTS-INDEX.md`. */
  readonly directory: string;
  /** The language of `AGENTS-INDEX.md`. @default the language of the present file, otherwise 'en' */
  readonly language?: Language | undefined;
  /** Returns the number of times that each asset was opened, by id. Called before the index is written. */
  readonly opened?: ((options: CallOptions) => Promise<ReadonlyMap<string, number>>) | undefined;
  /** Is called when the index cannot be written in the background. The next change tries it again. @default nothing */
  readonly onProblem?: ((error: unknown) => void) | undefined;
}

export interface DocumentOptions extends CallOptions {
  /** The most lines, at most 200. @default 200 */
  readonly maxAssets?: number | undefined;
}

/**
 * The index of all assets: their fields without their texts. It follows the store, which other processes change too: every
 * asynchronous call first reads what changed since the last one. Changes of this process are written to `AGENTS-INDEX.md`
 * within a second.
 */
export interface KnowledgeIndex extends AsyncDisposable {
  /** Reads what changed in the store. Returns the number of assets that changed or are gone. */
  readonly refresh: (options?: CallOptions) => Promise<{ readonly changed: number }>;
  /** Returns all assets as of the last call, skills and deprecated ones too, in the order of the index. */
  readonly heads: () => readonly AssetHead[];
  /** Returns an asset as of the last call by its id, in any case. */
  readonly head: (id: string) => AssetHead | undefined;
  /** Returns the asset with this sequence in the store as of the last call. */
  readonly headAt: (sequence: number) => AssetHead | undefined;
  /** Returns the assets with this name or id as of the last call, whatever its case and the characters that join its words. */
  readonly named: (name: string) => readonly AssetHead[];
  /** Returns the numbers of all assets, and those that the team store lacks, as of the last call. */
  readonly overview: () => IndexOverview;
  /** Finds assets by the words of a query, which is plain text, in name, title and tags. */
  readonly scan: (query: string, options?: IndexFilters & CallOptions) => Promise<ScanResult>;
  /**
   * Finds assets by words of name, title and tags that are spelled like a word of the query, with the share of the query that is like
   * them.
   */
  readonly similar: (
    query: string,
    options?: CallOptions,
  ) => Promise<readonly { readonly head: AssetHead; readonly share: number }[]>;
  /** Lists the assets that the filters select. */
  readonly list: (options?: IndexFilters & CallOptions) => Promise<ListResult>;
  /** Returns `AGENTS-INDEX.md`. */
  readonly document: (options?: DocumentOptions) => Promise<IndexDocument>;
  /** Notes that an asset was opened, which may change the order: the index is written at the end, or with the next change. */
  readonly noteOpened: () => void;
  /** Writes the index, if it differs. @throws {KnowledgeError} `STORE_FAILED`; the old file stays. */
  readonly flush: (options?: CallOptions) => Promise<void>;
  /** Writes what is scheduled, and ends. May be called twice. @throws {KnowledgeError} `STORE_FAILED`. */
  readonly close: () => Promise<void>;
}
