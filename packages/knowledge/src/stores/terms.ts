/** The terms of the assets' content, which a store of `@cairn/memory` keeps with their rows. All access to them is here. */
import type { CallOptions, MemoryBackend, Terms } from '@cairn/memory';
import { createTermStore, termsIn } from '@cairn/memory/terms';
import type { Meaning, TermQuery, TermResult, TermSource, TermStore, VectorSource } from '@cairn/memory/terms';
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

/** Returns the text that vectors of an asset are made of, and whether it is never sent; see `VectorSource`. */
export function meaningOfRow(row: StoredRow | undefined): ReturnType<VectorSource['meaningOf']> {
  if (row === undefined || isRemoval(row)) return undefined;
  const { title, allowSecret = false } = row.fields;
  return { text: `${title}\n${row.text.slice(row.bodyStart)}`, isSecret: allowSecret };
}

/** How the assets are found. */
export const assetSource: TermSource & VectorSource = {
  key: ASSETS_KEY,
  meaningOf: (record) => meaningOfRow(parseRow(record)),
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
  readonly minEvidence?: number | undefined;
  /** Whether the query is never sent to an embeddings server. @default false */
  readonly isSecret?: boolean | undefined;
  /** Returns whether the asset whose row has this sequence may be found. */
  readonly accept: (sequence: number) => boolean;
  /** The words that mean the same. @default Cairn's own */
  readonly glossary?: TermQuery['glossary'];
}

export interface TermMatches extends Pick<TermResult, 'hits' | 'hasMore' | 'usedMeaning'> {
  /** The score of a document that has every word of the query once. */
  readonly fullScore: number;
  readonly notices: readonly RankNotice[];
}

export class AssetTerms {
  readonly #terms: TermStore;
  readonly #meaning: Meaning | undefined;

  constructor(backend: MemoryBackend, meaning: Meaning | undefined) {
    this.#terms = createTermStore({ backend });
    this.#meaning = meaning;
  }

  async search({
    query,
    limit,
    minEvidence,
    isSecret = false,
    accept,
    glossary,
    signal,
  }: TermSearch): Promise<TermMatches> {
    const notices: RankNotice[] = [];
    const { hits, fullScore, hasMore, usedMeaning } = await this.#terms.search([assetSource], {
      query,
      limit,
      minEvidence,
      glossary,
      acceptSequence: accept,
      readsRecords: false,
      findsSimilar: false,
      meaning: isSecret ? undefined : this.#meaning,
      onNotice: (notice) => notices.push(notice),
      signal,
    });
    return { hits, fullScore: fullScore ?? 0, hasMore, notices, ...(usedMeaning && { usedMeaning }) };
  }
}
