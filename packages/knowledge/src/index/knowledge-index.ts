import type { CallOptions } from '@cairn/memory';
import type { Language } from '@cairn/tool/kernel';
import type { CallTable, OptionNames } from '@cairn/tool/errors';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AssetHead } from '../assets/asset.ts';
import { teamGlossaryPath } from '../directory.ts';
import { callOptions, checkArguments } from '../errors.ts';
import { formatDocument, type IndexDocument } from './document.ts';
import { documentTexts } from './document-texts.ts';
import type { Entries, ScanResult } from './entries.ts';
import { isListed, listHeads, MAX_LISTED } from './selection.ts';
import type { IndexFilters, IndexOverview, ListResult } from './selection.ts';
import { isSamePosition } from '../stores/rows.ts';
import { StoreReader, type ReaderOptions } from './store-reader.ts';
import { removeAbandoned, replaceFile } from './write-file.ts';

/** Changes within this time are written together. */
const FLUSH_AFTER_MS = 500;
/** Other processes may write all the time: after this number of rounds the rest waits for the next flush. */
const MAX_ROUNDS = 3;

export interface KnowledgeIndexOptions extends Omit<ReaderOptions, 'onMoved'> {
  /** The knowledge directory, which has `AGENTS-INDEX.md`. */
  readonly directory: string;
  /** The language of `AGENTS-INDEX.md`. @default the language of the present file, otherwise 'en' */
  readonly language?: Language | undefined;
}

