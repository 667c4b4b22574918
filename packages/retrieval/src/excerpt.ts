import { bestStretch, charactersIn, characterStart, GRAPHEME_CONTEXT, hitsOf, weightsOf } from './hits.ts';

/** The part of a string that a query found, with its surroundings. Positions are UTF-16 code units. */
export interface Excerpt {
  readonly from: number;
  readonly to: number;
  /** The words of the query, from the first one to the last one. */
  readonly hit: { readonly from: number; readonly to: number };
}

/** Moves a place by a number of code points, and on to the border of a character. */
function moved(text: string, from: number, count: number): number {
  const step = Math.sign(count);
  let place = from;
  for (let left = Math.abs(count); left > 0 && (step < 0 ? place > 0 : place < text.length); left--) {
    place += step;
    const code = text.charCodeAt(place);
    if (code >= 0xdc_00 && code <= 0xdf_ff) place += step;
  }
  const start = characterStart(text, place);
  if (start === place || step < 0) return start;
  const { segment = '' } = charactersIn(text.slice(start, place + GRAPHEME_CONTEXT)).containing(0) ?? {};
  return start + segment.length;
}

/**
 * Finds the part of a string with the most words of a query near each other, and adds `around` characters on each side. Returns
 * `undefined` when the text has none of the words. Unlike `snippetOf` it keeps no budget and leaves the text as it is.
 *
 * A generator, so that a caller can let other work run while a long text is read.
 *
 * @param query a query, or terms as `termsOf` returns them, such as the terms that a search matched.
 * @yields the UTF-16 code units of each step.
 */
export function* excerptOf(
  text: string,
  query: string | readonly string[],
  { around }: { readonly around: number },
): Generator<number, Excerpt | undefined, void> {
  const weights = weightsOf(query);
  if (weights.size === 0) return undefined;
  const hit = bestStretch(yield* hitsOf(text, weights), around, new Set());
  if (hit === undefined) return undefined;
  const { from, to } = hit;
  return { from: moved(text, from, -around), to: moved(text, to, around), hit: { from, to } };
}
