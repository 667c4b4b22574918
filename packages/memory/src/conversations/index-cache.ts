import { setImmediate } from 'node:timers/promises';
import { createTermIndex, noticesOf } from '@cairn/retrieval';
import type { RankedDocument, RankNotice, TermIndex } from '@cairn/retrieval';

/** So many groups keep their index; the one that was asked longest ago goes first. */
const MAX_INDICES = 4;

/** After so many UTF-16 units other work gets its turn: some milliseconds. */
const UNITS_PER_TURN = 64 * 1024;

/** What can be found, by an id that stands for it and for nothing else. */
type Documents = ReadonlyMap<string, { readonly content: string; readonly time: number }>;

interface IndexedQuery {
  readonly query: string;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
  readonly onNotice?: ((notice: RankNotice) => void) | undefined;
}

/** Indices of large groups, kept up to date by what is read of the store: they are never older than the call. */
export interface IndexCache {
  readonly rank: (key: string, documents: Documents, query: IndexedQuery) => Promise<readonly RankedDocument[]>;
}

interface Slot {
  readonly index: TermIndex;
  known: Documents;
}

/** Brings an index to these documents. A document of an id is taken to be the same as before. */
async function update(slot: Slot, documents: Documents, signal: AbortSignal | undefined): Promise<void> {
  for (const id of slot.known.keys()) if (!documents.has(id)) slot.index.remove(id);
  let units = 0;
  for (const [id, { content, time }] of documents) {
    if (slot.index.has(id)) continue;
    slot.index.add({ id, text: content, timeMs: time });
    units += content.length;
    if (units < UNITS_PER_TURN) continue;
    units = 0;
    await setImmediate();
    signal?.throwIfAborted();
  }
  slot.known = documents;
}

export function createIndexCache(): IndexCache {
  const slots = new Map<string, Slot>();
  /** One call after the other: each brings the index to what it has read itself. */
  let queue: Promise<unknown> = Promise.resolve();

  const rankNow = async (
    key: string,
    documents: Documents,
    { query, limit, signal, onNotice }: IndexedQuery,
  ): Promise<readonly RankedDocument[]> => {
    const slot = slots.get(key) ?? { index: createTermIndex(), known: new Map() };
    // What was asked last stands last.
    slots.delete(key);
    slots.set(key, slot);
    const [oldest] = slots.keys();
    if (slots.size > MAX_INDICES && oldest !== undefined) slots.delete(oldest);
    try {
      await update(slot, documents, signal);
    } catch (error) {
      // Half an index is none.
      slots.delete(key);
      throw error;
    }
    const ranked = slot.index.rank(query, limit);
    for (const notice of noticesOf(query, ranked)) onNotice?.(notice);
    return ranked;
  };

  return {
    rank: (key, documents, query) => {
      const turn = queue.then(() => rankNow(key, documents, query));
      queue = turn.catch(() => undefined);
      return turn;
    },
  };
}
