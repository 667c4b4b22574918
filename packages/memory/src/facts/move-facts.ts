/** How facts with their ids get into a table: from another project, or from an export. */
import { hash } from 'node:crypto';
import { refuse } from '../records/checks.ts';
import { MemoryError } from '../errors.ts';
import type { CallOptions, Row } from '../records/backend.ts';
import { newRow, timesOf } from './change-facts.ts';
import { MAX_TAGS, unionTags } from './checks.ts';
import { isActive, parseFact, type FactTable, type StoredFact } from './fact.ts';
import { factRow, factTable, readRow, readRows, untilDone, writeFacts } from './fact-table.ts';
import type { FactDependencies, FactRow, FactRowChange } from './fact-table.ts';
import type { MovedFacts } from './facts-api.ts';
import { amend, isEarlier } from './versions.ts';

/** A row whose text is a fact, or cannot be read by this version. */
export type RawRow = Pick<Row, 'id' | 'text'>;

/** What became of rows. */
export interface PlacedRows {
  readonly added: number;
  /** Rows with the text of another active fact. They are kept as superseded by it. */
  readonly merged: number;
  /** Rows that the table has, or of which it has a later version. */
  readonly present: number;
}

type Placed = keyof PlacedRows;

/** The rows of one step. */
const BATCH = 100;
const MAX_ROUNDS = 100;

/** Returns the change of a row that replaces an earlier version; `undefined` for one that is there; else the row needs a place of its own. */
function replacing(
  present: FactRow,
  { id, text }: RawRow,
): { readonly change?: FactRowChange; readonly isPresent: boolean } {
  const stored = parseFact(text);
  if (present.text === text) return { isPresent: true };
  if (stored === undefined || present.stored === undefined) return { isPresent: false };
  if (isEarlier(stored, present.stored)) return { isPresent: true };
  if (!isEarlier(present.stored, stored)) return { isPresent: false };
  return { isPresent: false, change: factRow(id, present.text, text) };
}

/** Returns the changes that keep a row as superseded by the active fact that has its text. */
async function merging(
  dependencies: FactDependencies,
  table: FactTable,
  { stored, ...change }: FactRowChange & { readonly stored: StoredFact },
  { owner, signal }: CallOptions & { readonly owner: string },
): Promise<FactRowChange[] | undefined> {
  const first = await readRow(dependencies.backend, table.key, { id: owner, signal });
  if (first === undefined) return undefined;
  // Another version of this package gave the text to a row that this one does not read.
  if (first.stored === undefined || !isActive(first.stored)) return [{ ...change, unique: undefined }];
  const times = await timesOf(dependencies, { signal });
  const next = amend(stored, { supersededBy: owner }, { by: 'supersede', ...times });
  const own = first.stored.tags ?? [];
  // The superseded fact keeps its tags, also those that do not fit here.
  const tags = unionTags(own, (stored.tags ?? []).slice(0, Math.max(0, MAX_TAGS - own.length)));
  const pinned = first.stored.pinned === true || stored.pinned === true ? { pinned: true } : {};
  const merged = amend(first.stored, { tags, ...pinned }, { by: 'update', ...times });
  const { id, expected } = change;
  const changes = [{ ...newRow(dependencies, next), id, expected }];
  if (merged === first.stored) return changes;
  return [...changes, { ...newRow(dependencies, merged), id: owner, expected: first.text }];
}

