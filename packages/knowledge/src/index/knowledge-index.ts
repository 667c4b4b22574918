import type { Language } from '@cairn/tool/kernel';
import type { IndexFilters } from './selection.ts';
import type { CallTable, OptionNames } from '@cairn/tool/errors';
import { checkArguments } from '../errors.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { stackMatcherOf } from '../stack/match-stack.ts';
import { headOf } from '../stores/record.ts';
import { databaseState } from './database-state.ts';
import { formatDocument } from './document.ts';
import type { IndexDocument } from './document.ts';
import { documentTexts } from './document-texts.ts';
import { Entries } from './entries.ts';
import type { KnowledgeIndex, KnowledgeIndexOptions } from './index-api.ts';
import { indexFilePath } from './index-file.ts';
import { loadIndexFile, renderIndexFile } from './index-file-writer.ts';
import type { Covered } from './index-file-writer.ts';
import { scanEntries } from './scan-entries.ts';
import { createFilter, isListed, MAX_LISTED } from './selection.ts';
import { hasContent, removeAbandoned, replaceFile } from './write-file.ts';

/** Changes within this time are written together. */
const FLUSH_AFTER_MS = 500;
/** Other processes may write all the time: after this number of rounds the rest waits for the next flush. */
const MAX_ROUNDS = 3;

const callOptions = { signal: 'optional' } as const;

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
};

/** The functions of an index that throw. */
const indexDirectCalls: CallTable<KnowledgeIndex> = { schedule: [{ atClose: 'optional' }] };

