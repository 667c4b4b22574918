/** Which facts a call selects, and in which order. */
import { checkTime, checkWhole } from '../records/checks.ts';
import { DEFAULT_STREAM } from '../defaults.ts';
import { MemoryError } from '../errors.ts';
import { checkName } from '../records/keys.ts';
import { checkTags, tagKey } from './checks.ts';
import { factOf, isActive, isVisible, timeOf, type FactTable, type StoredFact } from './fact.ts';
import { factTable, readRows, type FactDependencies, type FactRow } from './fact-table.ts';
import type { FactList, FactListOptions, FactSelection } from './facts-api.ts';

/** A readable fact with the table and the row that it was read from. */
export interface Found {
  readonly table: FactTable;
  readonly row: FactRow;
  readonly stored: StoredFact;
}

const DEFAULT_PAGE = 50;

/** Returns the tables of a scope, or of both. @throws {MemoryError} `INVALID_NAME`, `INVALID_INPUT`. */
export function tablesOf(
  { project: ownProject }: Pick<FactDependencies, 'project'>,
  { scope, project = ownProject }: Pick<FactSelection, 'scope' | 'project'>,
): FactTable[] {
  if (scope !== undefined) return [factTable(scope, project)];
  return [...(project === undefined ? [] : [factTable('project', project)]), factTable('user', undefined)];
}

/** Returns whether another program wrote something else under the key of facts. */
export function isForeign(error: unknown): error is MemoryError {
  return MemoryError.isInstance(error) && error.code === 'CORRUPT_RECORD';
}

/**
 * Runs a task for each table of a selection. When there are two, one under whose key another program wrote is reported and left out.
 *
 * @throws {MemoryError} `INVALID_NAME`, `INVALID_INPUT`, `CORRUPT_RECORD`.
 */
export async function forEachTable(
  dependencies: FactDependencies,
  selection: FactSelection,
  run: (table: FactTable) => Promise<unknown>,
): Promise<void> {
  const tables = tablesOf(dependencies, selection);
  for (const table of tables) {
    try {
      await run(table);
    } catch (error) {
      if (!isForeign(error) || tables.length === 1) throw error;
      dependencies.reader.report({ key: table.key, record: '', reason: error.summary });
    }
  }
}

/** Returns whether a selection has a fact, apart from its table. @throws {MemoryError} `INVALID_INPUT`, `INVALID_NAME`. */
export function filterOf(selection: FactSelection): (stored: StoredFact) => boolean {
  const { stream = DEFAULT_STREAM, allStreams = false, tags = [], since, until } = selection;
  checkName(stream, 'stream');
  checkTime(since, 'since');
  checkTime(until, 'until');
  const wanted = checkTags(tags).map(tagKey);
  return (stored) => {
    const timeMs = timeOf(stored);
    if (!allStreams && !isVisible(stored, stream)) return false;
    if (since !== undefined && timeMs < since) return false;
    if (until !== undefined && timeMs >= until) return false;
    if (wanted.length === 0) return true;
    const own = new Set(stored.tags?.map(tagKey));
    return wanted.every((tag) => own.has(tag));
  };
}

function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The last changed one first; of the same time and table, the last written one. */
function compareNewest(left: Found, right: Found): number {
  const byTime = timeOf(right.stored) - timeOf(left.stored);
  return byTime || compareTexts(left.table.key, right.table.key) || right.row.sequence - left.row.sequence;
}

/** Returns the selected facts, newest first, archived ones too, and reports the rows that are not facts. */
export async function selectFacts(dependencies: FactDependencies, selection: FactSelection): Promise<Found[]> {
  const { backend, reader } = dependencies;
  const accepts = filterOf(selection);
  const found: Found[] = [];
  await forEachTable(dependencies, selection, async (table) => {
    const { key } = table;
    for (const row of await readRows(backend, key, { signal: selection.signal })) {
      const { stored, id, text: record } = row;
      if (stored === undefined) reader.report({ key, id, record });
      else if (accepts(stored)) found.push({ table, row, stored });
    }
  });
  return found.toSorted(compareNewest);
}

export async function listFacts(dependencies: FactDependencies, options: FactListOptions): Promise<FactList> {
  const { archived = false, limit = DEFAULT_PAGE, offset = 0 } = options;
  checkWhole(limit, 'limit', { min: 1, isEndless: true });
  checkWhole(offset, 'offset', { min: 0 });
  const selected = await selectFacts(dependencies, options);
  const all = selected.filter(({ stored }) => isActive(stored) !== archived);
  const facts = all.slice(offset, offset + limit).map(({ stored, table }) => factOf(stored, table));
  const nextOffset = offset + facts.length;
  return { facts, total: all.length, ...(facts.length > 0 && nextOffset < all.length && { nextOffset }) };
}
