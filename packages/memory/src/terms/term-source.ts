import { termsOf } from '@cairn/retrieval';
import type { Terms } from '../records/backend.ts';

/** A table whose rows can be found. */
export interface TermSource {
  readonly key: string;
  /**
   * Returns what a row is found by, and its time, of which the latest of equally good rows comes first; `undefined` for a row that is
   * not found. Writers of the table pass {@link termsIn} of the same string.
   */
  readonly textOf: (text: string) => { readonly text: string; readonly timeMs: number } | undefined;
}

/** A term that no text has. Its count is the number of terms of the row. */
export const LENGTH_TERM = '';

/** Returns the terms of a string, for the change that writes its row. */
export function termsIn(text: string | undefined): Terms | undefined {
  if (text === undefined) return undefined;
  const terms = new Map<string, number>();
  const all = termsOf(text);
  for (const term of all) terms.set(term, (terms.get(term) ?? 0) + 1);
  return terms.size === 0 ? undefined : terms.set(LENGTH_TERM, all.length);
}
