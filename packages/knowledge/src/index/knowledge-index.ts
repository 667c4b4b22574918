import type { CallOptions } from '@cairn/memory';
import type { Language } from '@cairn/tool/kernel';
import type { CallTable, OptionNames } from '@cairn/tool/errors';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AssetHead } from '../assets/asset.ts';
import { checkArguments } from '../errors.ts';
import { formatDocument } from './document.ts';
import type { IndexDocument } from './document.ts';
import { documentTexts } from './document-texts.ts';
import type { Entries } from './entries.ts';
import type { DocumentOptions, KnowledgeIndex, KnowledgeIndexOptions } from './index-api.ts';
import { scanEntries } from './scan-entries.ts';
import type { ScanResult } from './scan-entries.ts';
import { isListed, listHeads, MAX_LISTED } from './selection.ts';
import type { IndexFilters, IndexOverview, ListResult } from './selection.ts';
import { isSamePosition } from '../stores/rows.ts';
import { StoreReader } from './store-reader.ts';
import { hasContent, removeAbandoned, replaceFile } from './write-file.ts';

/** Changes within this time are written together. */
const FLUSH_AFTER_MS = 500;
/** Other processes may write all the time: after this number of rounds the rest waits for the next flush. */
const MAX_ROUNDS = 3;

class Index implements KnowledgeIndex {
  readonly #options: KnowledgeIndexOptions;
  readonly #path: string;
  readonly #reader: StoreReader;
  readonly #entries: Entries;
  readonly #stopListening: () => void;
  #isClosed = false;
  /** Whether the written index may differ from the store. */
  #isDue = false;
  /** Whether a change of this process is not written. */
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

  async refresh(options: CallOptions = {}): Promise<{ readonly changed: number }> {
    return { changed: await this.#reader.read(options) };
  }

  heads(): readonly AssetHead[] {
    return this.#entries.ordered().map(({ head }) => head);
  }

  head(id: string): AssetHead | undefined {
    return this.#entries.get(id)?.head;
  }

  headAt(sequence: number): AssetHead | undefined {
    return this.#entries.at(sequence)?.head;
  }

  named(name: string): readonly AssetHead[] {
    return this.#entries.named(name).map(({ head }) => head);
  }

  overview(): IndexOverview {
    return this.#entries.overview();
  }

  async scan(query: string, { signal, ...filters }: IndexFilters & CallOptions = {}): Promise<ScanResult> {
    await this.refresh({ signal });
    await this.#entries.readTerms();
    signal?.throwIfAborted();
    return scanEntries(this.#entries, query, filters);
  }

  async similar(query: string, { signal }: CallOptions = {}): ReturnType<KnowledgeIndex['similar']> {
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

  async document({ signal, maxAssets = MAX_LISTED }: DocumentOptions = {}): Promise<IndexDocument> {
    const language = await this.#readLanguage();
    await this.refresh({ signal });
    return this.#render(Math.min(maxAssets, MAX_LISTED), language);
  }

  noteOpened(): void {
    this.#isDue = true;
  }

  async flush({ signal }: CallOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    const run = this.#writing.then(() => this.#writeAll(signal));
    this.#writing = run.catch(() => undefined);
    await run;
  }

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
      this.#options.onProblem?.(error);
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
      void this.flush().catch((error: unknown) => this.#options.onProblem?.(error));
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

  /** @returns whether the written index has all that the store has. */
  async #writeOnce(signal: AbortSignal | undefined): Promise<boolean> {
    const language = await this.#readLanguage();
    await this.#reader.readOpened({ signal });
    await this.refresh({ signal });
    const written = this.#reader.position;
    const text = Buffer.from(this.#render(MAX_LISTED, language).text);
    if (!(await hasContent(this.#path, text))) await replaceFile(this.#path, text);
    await this.#reader.save({ signal });
    await this.refresh({ signal });
    return isSamePosition(this.#reader.position, written);
  }
}

const callOptions: OptionNames<CallOptions> = { signal: 'optional' };

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

/** The functions of an index that throw. */
const directCalls: CallTable<KnowledgeIndex> = {
  heads: [],
  head: ['any'],
  headAt: ['any'],
  named: ['any'],
  overview: [],
  noteOpened: [],
};

/** Opens the index of a store. Reads nothing before the first call. */
export function openIndex(options: KnowledgeIndexOptions): KnowledgeIndex {
  checkArguments.options('openIndex', options, {
    store: 'required',
    backend: 'optional',
    directory: 'required',
    language: 'optional',
    opened: 'optional',
    onProblem: 'optional',
  });
  return checkArguments.directCalls(checkArguments.calls<KnowledgeIndex>(new Index(options), indexCalls), directCalls);
}
