/** What all stores do alike with a change of a table. */
import type { PageQuery, RowChange, TableResult } from '../records/backend.ts';

/** The rows of a page, unless the caller names a limit. */
const PAGE_LIMIT = 1000;
/** A page ends after this text. */
export const PAGE_BYTES: number = 1024 * 1024;

export type Conflict = Extract<TableResult, { isDone: false }>;

/** What a table has now. Expired rows are not there. */
interface Present {
  readonly textOf: (id: string) => string | undefined;
  /** Returns the id of the row that has a unique string. */
  readonly ownerOf: (unique: string) => string | undefined;
}

/** Finds why rows cannot be changed. A row that the same change rewrites gives its unique string up. */
export function conflictIn(rows: readonly RowChange[], { textOf, ownerOf }: Present): Conflict | undefined {
  const rewritten = new Set<string>();
  for (const { id, expected } of rows) {
    if (rewritten.has(id) || textOf(id) !== expected) return { isDone: false, reason: 'changed', id };
    rewritten.add(id);
  }
  const taken = new Map<string, string>();
  for (const { unique, id, next } of rows) {
    if (unique === undefined || next === undefined) continue;
    const known = ownerOf(unique);
    const owner = taken.get(unique) ?? (known === undefined || rewritten.has(known) ? undefined : known);
    if (owner !== undefined) return { isDone: false, reason: 'taken', id: owner };
    taken.set(unique, id);
  }
  return undefined;
}

export function writtenText(next: Exclude<RowChange['next'], undefined>, timeMs: number): string {
  return typeof next === 'string' ? next : `${next[0]}${timeMs}${next[1]}`;
}

/** Returns the number of rows of a page. */
export function limitOf({ limit = PAGE_LIMIT }: PageQuery, max: number = Infinity): number {
  return Math.max(0, Math.min(Math.trunc(limit), max));
}
