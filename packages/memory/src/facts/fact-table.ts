/** How facts are read from and written to their tables. */
import { quoted, retry } from '@cairn/tool/kernel';
import { refuse } from '../records/checks.ts';
import { MemoryError } from '../errors.ts';
import type { CallOptions, MemoryBackend, Row, RowChange, TableResult } from '../records/backend.ts';
import { FACTS_PREFIX, factsKey, parseFactsKey } from '../records/keys.ts';
import { readTable } from '../records/pages.ts';
import type { Reader, Store } from '../records/reader.ts';
import { termsIn } from '../records/terms.ts';
import type { TermStore } from '../terms/term-store.ts';
import { withoutVectors } from '../vectors/vector-table.ts';
import { isActive, parseFact, searchTextOf, timeOf, uniqueOfFact } from './fact.ts';
import type { FactScope, FactTable, StoredFact } from './fact.ts';
import { labelsOf } from './labels.ts';

/** The attempts of a change while other processes change the same fact. */
const MAX_ATTEMPTS = 1000;
const MAX_WAIT_MS = 30;

/** What the calls of facts work on. */
export interface FactDependencies extends Store {
  readonly terms: TermStore;
  /** The project of calls that name none. */
  readonly project: string | undefined;
}

/** A row with its fact; `undefined` when it is not readable. */
export interface FactRow extends Row {
  readonly stored: StoredFact | undefined;
}

/** @throws {MemoryError} `INVALID_NAME`, `INVALID_INPUT` when the project is not known. */
export function factTable(scope: FactScope, project: string | undefined): FactTable {
  if (scope === 'user') return { key: factsKey(), scope };
  if (scope !== 'project') refuse(`Invalid scope ${quoted(String(scope))}`, 'Use project or user.');
  if (project === undefined) {
    refuse('The facts of a project need the identity of the project', 'Pass project, or use the scope user.');
  }
  return { key: factsKey(project), scope, project };
}

/** Returns the tables of all facts, and reports the keys that have something else. */
export async function factTables(
  backend: MemoryBackend,
  { reader, ...options }: CallOptions & { readonly reader: Reader },
): Promise<(FactTable & { readonly rows: number })[]> {
  const infos = await backend.keys(FACTS_PREFIX, options);
  const tables = infos.flatMap(({ key, records }) => {
    const place = parseFactsKey(key);
    if (place === undefined) reader.report({ key, record: '', reason: 'the key has another form' });
    return place === undefined ? [] : [{ key, ...place, rows: records }];
  });
  return tables.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/**
 * Reads all rows of a table, or those whose text has a string. Other work runs in between. A row that changes meanwhile is read as
 * it was or as it is.
 */
export async function readRows(
  backend: MemoryBackend,
  key: string,
  { mayHave = '', ...options }: CallOptions & { readonly mayHave?: string | undefined },
): Promise<FactRow[]> {
  const { rows } = await readTable(backend, key, options);
  // Parsing takes most of the time.
  return rows.flatMap((row) => (row.text.includes(mayHave) ? [{ ...row, stored: parseFact(row.text) }] : []));
}

export async function readRow(
  backend: MemoryBackend,
  key: string,
  { id, signal }: CallOptions & { readonly id: string },
): Promise<FactRow | undefined> {
  const [row] = await backend.rows(key, [id], { signal });
  return row && { ...row, stored: parseFact(row.text) };
}

export type FactRowChange = RowChange & { readonly next: string | undefined };

/** Returns the change that writes a row. The text may be unreadable. */
export function factRow(id: string, expected: string | undefined, next: string): FactRowChange {
  const stored = parseFact(next);
  // Placed by its time, so that pages of the table are in the order of lists.
  const timeMs = stored && timeOf(stored);
  return { id, expected, next, timeMs, unique: stored && uniqueOfFact(stored), labels: labelsOf(stored) };
}

/** Writes rows, with what active facts are found by, and removes the vectors of their earlier texts. */
export async function writeFacts(
  backend: MemoryBackend,
  key: string,
  rows: readonly FactRowChange[],
  options: CallOptions,
): Promise<TableResult> {
  const indexed = rows.map(async (row): Promise<RowChange> => {
    const stored = row.next === undefined ? undefined : parseFact(row.next);
    return { ...row, terms: await termsIn(stored && isActive(stored) ? searchTextOf(stored) : undefined) };
  });
  const changed = rows.flatMap(({ id, expected }) => (expected === undefined ? [] : [id]));
  const run = async (): Promise<TableResult> => backend.change(key, { rows: await Promise.all(indexed) }, options);
  return withoutVectors(backend, key, { ids: changed, run, ...options });
}

/** Repeats an attempt until it returns a value, because another process was first. @throws {MemoryError} `STORE_LOCKED`. */
export async function untilDone<T>(
  backend: MemoryBackend,
  attempt: () => Promise<T | undefined>,
  { key, signal }: CallOptions & { readonly key?: string },
): Promise<T> {
  const result = await retry(attempt, { attempts: MAX_ATTEMPTS, maxWaitMs: MAX_WAIT_MS, signal });
  if (result !== undefined) return result;
  const summary = `[memory:${backend.name}] Other processes changed the fact during ${MAX_ATTEMPTS} attempts`;
  throw new MemoryError('STORE_LOCKED', [summary, 'Nothing was changed; repeat the call.'], { key });
}

/** Makes a change; `undefined` when another process was first. @throws {MemoryError} `FACT_EXISTS`. */
export async function tryChange(
  backend: MemoryBackend,
  key: string,
  { rows, signal }: CallOptions & { readonly rows: readonly FactRowChange[] },
): Promise<true | undefined> {
  const result = await writeFacts(backend, key, rows, { signal });
  if (result.isDone) return true;
  if (result.reason === 'changed') return undefined;
  const summary = `Another fact has this text: ${result.id ?? ''}`;
  throw new MemoryError('FACT_EXISTS', [summary, 'Use that fact, or archive it first. Nothing was changed.'], { key });
}
