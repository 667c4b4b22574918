import { rankDocuments } from '@cairn/retrieval';
import type { Embed, RankNotice } from '@cairn/retrieval';
import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import { readRows } from './fact-table.ts';

/** Where records are searched. */
export interface TermSource {
  readonly key: string;
  /** Returns what a record is found by; `undefined` when it is not to be found. */
  readonly textOf: (record: string) => { readonly text: string; readonly timeMs: number } | undefined;
}

/** A record that was found. */
export interface TermHit {
  readonly source: TermSource;
  readonly sequence: number;
  readonly record: string;
  readonly score: number;
  readonly isSimilar?: true;
  readonly matched: readonly string[];
}

export interface TermQuery extends CallOptions {
  readonly query: string;
  readonly limit: number;
  readonly offset?: number | undefined;
  readonly accept?: ((record: string, source: TermSource) => boolean) | undefined;
  readonly embed?: Embed | undefined;
  readonly onNotice?: ((notice: RankNotice) => void) | undefined;
}

/** Ranks the records of several keys as one collection. */
export interface TermStore {
  readonly search: (
    sources: readonly TermSource[],
    query: TermQuery,
  ) => Promise<{ readonly hits: readonly TermHit[]; readonly searched: number; readonly hasMore: boolean }>;
  /** Removes the terms of records from the store. To be called before the records are removed. */
  readonly forget: (source: TermSource, which: 'all' | readonly number[], options?: CallOptions) => Promise<void>;
}

/** Creates a search that reads all records in each call. */
export function createScan(backend: MemoryBackend): TermStore {
  return {
    search: async (sources, { query, limit, offset = 0, accept = () => true, embed, signal, onNotice }) => {
      const documents = [];
      const byId = new Map<string, Pick<TermHit, 'source' | 'sequence' | 'record'>>();
      for (const [place, source] of sources.entries()) {
        for (const { sequence, record } of await readRows(backend, source.key, { signal })) {
          const found = accept(record, source) ? source.textOf(record) : undefined;
          if (found === undefined) continue;
          const id = `${place} ${String(sequence).padStart(16, '0')}`;
          byId.set(id, { source, sequence, record });
          documents.push({ id, ...found });
        }
      }
      const ranked = await rankDocuments(query, documents, { limit: offset + limit + 1, signal, embed, onNotice });
      const hits = ranked.slice(offset, offset + limit).flatMap(({ id, score, isSimilar, matched }): TermHit[] => {
        const found = byId.get(id);
        return found === undefined ? [] : [{ ...found, score, ...(isSimilar === true && { isSimilar }), matched }];
      });
      return { hits, searched: documents.length, hasMore: ranked.length > offset + limit };
    },
    forget: async () => undefined,
  };
}
