/** How facts are found by their ids, changed, and forgotten. */
import { quoted } from '@cairn/tool/kernel';
import { MemoryError } from '../errors.ts';
import type { CallOptions } from '../records/backend.ts';
import { removeKept } from '../records/kept-elsewhere.ts';
import { checkName, UNKNOWN_KEY } from '../records/keys.ts';
import { randomName } from '../records/random-name.ts';
import { checkSecrets, checkTags, checkText } from './checks.ts';
import { factOf, isActive, parseFact, type Fact, type FactChange, type FactTable, type StoredFact } from './fact.ts';
import { factRow, readRow, readRows, tryChange, untilDone } from './fact-table.ts';
import type { FactDependencies, FactRow, FactRowChange } from './fact-table.ts';
import type {
  ForgottenFact,
  ProjectOptions,
  RestoreFactOptions,
  SupersedeFactOptions,
  UpdateFactOptions,
} from './facts-api.ts';
import { foldText } from './fold.ts';
import { LabelledRows } from './labels.ts';
import { isForeign, tablesOf, type Found } from './selection.ts';
import { amend, historyOf, stateToRestore, type FactState } from './versions.ts';

/** A fact with its earlier versions has at most as many bytes as this many of the largest texts. */
const MAX_VERSION_SIZES = 16;

/** Returns the text of a row. @throws {MemoryError} `TOO_LARGE`. */
function recordOf({ limits: { maxContentBytes } }: FactDependencies, stored: StoredFact): string {
  const record = JSON.stringify(stored);
  const [bytes, max] = [Buffer.byteLength(record), maxContentBytes * MAX_VERSION_SIZES];
  if (bytes <= max) return record;
  const summary = `The fact ${quoted(stored.id)} with its earlier versions would have ${bytes} bytes, more than ${max}`;
  throw new MemoryError('TOO_LARGE', [summary, 'Remember its text as a new fact. Nothing was changed.']);
}

/** Returns the change that adds a fact. @throws {MemoryError} `TOO_LARGE`. */
export function newRow(dependencies: FactDependencies, stored: StoredFact): FactRowChange {
  return factRow(stored.id, undefined, recordOf(dependencies, stored));
}

function changedRow(dependencies: FactDependencies, row: FactRow, next: StoredFact): FactRowChange {
  return factRow(row.id, row.text, recordOf(dependencies, next));
}

/** Where a fact is searched for: in one table, or in the project's and the user's. */
interface PlaceOptions extends ProjectOptions {
  readonly table?: FactTable | undefined;
}

/** Returns the row of a fact, which may be unreadable. Other projects are not read. */
async function findRow(
  dependencies: FactDependencies,
  id: string,
  { project, table: only, signal }: PlaceOptions,
): Promise<{ readonly table: FactTable; readonly row: FactRow } | undefined> {
  checkName(id, 'fact');
  let foreign: Error | undefined;
  for (const table of only === undefined ? tablesOf(dependencies, { project }) : [only]) {
    try {
      const row = await readRow(dependencies.backend, table.key, { id, signal });
      if (row !== undefined) return { table, row };
    } catch (error) {
      // The other table may have the fact.
      if (!isForeign(error)) throw error;
      foreign = error;
    }
  }
  if (foreign !== undefined) throw foreign;
  return undefined;
}

/** @throws {MemoryError} `UNKNOWN_FACT`, `CORRUPT_RECORD`. */
export async function findFact(dependencies: FactDependencies, id: string, options: PlaceOptions): Promise<Found> {
  const found = await findRow(dependencies, id, options);
  if (found === undefined) {
    const [first] = tablesOf(dependencies, { project: options.project });
    const summary = `Unknown fact ${quoted(id)}: ${first?.scope === 'project' ? 'neither the project nor the user has it' : 'the user has no such fact'}`;
    throw new MemoryError('UNKNOWN_FACT', [summary, 'List or recall the facts to get their ids.']);
  }
  const { table, row } = found;
  const { key } = table;
  if (row.stored !== undefined) return { table, row, stored: row.stored };
  dependencies.reader.report({ key, id, record: row.text });
  const summary = `The fact ${quoted(id)} under ${key} is not readable`;
  throw new MemoryError('CORRUPT_RECORD', [summary, 'It was not changed; export it, or forget it.'], { key });
}

/** @throws {MemoryError} `FACT_ARCHIVED`. */
export function checkActive({ id, supersededBy, archivedAt }: StoredFact): void {
  if (supersededBy !== undefined) {
    const summary = `The fact ${quoted(id)} was superseded by ${quoted(supersededBy)}`;
    throw new MemoryError('FACT_ARCHIVED', [summary, 'Change that fact, or restore this one first.']);
  }
  if (archivedAt === undefined) return;
  throw new MemoryError('FACT_ARCHIVED', [`The fact ${quoted(id)} is archived`, 'Restore it first.']);
}

