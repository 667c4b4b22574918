/** The terms of the assets' content, which a store of `@cairn/memory` keeps with their rows. All access to them is here. */
import type { CallOptions, MemoryBackend, Terms } from '@cairn/memory';
import { createTermStore, termsIn, type TermResult, type TermSource, type TermStore } from '@cairn/memory/terms';
import type { RankNotice } from '@cairn/retrieval';
import { isRemoval, parseRow, type StoredRow } from './record.ts';
import { ASSETS_KEY } from './rows.ts';

/** Returns the text that finds an asset; `undefined` when the row has none. */
function textOf(row: StoredRow | undefined): string | undefined {
  if (row === undefined || isRemoval(row)) return undefined;
  const { name, productLine, title, tags } = row.fields;
  // Twice, because these words name the subject, and a body often repeats the words of others.
  const subject = [name, title, tags.join(' ')].join('\n');
  return [subject, subject, productLine, row.text.slice(row.bodyStart)].join('\n');
}

/** Returns the terms of a row, for the change that writes it. */
export function termsOfRow(row: StoredRow | undefined): Promise<Terms | undefined> {
  return termsIn(textOf(row));
}

const source: TermSource = {
  key: ASSETS_KEY,
  textOf: (record) => {
    const row = parseRow(record);
    const text = textOf(row);
    return row === undefined || text === undefined || isRemoval(row) ? undefined : { text, timeMs: row.changedMs };
  },
};

export interface TermSearch extends CallOptions {
  /** Plain text. */
  readonly query: string;
  readonly limit: number;
  /** Returns whether the asset whose row has this sequence may be found. */
  readonly accept: (sequence: number) => boolean;
}

export interface TermMatches extends Pick<TermResult, 'hits' | 'hasMore'> {
  /** The score of a document that has every word of the query once. */
  readonly fullScore: number;
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
}
