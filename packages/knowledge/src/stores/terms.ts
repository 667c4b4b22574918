/** The term index of the assets' content, which a store of `@cairn/memory` keeps. All access to it is here. */
import type { CallOptions, MemoryBackend } from '@cairn/memory';
import { createTermStore } from '@cairn/memory/terms';
import type { TermSource, TermStore } from '@cairn/memory/terms';
import type { RankNotice } from '@cairn/retrieval';
import { isRemoval, parseRow } from './record.ts';
import { ASSETS_KEY } from './rows.ts';

/** Returns the terms that find an asset; `undefined` when the row has no asset. */
function textOf(record: string): { readonly text: string; readonly timeMs: number } | undefined {
  const row = parseRow(record);
  if (row === undefined || isRemoval(row)) return undefined;
  const { name, productLine, title, tags } = row.fields;
  // Twice, because these words name the subject, and a body often repeats the words of others.
  const subject = [name, title, tags.join(' ')].join('\n');
  return { text: [subject, subject, productLine, row.text.slice(row.bodyStart)].join('\n'), timeMs: row.changedMs };
}

const source: TermSource = { key: ASSETS_KEY, textOf };

export interface TermSearch extends CallOptions {
  /** Plain text. */
  readonly query: string;
  readonly limit: number;
  /** Returns whether the asset whose row has this sequence may be found. */
  readonly accept: (sequence: number) => boolean;
}

export interface TermMatches {
  /** Best first. */
  readonly hits: readonly { readonly sequence: number; readonly score: number; readonly isSimilar?: true }[];
  /** The score of a document that has every word of the query once. */
  readonly fullScore: number;
  readonly hasMore: boolean;
  readonly notices: readonly RankNotice['code'][];
}

export class AssetTerms {
  readonly #terms: TermStore;

  constructor(backend: MemoryBackend) {
    this.#terms = createTermStore({ backend });
  }

  async search({ query, limit, accept, signal }: TermSearch): Promise<TermMatches> {
    const notices: RankNotice['code'][] = [];
    const { hits, fullScore, hasMore } = await this.#terms.search([source], {
      query,
      limit,
      acceptSequence: accept,
      readsRecords: false,
      findsSimilar: false,
      onNotice: ({ code }) => notices.push(code),
      signal,
    });
    return { hits, fullScore: fullScore ?? 0, hasMore, notices };
  }

  /** Brings the stored index up to date. A search does so too. */
  async catchUp(options: CallOptions): Promise<void> {
    await this.#terms.catchUp(source, options);
  }

  /** Removes the terms of rows that are about to be removed, and of all rows that are gone. */
  async forget(sequences: readonly number[], options: CallOptions = {}): Promise<void> {
    await this.#terms.forget(source, sequences, options);
  }
}