/** Opens the index of a store. Reads nothing before the first call. */
export function openIndex(options: KnowledgeIndexOptions): KnowledgeIndex {
  checkArguments.options('openIndex', options, {
    store: 'required',
    directory: 'required',
    language: 'optional',
    database: 'optional',
    opened: 'optional',
    extra: 'optional',
    onProblem: 'optional',
  });
  const { store, directory, database, onProblem = () => undefined } = options;
  const documentPath = join(directory, 'AGENTS-INDEX.md');
  const filePath = indexFilePath(directory);
  const entries = new Entries();
  let covered: Covered | undefined;
  let isLoaded = false;
  /** Whether `index.jsonl` could not be read. */
  let isDamaged = false;
  let isClosed = false;
  /** Whether the files may differ from the store. */
  let isDue = false;
  /** Whether a change of this process is not in the files. */
  let hasOwnChange = false;
  let timer: NodeJS.Timeout | undefined;
  let isCleaned = false;
  let isWriting = false;

  const readOpened = async (signal?: AbortSignal): Promise<void> => {
    if (options.opened !== undefined) entries.opened = await options.opened({ signal });
  };

  /**
   * Whether the store has what the file covers. An older copy of the store may have been put back and changed since: then the newest
   * asset of the file is another one there, or others are as new.
   */
  const isHistory = async ({ epoch, sequence }: Covered): Promise<boolean> => {
    const before = Math.min(sequence, (entries.newest()?.sequence ?? 1) - 1);
    const { changed } = await store.changes({ epoch, sequence: before, sequences: entries.sequences });
    return changed.every(
      (one) => one.sequence > sequence || isDeepStrictEqual(headOf(one.asset), entries.at(one.sequence)?.head),
    );
  };

  const readChanges = async (): Promise<number> => {
    if (!isLoaded) {
      covered = await loadIndexFile(directory, entries);
      // The file has the counts as of the last time that it was written.
      if (covered === undefined) await readOpened();
      isLoaded = true;
      isDamaged = covered === undefined;
      if (covered !== undefined && !(await isHistory(covered))) {
        entries.clear();
        covered = undefined;
        isDamaged = true;
      }
    }
    const known = covered && { ...covered, sequences: entries.sequences };
    let changes = await store.changes(known);
    const hasChanged = covered?.epoch !== changes.epoch || covered.sequence !== changes.sequence;
    // Only reading all rows shows which of them are still not readable.
    if (changes.isContinued && (changes.unreadable.length > 0 || (hasChanged && entries.unreadable > 0))) {
      changes = await store.changes();
    }
    const { epoch, sequence, isContinued, changed, removed, unreadable } = changes;
    if (!isContinued) {
      entries.clear();
      entries.unreadable = unreadable.length;
    }
    for (const id of removed) entries.delete(id);
    for (const one of changed) entries.set(headOf(one.asset), one.sequence);
    if (!isWriting && hasChanged) schedule();
    covered = { epoch, sequence };
    return changed.length + removed.length;
  };

  let reading: Promise<number> | undefined;
  let readingNext: Promise<number> | undefined;
  /** A call joins the next reading, and not the one that has begun: that one may not see what was written before the call. */
  const read = (): Promise<number> => {
    if (reading === undefined) {
      reading = readChanges().finally(() => {
        reading = undefined;
      });
      return reading;
    }
    readingNext ??= reading
      .catch(() => undefined)
      .then(() => {
        readingNext = undefined;
        return read();
      });
    return readingNext;
  };

  const refresh: KnowledgeIndex['refresh'] = async ({ signal } = {}) => {
    signal?.throwIfAborted();
    const changed = await read();
    signal?.throwIfAborted();
    return { changed };
  };

  /** A program that has no language of its own, such as a command, keeps that of the one that does. */
  const readLanguage = async (): Promise<Language> => {
    if (options.language !== undefined) return options.language;
    const text = await readFile(documentPath, 'utf8').catch(() => '');
    return text.startsWith(`${documentTexts.zh.title}\n`) ? 'zh' : 'en';
  };

  const render = (maxAssets: number, language: Language): IndexDocument => {
    const lines: string[] = [];
    for (const { head, line } of entries.ordered()) {
      if (lines.length >= maxAssets) break;
      if (isListed(head)) lines.push(line);
    }
    return formatDocument({ lines, ...entries.overview(), language });
  };

  /** Writes the files once. @returns whether they have all that the store has. */
  const writeFiles = async (signal: AbortSignal | undefined): Promise<boolean> => {
    // Before the store is read: what is written in between makes the state an old one, and not a wrong one.
    const state = database === undefined ? null : databaseState(database);
    const extra = await options.extra?.({ signal });
    const language = await readLanguage();
    await readOpened(signal);
    await refresh({ signal });
    const written = covered;
    if (written === undefined) return false;
    const text = Buffer.from(render(MAX_LISTED, language).text);
    if (!(await hasContent(documentPath, text))) await replaceFile(documentPath, text);
    const { data, startBytes } = await renderIndexFile(entries, { ...written, database: state, extra });
    // Its start has the state that all of it is made of.
    const isWritten = !isDamaged && (await hasContent(filePath, data.subarray(0, startBytes), data.length));
    if (!isWritten) await replaceFile(filePath, data);
    isDamaged = false;
    await refresh({ signal });
    return covered?.epoch === written.epoch && covered.sequence === written.sequence;
  };

  const writeAll = async (signal: AbortSignal | undefined): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const hadOwnChange = hasOwnChange;
    isDue = false;
    hasOwnChange = false;
    isWriting = true;
    try {
      if (!isCleaned) await removeAbandoned([documentPath, filePath]);
      isCleaned = true;
      // Another process may have replaced the files by older ones meanwhile; the last one reads the store again.
      for (let round = 0; round < MAX_ROUNDS; round++) if (await writeFiles(signal)) return;
      schedule();
    } catch (error) {
      isDue = true;
      hasOwnChange ||= hadOwnChange;
      throw error;
    } finally {
      isWriting = false;
    }
  };

  let writing: Promise<void> = Promise.resolve();
  const flush: KnowledgeIndex['flush'] = async ({ signal } = {}) => {
    signal?.throwIfAborted();
    const run = writing.then(() => writeAll(signal));
    writing = run.catch(() => undefined);
    await run;
  };

  function schedule({ atClose = false }: { readonly atClose?: boolean | undefined } = {}): void {
    isDue = true;
    if (isClosed || atClose) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      void flush().catch(onProblem);
    }, FLUSH_AFTER_MS);
  }

  const stop = store.onChange(() => {
    hasOwnChange = true;
    schedule();
  });

  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    stop();
    clearTimeout(timer);
    await writing;
    if (!isDue) return;
    try {
      await flush();
    } catch (error) {
      // A reader who cannot write, such as one of a read-only directory, needs no files.
      if (hasOwnChange) throw error;
      onProblem(error);
    }
  };

  const api: KnowledgeIndex = {
    refresh,
    heads: () => entries.ordered().map(({ head }) => head),
    head: (id) => entries.get(id)?.head,
    headAt: (sequence) => entries.at(sequence)?.head,
    named: (name) => entries.named(name).map(({ head }) => head),
    overview: () => entries.overview(),
    scan: async (query, { signal, ...filters } = {}) => {
      await refresh({ signal });
      await entries.readTerms();
      signal?.throwIfAborted();
      return scanEntries(entries, query, filters);
    },
    similar: async (query, { signal } = {}) => {
      await refresh({ signal });
      await entries.readTerms();
      entries.ordered();
      const found = [...(await entries.similar(query))];
      signal?.throwIfAborted();
      return found
        .toSorted(([left, most], [right, share]) => share - most || left.rank - right.rank)
        .map(([{ head }, share]) => ({ head, share }));
    },
    list: async ({ signal, ...filters } = {}) => {
      await refresh({ signal });
      const ordered = entries.ordered().map(({ head }) => head);
      const heads = ordered.filter(createFilter(filters));
      const matches = filters.stack && stackMatcherOf(filters.stack);
      const [first, rest] = [true, false].map((isFirst) =>
        heads.filter(({ productLine }) => (matches?.(productLine) ?? false) === isFirst),
      );
      return {
        heads: [...(first ?? []), ...(rest ?? [])],
        total: ordered.length,
        otherLines: ordered.filter(createFilter({ ...filters, onlyMatching: false })).length - heads.length,
      };
    },
    document: async ({ signal, maxAssets = MAX_LISTED } = {}) => {
      const language = await readLanguage();
      await refresh({ signal });
      return render(Math.min(maxAssets, MAX_LISTED), language);
    },
    schedule,
    flush,
    close,
    [Symbol.asyncDispose]: close,
  };
  return checkArguments.calls(checkArguments.directCalls(api, indexDirectCalls), indexCalls);
}
