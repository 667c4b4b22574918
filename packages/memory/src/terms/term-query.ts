import type { Coverage, RankedDocument, RankOptions } from '@cairn/retrieval';
import type { VectorSource } from '../vectors/make-vectors.ts';
import type { Meaning } from '../vectors/meaning.ts';

/** A table whose rows can be found. */
export interface TermSource {
  readonly key: string;
  /**
   * Returns what a row is found by, and its time, of which the latest of equally good rows comes first; `undefined` for a row that is
   * not found. Writers of the table pass `termsIn` of the same string.
   */
  readonly textOf: (text: string) => { readonly text: string; readonly timeMs: number } | undefined;
  /** What the vectors of a row are made of. @default rows are not found by meaning */
  readonly meaningOf?: VectorSource['meaningOf'] | undefined;
}

/** A query over several sources. */
export interface TermQuery<Source extends TermSource = TermSource> extends RankOptions {
  /** Plain text without syntax. */
  readonly query: string;
  /** The hits that are left out, best first. @default 0 */
  readonly offset?: number | undefined;
  /** Returns whether a row may be a hit. The rows that it rejects count in the ranking nevertheless. */
  readonly accept?: ((text: string, source: Source) => boolean) | undefined;
  /** The same, by the sequence of a row, before the row is read. */
  readonly acceptSequence?: ((sequence: number, source: Source) => boolean) | undefined;
  /** Whether hits have their texts. Without them nothing is read but postings, and each text is empty. @default true */
  readonly readsRecords?: boolean | undefined;
  /** Finds rows by their stored vectors too. @default only words count */
  readonly meaning?: Meaning | undefined;
  /** Whether words with a similar spelling are searched for when nothing is found, which reads all terms. @default true */
  readonly findsSimilar?: boolean | undefined;
  /** Whether typos are corrected, and words that mean the same are searched for. @default true */
  readonly findsRelated?: boolean | undefined;
}

/** A found row. */
export interface TermHit<Source extends TermSource = TermSource> extends Omit<RankedDocument, 'id'> {
  readonly source: Source;
  readonly sequence: number;
  readonly record: string;
  /** What it has of the query, for a caller that orders the hits again. Absent for a similar spelling, or a meaning. */
  readonly coverage?: Coverage;
}

export interface TermResult<Source extends TermSource = TermSource> {
  /** Best first; of equally good rows the latest. */
  readonly hits: readonly TermHit<Source>[];
  /** The number of rows that were searched. */
  readonly searched: number;
  /**
   * The score of a string of average length that has every term of the query once: a hit may have more. Absent for a search by
   * meaning.
   */
  readonly fullScore?: number;
  /** Whether there are hits after these. */
  readonly hasMore: boolean;
  /** Present when stored vectors were compared too, so that a hit may have no word of the query. */
  readonly usedMeaning?: true;
}