/** Returns the time of the store, and the time up to which expired data may be deleted. */
export async function timesOf(
  { backend }: FactDependencies,
  { signal }: CallOptions,
): Promise<{ readonly nowMs: number; readonly trustedMs: number }> {
  return { nowMs: await backend.now({ signal }), trustedMs: await backend.now({ trusted: true, signal }) };
}

/** Makes changes of a fact and of other rows until no other process is first. Without rows the fact stays as it is. */
function changeRows(
  dependencies: FactDependencies,
  id: string,
  options: PlaceOptions,
  make: (
    found: Found,
    times: { readonly nowMs: number; readonly trustedMs: number },
  ) => Promise<{ readonly next: StoredFact; readonly rows: readonly FactRowChange[] }>,
): Promise<Fact> {
  const { backend } = dependencies;
  const { signal } = options;
  const attempt = async (): Promise<Fact | undefined> => {
    const found = await findFact(dependencies, id, options);
    const { next, rows } = await make(found, await timesOf(dependencies, options));
    const isDone = rows.length === 0 || (await tryChange(backend, found.table.key, { rows, signal }));
    return isDone && factOf(next, found.table);
  };
  return untilDone(backend, attempt, { signal });
}

/** Returns what changes of a fact. It may refuse. @throws {MemoryError} */
export type Apply = (stored: StoredFact, nowMs: number) => Partial<FactState>;

/** @throws {MemoryError} */
export function changeFact(
  dependencies: FactDependencies,
  id: string,
  options: PlaceOptions,
  { by, apply }: { readonly by: FactChange; readonly apply: Apply },
): Promise<Fact> {
  return changeRows(dependencies, id, options, async ({ row, stored }, times) => {
    const next = amend(stored, apply(stored, times.nowMs), { by, ...times });
    return { next, rows: next === stored ? [] : [changedRow(dependencies, row, next)] };
  });
}

export async function updateFact(
  dependencies: FactDependencies,
  id: string,
  changes: UpdateFactOptions,
): Promise<Fact> {
  const { text, tags, pinned, shared, allowSecret, project, signal } = changes;
  const state = {
    ...(text !== undefined && { text: checkText(text, dependencies.limits) }),
    ...(tags !== undefined && { tags: checkTags(tags) }),
    ...(pinned !== undefined && { pinned: pinned || undefined }),
    ...(shared !== undefined && { shared: shared || undefined }),
    ...(allowSecret === true && { allowSecret }),
  };
  checkSecrets([state.text ?? '', ...(state.tags ?? [])], allowSecret);
  const apply: Apply = (stored) => {
    checkActive(stored);
    return state;
  };
  return changeFact(dependencies, id, { project, signal }, { by: 'update', apply });
}

export async function supersedeFact(
  dependencies: FactDependencies,
  id: string,
  text: string,
  { source, allowSecret, ...options }: SupersedeFactOptions,
): Promise<Fact> {
  const content = checkText(text, dependencies.limits);
  const tags = options.tags === undefined ? undefined : checkTags(options.tags);
  if (source !== undefined) checkName(source, 'source');
  checkSecrets([content, ...(tags ?? []), source ?? ''], allowSecret);
  return changeRows(dependencies, id, options, async ({ row, stored }, times) => {
    checkActive(stored);
    const { stream, shared } = stored;
    const next: StoredFact = {
      id: `fact_${randomName()}`,
      text: content,
      stream,
      shared,
      tags: tags ?? stored.tags,
      source,
      pinned: (options.pinned ?? stored.pinned) || undefined,
      createdAt: times.nowMs,
      updatedAt: times.nowMs,
      supersedes: id,
      allowSecret: allowSecret || undefined,
      revision: 1,
    };
    const before = amend(stored, { supersededBy: next.id }, { by: 'supersede', ...times });
    return { next, rows: [changedRow(dependencies, row, before), newRow(dependencies, next)] };
  });
}

/** Archives a fact; one that is no longer recalled stays as it is. @throws {MemoryError} */
export function archiveFact(dependencies: FactDependencies, id: string, options: ProjectOptions): Promise<Fact> {
  const apply: Apply = (stored, nowMs) => (isActive(stored) ? { archivedAt: nowMs } : {});
  return changeFact(dependencies, id, options, { by: 'archive', apply });
}

/**
 * Archives the fact that superseded a fact which is restored, at the end of the chain when it was superseded too; `undefined`
 * when there is none to archive.
 */
