import type { Part } from '@cairn/retrieval';
import type { CallOptions } from '../records/backend.ts';
import { readingOf } from './loaded-index.ts';
import type { IndexContext } from './loaded-index.ts';
import { readSegmentPostings, readVocabulary } from './open-segment.ts';
import type { CapturedTail } from './tail.ts';
import { expiredBefore } from './term-source.ts';
import type { SourceCall } from './term-source.ts';

/** The records of a source at one time. */
export interface SourceParts {
  /** Returns the parts with the postings of some terms. @throws {DamagedSegment} */
  readonly read: (
    terms: readonly string[],
  ) => Promise<{ readonly part: Part; readonly sequences: ArrayLike<number> }[]>;
  /** Returns all terms. @throws {DamagedSegment} */
  readonly vocabulary: () => AsyncIterable<Iterable<string>>;
  /** Returns records by their sequences; `undefined` for those that are gone. */
  readonly records: (sequences: readonly number[], call: CallOptions) => Promise<(string | undefined)[]>;
}

/** Captures what the loaded index has now: it may change while the parts are read. */
export function captureParts(context: IndexContext, call: SourceCall, nowMs: number): SourceParts {
  const { rule } = call.source;
  const { backend, key, index } = context;
  const { epoch, segments } = index;
  const reading = readingOf(context, call);
  const since = expiredBefore(rule, nowMs);
  const columns = segments.map((segment) => segment.liveColumns(since));
  const tails = [...index.tails, index.holes];
  const captured = tails.map((tail): CapturedTail => tail.capture(rule, nowMs));
  return {
    read: async (terms) => {
      const postings = await readSegmentPostings(reading, segments, terms);
      const ofSegments = columns.map((own, at) => {
        return {
          part: { ...own, postingsOf: (term: string) => postings[at]?.get(term) },
          sequences: own.sequences,
        };
      });
      const ofTails = captured.map((tail) => {
        const found = new Map(terms.map((term) => [term, tail.postingsOf(term)]));
        return {
          part: { ...tail.columns, postingsOf: (term: string) => found.get(term) },
          sequences: tail.columns.sequences,
        };
      });
      return [...ofSegments, ...ofTails];
    },
    vocabulary: async function* () {
      for (const segment of segments) yield* readVocabulary(reading, segment);
      for (const tail of captured) yield tail.terms();
    },
    records: async (sequences, { signal }) => {
      const known = sequences.map((sequence) => {
        for (const tail of tails) {
          const record = tail.records.get(sequence);
          if (record !== undefined) return record;
        }
        return undefined;
      });
      const missing = sequences.filter((_, at) => known[at] === undefined);
      if (missing.length === 0) return known;
      const fetched = await backend.fetch(key, epoch, missing, { signal });
      const bySequence = new Map(missing.map((sequence, at) => [sequence, fetched[at]]));
      return sequences.map((sequence, at) => known[at] ?? bySequence.get(sequence));
    },
  };
}
