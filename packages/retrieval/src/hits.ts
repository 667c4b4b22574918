import { isWordKind, kind, kindOf, widthOf } from './characters.ts';
import { readQuery } from './query.ts';
import { visitTerms } from './terms.ts';

/** Hits after this many are not compared: a string with more of them has good parts before. */
const MAX_HITS = 4000;
/** About two milliseconds. */
const UNITS_PER_STEP = 16 * 1024;

/** Where a string has a term of the query. Positions are UTF-16 code units. */
export interface Hit {
  readonly at: number;
  readonly end: number;
  readonly term: string;
  readonly weight: number;
}

/** The terms of a query with their weights. */
export type Weights = ReadonlyMap<string, number>;

/** Adds the hits in a run of a script without spaces: its pairs and characters. */
function addHitsOfRun(hits: Hit[], run: string, { start, weights }: { start: number; weights: Weights }): void {
  // A run that changes its length when it is normalized has no places for its terms. It is rare.
  const normal = run.normalize('NFKC');
  const text = normal.length === run.length ? normal : run;
  const add = (from: number, to: number): void => {
    const term = text.slice(from, to);
    const weight = weights.get(term);
    if (weight !== undefined) hits.push({ at: start + from, end: start + to, term, weight });
  };
  for (let at = 0, previous = -1; at < text.length && hits.length < MAX_HITS;) {
    const end = at + widthOf(text.codePointAt(at) ?? 0);
    if (previous >= 0) add(previous, end);
    add(at, end);
    previous = at;
    at = end;
  }
}

/**
 * Returns where a string has terms, in order of place. Stops after {@link MAX_HITS}. Takes linear time.
 *
 * @yields the UTF-16 code units of each step.
 */
export function* hitsOf(text: string, weights: Weights): Generator<number, Hit[], void> {
  const hits: Hit[] = [];
  let from = 0;
  for (let at = 0; at < text.length && hits.length < MAX_HITS;) {
    if (at - from >= UNITS_PER_STEP) {
      yield at - from;
      from = at;
    }
    const first = text.codePointAt(at) ?? 0;
    const found = kindOf(first);
    let end = at + widthOf(first);
    if (found === kind.separator || found === kind.mark) {
      at = end;
      continue;
    }
    const isRun = found === kind.unspaced;
    // A pictograph is a word by itself.
    while (end < text.length && found !== kind.pictograph) {
      const codePoint = text.codePointAt(end) ?? 0;
      const next = kindOf(codePoint);
      // The pair at the end of a very long run is not seen.
      if (isRun && end - at >= UNITS_PER_STEP) break;
      if (next !== kind.mark && (isRun ? next !== kind.unspaced : !isWordKind(next))) break;
      end += widthOf(codePoint);
    }
    if (isRun) {
      addHitsOfRun(hits, text.slice(at, end), { start: at, weights });
    } else {
      let best: Hit | undefined;
      visitTerms(text.slice(at, end), (term) => {
        const weight = weights.get(term) ?? 0;
        if (weight > (best?.weight ?? 0)) best = { at, end, term, weight };
      });
      if (best !== undefined) hits.push(best);
    }
    at = end;
  }
  return hits;
}

/** Returns the stretch of at most `width` with the most weight of terms that are not in `covered`, each counted once. */
export function bestStretch(
  hits: readonly Hit[],
  width: number,
  covered: ReadonlySet<string>,
): { from: number; to: number; weight: number } | undefined {
  const inside = new Map<string, number>();
  let best: { from: number; to: number; weight: number } | undefined;
  let weight = 0;
  let first = 0;
  for (const [index, hit] of hits.entries()) {
    const count = inside.get(hit.term) ?? 0;
    if (count === 0 && !covered.has(hit.term)) weight += hit.weight;
    inside.set(hit.term, count + 1);
    for (; first < index; first++) {
      const left = hits[first];
      if (left === undefined || hit.end - left.at <= width) break;
      const rest = (inside.get(left.term) ?? 1) - 1;
      inside.set(left.term, rest);
      if (rest === 0 && !covered.has(left.term)) weight -= left.weight;
    }
    // Weights are sums of tenths: a difference of rounding is not a better stretch.
    if (weight > (best?.weight ?? 0) + 1e-9) best = { from: hits[first]?.at ?? 0, to: hit.end, weight };
  }
  return best;
}

const known: { segmenter?: Intl.Segmenter } = {};

/** Returns the characters of a string. The tables for that take some milliseconds to load, so they wait for the first call. */
export function charactersIn(text: string): Intl.Segments {
  known.segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  return known.segmenter.segment(text);
}

/** Code units before a place that decide where its character starts. Longer characters are not cut whole. */
export const GRAPHEME_CONTEXT = 64;

/** Returns the start of the character at a place: surrogate pairs, accents and joined pictographs stay together. */
export function characterStart(text: string, place: number): number {
  if (place <= 0 || place >= text.length) return place;
  const from = Math.max(0, place - GRAPHEME_CONTEXT);
  const near = text.slice(from, place + GRAPHEME_CONTEXT);
  return from + (charactersIn(near).containing(place - from)?.index ?? place - from);
}

/** Returns the terms of a query, or terms as `termsOf` returns them, with their weights. */
export function weightsOf(query: string | readonly string[]): Weights {
  return typeof query === 'string'
    ? new Map(readQuery(query).terms.map(({ term, weight }) => [term, weight]))
    : new Map(query.map((term) => [term, 1]));
}