async function archivedSuccessor(
  dependencies: FactDependencies,
  { table, stored: restored }: Found,
  { nowMs, trustedMs, signal }: CallOptions & { readonly nowMs: number; readonly trustedMs: number },
): Promise<FactRowChange | undefined> {
  // Changed by hand, a chain could be a circle.
  const seen = new Set<string>();
  let last: StoredFact = restored;
  while (last.supersededBy !== undefined && !seen.has(last.supersededBy)) {
    seen.add(last.supersededBy);
    const row = await readRow(dependencies.backend, table.key, { id: last.supersededBy, signal });
    const stored = row?.stored;
    if (row === undefined || stored === undefined || stored.supersedes !== last.id) return undefined;
    if (isActive(stored)) {
      return changedRow(dependencies, row, amend(stored, { archivedAt: nowMs }, { by: 'archive', nowMs, trustedMs }));
    }
    last = stored;
  }
  return undefined;
}

export function restoreFact(
  dependencies: FactDependencies,
  id: string,
  { revision: wanted, ...options }: RestoreFactOptions,
): Promise<Fact> {
  return changeRows(dependencies, id, options, async (found, times) => {
    const { row, stored } = found;
    const { revision, state } = stateToRestore(stored, { revision: wanted, nowMs: times.nowMs });
    const next = amend(stored, state, { by: 'restore', restoredFrom: revision, ...times });
    if (next === stored) return { next, rows: [] };
    const successor =
      state.supersededBy === undefined
        ? await archivedSuccessor(dependencies, found, { ...times, signal: options.signal })
        : undefined;
    return { next, rows: [changedRow(dependencies, row, next), ...(successor === undefined ? [] : [successor])] };
  });
}

/** Removes what an import kept of a fact as lines. */
async function removeElsewhere(
  { backend, reader, project: ownProject }: FactDependencies,
  id: string,
  { project = ownProject, signal }: ProjectOptions,
): Promise<void> {
  const keys = tablesOf({ project }, {}).map(({ key }) => key);
  try {
    await removeKept(backend, { accepts: (place) => place.id === id && keys.includes(place.key), signal });
  } catch (error) {
    // Another program wrote something else under the key: it has no line.
    if (!isForeign(error)) throw error;
    reader.report({ key: UNKNOWN_KEY, record: '', reason: error.summary });
  }
}

/**
 * Returns the rows that a fact superseded, and those that these superseded: those with a string that it has or had, such as after a
 * move, and the others.
 */
async function supersededBy(
  { backend }: FactDependencies,
  { table, stored }: Found,
  { signal }: CallOptions,
): Promise<{ readonly equal: FactRow[]; readonly others: FactRow[] }> {
  const texts = new Set([stored.text, ...historyOf(stored).map(({ text }) => text)].map(foldText));
  const labelled = new LabelledRows(backend, table.key, { signal });
  const rows: FactRow[] = [];
  const seen = new Set([stored.id]);
  if (await labelled.isComplete()) {
    // The set grows during the loop.
    for (const successor of seen) {
      for await (const row of labelled.supersededBy(successor)) {
        if (!seen.has(row.id)) rows.push({ ...row, stored: parseFact(row.text) });
        seen.add(row.id);
      }
    }
  } else {
    const all = await readRows(backend, table.key, { mayHave: '"supersededBy"', signal });
    for (const successor of seen) {
      for (const row of all) {
        if (row.stored?.supersededBy !== successor || seen.has(row.id)) continue;
        rows.push(row);
        seen.add(row.id);
      }
    }
  }
  const isEqual = (row: FactRow): boolean => texts.has(foldText(row.stored?.text ?? ''));
  return { equal: rows.filter(isEqual), others: rows.filter((row) => !isEqual(row)) };
}

/** Removes a fact, even if it is unreadable, and the superseded facts with its text. */
export async function forgetFact(
  dependencies: FactDependencies,
  id: string,
  options: ProjectOptions,
): Promise<ForgottenFact> {
  const { backend } = dependencies;
  const { signal } = options;
  const attempt = async (): Promise<Omit<ForgottenFact, 'erased' | 'backups'> | undefined> => {
    const found = await findRow(dependencies, id, options);
    if (found === undefined) return { forgotten: false };
    const { table, row } = found;
    const { stored } = row;
    const superseded =
      stored === undefined
        ? { equal: [], others: [] }
        : await supersededBy(dependencies, { table, row, stored }, options);
    const removed = [row, ...superseded.equal];
    const rows = removed.map((one) => ({ id: one.id, expected: one.text, next: undefined }));
    if (!(await tryChange(backend, table.key, { rows, signal }))) return undefined;
    const kept = superseded.others.map((one) => one.id);
    return { forgotten: true, ...(kept.length > 0 && { superseded: kept }) };
  };
  const result = await untilDone(backend, attempt, { signal });
  await removeElsewhere(dependencies, id, options);
  // Also when it is gone: a process may have been killed before it erased the text.
  const erased = await backend.erase({ signal });
  const backups = await backend.keptUntil?.({ signal });
  return { ...result, erased, ...(backups !== undefined && { backups }) };
}