class Index {
  readonly #options: KnowledgeIndexOptions;
  readonly #path: string;
  readonly #reader: StoreReader;
  readonly #entries: Entries;
  readonly #stopListening: () => void;
  #isClosed = false;
  #isDue = false;
  #hasOwnChange = false;
  #timer: NodeJS.Timeout | undefined;
  #isCleaned = false;
  #isWriting = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: KnowledgeIndexOptions) {
    this.#options = options;
    this.#path = join(options.directory, 'AGENTS-INDEX.md');
    this.#reader = new StoreReader({
      ...options,
      onMoved: () => {
        if (!this.#isWriting) this.#schedule();
      },
    });
    this.#entries = this.#reader.entries;
    this.#stopListening = options.store.onChange(() => {
      this.#hasOwnChange = true;
      this.#schedule();
    });
  }

  /** Reads what changed in the store. Returns the number of assets that changed or are gone. */
  async refresh(options: CallOptions = {}): Promise<{ readonly changed: number }> {
    return { changed: await this.#reader.read(options) };
  }

  /** Returns all assets as of the last call, skills and deprecated ones too, in the order of the index. */
  heads(): readonly AssetHead[] {
    return this.#entries.ordered().map(({ head }) => head);
  }

  /** Returns an asset as of the last call by its id, in any case. */
  head(id: string): AssetHead | undefined {
    return this.#entries.get(id)?.head;
  }

  /** Returns the asset with this sequence in the store as of the last call. */
  headAt(sequence: number): AssetHead | undefined {
    return this.#entries.at(sequence)?.head;
  }

  /** Returns the assets with this name or id as of the last call, whatever its case and the characters that join its words. */
  named(name: string): readonly AssetHead[] {
    return this.#entries.named(name).map(({ head }) => head);
  }

  /** Returns the numbers of all assets, and those that the team store lacks, as of the last call. */
  overview(): IndexOverview {
    return this.#entries.overview();
  }

  /** Returns the relations of words in all glossary assets as of the last call, in the format of `parseGlossary`. */
  glossary(): string {
    return this.#entries.glossary();
  }

  /** Finds assets by the words of a query, which is plain text, in name, title and tags. */
  async scan(query: string, { signal, ...filters }: IndexFilters & CallOptions = {}): Promise<ScanResult> {
    await this.refresh({ signal });
    await this.#entries.readTerms();
    signal?.throwIfAborted();
    return this.#entries.scan(query, filters);
  }

  /**
   * Finds assets by words of name, title and tags that are spelled like a word of the query, with the share of the query that is like
   * them.
   */
  async similar(
    query: string,
    { signal }: CallOptions = {},
  ): Promise<readonly { readonly head: AssetHead; readonly share: number }[]> {
    await this.refresh({ signal });
    await this.#entries.readTerms();
    this.#entries.ordered();
    const found = [...(await this.#entries.similar(query))];
    signal?.throwIfAborted();
    return found
      .toSorted(([left, most], [right, share]) => share - most || left.rank - right.rank)
      .map(([{ head }, share]) => ({ head, share }));
  }

  async list({ signal, ...filters }: IndexFilters & CallOptions = {}): Promise<ListResult> {
    await this.refresh({ signal });
    return listHeads(this.heads(), filters);
  }

  /** Returns `AGENTS-INDEX.md`, with at most `maxAssets` lines and never more than 200. */
  async document(options: CallOptions & { readonly maxAssets?: number | undefined } = {}): Promise<IndexDocument> {
    const { signal, maxAssets = MAX_LISTED } = options;
    const language = await this.#readLanguage();
    await this.refresh({ signal });
    return this.#render(Math.min(maxAssets, MAX_LISTED), language);
  }

  /** Notes that an asset was opened, which may change the order: the index is written at the end, or with the next change. */
  noteOpened(): void {
    this.#isDue = true;
  }

  /** Writes the index, if it differs. @throws {KnowledgeError} `STORE_FAILED`; the old file stays. */
  async flush({ signal }: CallOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    const run = this.#writing.then(() => this.#writeAll(signal));
    this.#writing = run.catch(() => undefined);
    await run;
  }

  /** Writes what is scheduled, and ends. May be called twice. @throws {KnowledgeError} `STORE_FAILED`. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopListening();
    clearTimeout(this.#timer);
    await this.#writing;
    if (!this.#isDue) return;
    try {
      await this.flush();
    } catch (error) {
      // A reader who cannot write, such as one of a read-only directory, needs no file.
      if (this.#hasOwnChange) throw error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #schedule(): void {
    this.#isDue = true;
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // The next change tries it again.
      void this.flush().catch(() => undefined);
    }, FLUSH_AFTER_MS);
  }

  /** A program that has no language of its own, such as a command, keeps the language of the file. */
  async #readLanguage(): Promise<Language> {
    if (this.#options.language !== undefined) return this.#options.language;
    const text = await readFile(this.#path, 'utf8').catch(() => '');
    return text.startsWith(`${documentTexts.zh.title}\n`) ? 'zh' : 'en';
  }

  #render(maxAssets: number, language: Language): IndexDocument {
    const lines: string[] = [];
    for (const { head, line } of this.#entries.ordered()) {
      if (lines.length >= maxAssets) break;
      if (isListed(head)) lines.push(line);
    }
    return formatDocument({ lines, ...this.#entries.overview(), language });
  }

  async #writeAll(signal: AbortSignal | undefined): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const hadOwnChange = this.#hasOwnChange;
    this.#isDue = false;
    this.#hasOwnChange = false;
    this.#isWriting = true;
    try {
      if (!this.#isCleaned) await removeAbandoned(this.#path);
      this.#isCleaned = true;
      // Another process may have replaced the file by an older one meanwhile; the last one reads the store again.
      for (let round = 0; round < MAX_ROUNDS; round++) if (await this.#writeOnce(signal)) return;
      this.#schedule();
    } catch (error) {
      this.#isDue = true;
      this.#hasOwnChange ||= hadOwnChange;
      throw error;
    } finally {
      this.#isWriting = false;
    }
  }

  /** Writes the relations of words for programs that do not open the store. Most teams have none, and no file. */
  async #writeGlossary(): Promise<void> {
    const path = teamGlossaryPath(this.#options.directory);
    const text = this.#entries.glossary();
    if (text !== '' || existsSync(path)) await replaceFile(path, Buffer.from(text));
  }

  /** @returns whether the written index has all that the store has. */
  async #writeOnce(signal: AbortSignal | undefined): Promise<boolean> {
    const language = await this.#readLanguage();
    await this.#reader.readOpened({ signal });
    await this.refresh({ signal });
    const written = this.#reader.position;
    await replaceFile(this.#path, Buffer.from(this.#render(MAX_LISTED, language).text));
    await this.#writeGlossary();
    await this.#reader.save({ signal });
    await this.refresh({ signal });
    return isSamePosition(this.#reader.position, written);
  }
}

/**
 * The index of all assets: their fields without their texts. It follows the store, which other processes change too: every
 * asynchronous call first reads what changed since the last one. Changes of this process are written to `AGENTS-INDEX.md`
 * within a second.
 */
export type KnowledgeIndex = Pick<Index, keyof Index>;

const selection: OptionNames<IndexFilters> = {
  productLine: 'optional',
  type: 'optional',
  stack: 'optional',
  onlyMatching: 'optional',
};

const indexCalls: CallTable<KnowledgeIndex> = {
  refresh: [callOptions],
  scan: ['any', { ...selection, ...callOptions }],
  similar: ['any', callOptions],
  list: [{ ...selection, ...callOptions }],
  document: [{ ...callOptions, maxAssets: 'optional' }],
  flush: [callOptions],
  close: [],
};

const directCalls: CallTable<KnowledgeIndex> = {
  heads: [],
  head: ['any'],
  headAt: ['any'],
  named: ['any'],
  overview: [],
  glossary: [],
  noteOpened: [],
};

/** Opens the index of a store. Reads nothing before the first call. */
export function openIndex(options: KnowledgeIndexOptions): KnowledgeIndex {
  return checkArguments.directCalls(checkArguments.calls<KnowledgeIndex>(new Index(options), indexCalls), directCalls);
}
