/** The terms that a row is found by. */
import { countTerms } from '@cairn/retrieval';
import type { Terms } from './backend.ts';
import { Turns } from './turns.ts';

/** A term that no text has. Its count is the number of terms of the row, which may be 0. */
export const LENGTH_TERM = '';

/** A row is found by its first different terms, at most as many. More would hold a store for too long. */
const MAX_TERMS = 16_384;

/** Returns the terms of a string, for the change that writes its row. Other work runs in between. */
export async function termsIn(text: string | undefined): Promise<Terms | undefined> {
  if (text === undefined) return undefined;
  const counts = await new Turns(undefined).run(countTerms(text));
  let length = 0;
  for (const count of counts.values()) length += count;
  return new Map([[LENGTH_TERM, length], ...[...counts].slice(0, MAX_TERMS)]);
}
