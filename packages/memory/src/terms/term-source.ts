import { countTerms } from '@cairn/retrieval';
import type { Terms } from '../records/backend.ts';
import { Turns } from '../records/turns.ts';

/** A table whose rows can be found. */
export interface TermSource {
  readonly key: string;
  /**
   * Returns what a row is found by, and its time, of which the latest of equally good rows comes first; `undefined` for a row that is
   * not found. Writers of the table pass {@link termsIn} of the same string.
   */
  readonly textOf: (text: string) => { readonly text: string; readonly timeMs: number } | undefined;
}

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
