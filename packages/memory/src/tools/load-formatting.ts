import type { fitEntries, fitPart } from '../conversations/fit-entries.ts';
import type { entryOf } from '../conversations/wrap.ts';

/** The functions that format memories. */
export interface Formatting {
  readonly entryOf: typeof entryOf;
  readonly fitEntries: typeof fitEntries;
  readonly fitPart: typeof fitPart;
  readonly MEMORY_TOKENS: number;
}

/** Loads them with the ranking, which a server needs for its first answer, and not to start. */
export async function loadFormatting(): Promise<Formatting> {
  const [entries, wrap] = await Promise.all([
    import('../conversations/fit-entries.ts'),
    import('../conversations/wrap.ts'),
  ]);
  return { ...entries, entryOf: wrap.entryOf };
}
