import type * as entries from '../conversations/fit-entries.ts';
import type * as wrap from '../conversations/wrap.ts';

/** The functions that format memories. */
export interface Formatting {
  readonly entryOf: typeof wrap.entryOf;
  readonly fitEntries: typeof entries.fitEntries;
  readonly fitPart: typeof entries.fitPart;
  readonly MEMORY_TOKENS: number;
}

/** Loads them with the ranking, which a server needs for its first answer, and not to start. */
export async function loadFormatting(): Promise<Formatting> {
  const { entryOf } = await import('../conversations/wrap.ts');
  const { fitEntries, fitPart, MEMORY_TOKENS } = await import('../conversations/fit-entries.ts');
  return { entryOf, fitEntries, fitPart, MEMORY_TOKENS };
}