/** Places one row. A row with the id of another fact gets a new id. */
function placeRow(
  dependencies: FactDependencies,
  table: FactTable,
  row: RawRow,
  signal: AbortSignal | undefined,
): Promise<Placed> {
  const { backend } = dependencies;
  let { id, text } = row;
  const attempt = async (): Promise<Placed | undefined> => {
    const present = await readRow(backend, table.key, { id, signal });
    const { isPresent, change } =
      present === undefined ? { isPresent: false, change: undefined } : replacing(present, { id, text });
    if (isPresent) return 'present';
    if (present !== undefined && change === undefined) {
      // The same one each time.
      id = `fact_${hash('sha256', JSON.stringify([id, text]), 'base64url').slice(0, 16)}`;
      const stored = parseFact(text);
      if (stored !== undefined) text = JSON.stringify({ ...stored, id });
      return undefined;
    }
    const stored = parseFact(text);
    const added = change ?? factRow(id, undefined, text);
    const result = await writeFacts(backend, table.key, [added], { signal });
    if (result.isDone) return 'added';
    if (result.reason !== 'taken' || result.id === undefined || stored === undefined) return undefined;
    const rows = await merging(dependencies, table, { ...added, stored }, { owner: result.id, signal });
    if (rows === undefined) return undefined;
    return (await writeFacts(backend, table.key, rows, { signal })).isDone ? 'merged' : undefined;
  };
  return untilDone(backend, attempt, { key: table.key, signal });
}

/** Places new rows in one step. @returns whether it was possible */
async function placeNew(
  { backend }: FactDependencies,
  table: FactTable,
  rows: readonly RawRow[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const changes = rows.map(({ id, text }) => factRow(id, undefined, text));
  const uniques = changes.flatMap(({ unique }) => unique ?? []);
  const ids = new Set(rows.map(({ id }) => id));
  if (new Set(uniques).size < uniques.length || ids.size < rows.length) return false;
  return (await writeFacts(backend, table.key, changes, { signal })).isDone;
}

/**
 * Places rows with their ids in a table. Repeated, it changes nothing. A row with the text of another active fact is kept as
 * superseded by that one, which gets its tags. Of two versions of a fact the later one is kept; two that were changed apart are both
 * kept.
 */
export async function placeRows(
  dependencies: FactDependencies,
  { table, rows, signal }: CallOptions & { readonly table: FactTable; readonly rows: readonly RawRow[] },
): Promise<PlacedRows> {
  const counts = { added: 0, merged: 0, present: 0 };
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH);
    if (await placeNew(dependencies, table, batch, signal)) {
      counts.added += batch.length;
      continue;
    }
    for (const row of batch) counts[await placeRow(dependencies, table, row, signal)] += 1;
  }
  return counts;
}

/** Removes rows that are still as they were read. */
async function removeRows(
  { backend }: FactDependencies,
  table: FactTable,
  { rows, signal }: CallOptions & { readonly rows: readonly FactRow[] },
): Promise<void> {
  for (let start = 0; start < rows.length; start += BATCH) {
    const removed = rows.slice(start, start + BATCH).map(({ id, text }) => ({ id, expected: text, next: undefined }));
    const { isDone } = await writeFacts(backend, table.key, removed, { signal });
    if (isDone) continue;
    for (const row of removed) await writeFacts(backend, table.key, [row], { signal });
  }
}

/**
 * Moves all facts of a project to another one: it adds them there, then removes them here. After a kill at any point each fact is
 * in one or in both, and repeating the call finishes it.
 */
export async function moveFacts(
  dependencies: FactDependencies,
  { from, to, signal }: CallOptions & { readonly from: string; readonly to: string },
): Promise<MovedFacts> {
  const [source, target] = [factTable('project', from), factTable('project', to)];
  if (source.key === target.key) refuse('Both projects are the same', 'Pass two identities of projects.');
  const counts = { added: 0, merged: 0, present: 0 };
  // Again for the facts that another process changed or added meanwhile.
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const rows = await readRows(dependencies.backend, source.key, { signal });
    if (rows.length === 0) {
      return { moved: counts.added + counts.present, merged: counts.merged };
    }
    const placed = await placeRows(dependencies, {
      table: target,
      rows: rows.toSorted((a, b) => a.sequence - b.sequence),
      signal,
    });
    for (const name of ['added', 'merged', 'present'] as const) counts[name] += placed[name];
    await removeRows(dependencies, source, { rows, signal });
  }
  const summary = `[memory:${dependencies.backend.name}] Other processes kept changing the facts of the project`;
  throw new MemoryError('STORE_LOCKED', [summary, 'End them and repeat the call.'], { key: source.key });
}
