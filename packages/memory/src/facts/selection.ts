/** Which facts a call selects, and in which order. */
import { checkTime, checkWhole } from '../records/checks.ts';
import { DEFAULT_STREAM } from '../defaults.ts';
import { MemoryError } from '../errors.ts';
import { checkName } from '../records/keys.ts';
import { checkTags, tagKey } from './checks.ts';
import { factOf, isActive, isVisible, parseFact, timeOf, type Fact, type FactTable, type StoredFact } from './fact.ts';
import { factTable, readRows, type FactDependencies, type FactRow } from './fact-table.ts';
import type { FactList, FactListOptions, FactSelection } from './facts-api.ts';
import { LabelledRows, labelOf, type Audience, type FactKind } from './labels.ts';

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

/** Facts of a selection. Only those that are asked for are read, and a page more. */
interface OpenSelection {
  /** The number of all. A row that turns out not to be readable when it is read counts too. */
  readonly total: number;
  /** In the order of the groups, and in each the newest first. */
  readonly facts: AsyncIterable<Found>;
}

interface OpenOptions {
  /** The kinds of facts, in groups that are read in sequence. */
  readonly groups: readonly (readonly FactKind[])[];
  /** How many facts the caller will probably read. */
  readonly wanted: number;
}

const MAX_PAGE_ROWS = 256;

function kindOf(stored: StoredFact): FactKind {
  return isActive(stored) ? (stored.pinned === true ? 'pinned' : 'plain') : 'archived';
}

/** The facts of one kind in one table, as lists that are read in parallel, each newest first. */
class TableReader {
  readonly #dependencies: FactDependencies;
  readonly #selection: FactSelection;
  readonly #table: FactTable;
  readonly #labelled: LabelledRows;
  readonly #accepts: (stored: StoredFact) => boolean;

  constructor(dependencies: FactDependencies, selection: FactSelection, table: FactTable) {
    this.#dependencies = dependencies;
    this.#selection = selection;
    this.#table = table;
    this.#labelled = new LabelledRows(dependencies.backend, table.key, selection);
    this.#accepts = filterOf(selection);
  }

  async isComplete(): Promise<boolean> {
    if (!(await this.#labelled.isComplete())) return false;
    for await (const { id, text } of this.#labelled.unreadable()) this.#report(id, text);
    return true;
  }

  #report(id: string, record: string): void {
    this.#dependencies.reader.report({ key: this.#table.key, id, record });
  }

  /** Returns the labels that have all facts of a kind in the selection. Of several tags, it is the rarest one. */
  async labels(kind: FactKind): Promise<{ readonly label: string; readonly count: number }[]> {
    const { stream = DEFAULT_STREAM, allStreams = false, tags = [] } = this.#selection;
    const audiences: readonly (Audience | undefined)[] = allStreams ? [undefined] : [{ isShared: true }, { stream }];
    const wanted = tags.length === 0 ? [undefined] : new Set(checkTags(tags).map(tagKey));
    const labels = audiences.map(async (audience) => {
      const all = Array.from(wanted, async (tag) => {
        const label = labelOf(kind, audience, tag);
        return { label, count: await this.#labelled.count(label) };
      });
      return (await Promise.all(all)).reduce((least, one) => (one.count < least.count ? one : least));
    });
    return Promise.all(labels);
  }

  /** Yields the selected facts with a label. */
  async *read(label: string, pageRows: number): AsyncGenerator<Found, void, undefined> {
    const { since = -Infinity, until } = this.#selection;
    const before = until === undefined ? undefined : { place: Math.ceil(until), sequence: 0 };
    for await (const row of this.#labelled.read(label, { pageRows, before })) {
      if (row.place < since) return;
      const stored = parseFact(row.text);
      if (stored === undefined) this.#report(row.id, row.text);
      else if (this.#accepts(stored)) yield { table: this.#table, row: { ...row, stored }, stored };
    }
  }
}

/** Merges lists that are in order. */
async function* merged(lists: readonly AsyncGenerator<Found, void, undefined>[]): AsyncGenerator<Found> {
  const heads = await Promise.all(lists.map((list) => list.next()));
  for (;;) {
    let best: { readonly index: number; readonly found: Found } | undefined;
    for (const [index, { value: found }] of heads.entries()) {
      if (found && (best === undefined || compareNewest(found, best.found) < 0)) best = { index, found };
    }
    const list = best && lists[best.index];
    if (best === undefined || list === undefined) return;
    yield best.found;
    heads[best.index] = await list.next();
  }
}

async function* inSequence(
  groups: readonly AsyncIterable<Found>[] | readonly (readonly Found[])[],
): AsyncGenerator<Found> {
  for (const group of groups) yield* group;
}

/**
 * Opens a selection. By its labels, it costs the same with any number of facts; with several tags, or limits of time, it reads the
 * facts of the rarest tag, or of that time. When another program wrote rows without labels into a table, all facts are read.
 */
export async function openSelection(
  dependencies: FactDependencies,
  selection: FactSelection,
  { groups, wanted }: OpenOptions,
): Promise<OpenSelection> {
  // Invalid options are rejected even if nothing is read.
  filterOf(selection);
  const readers: TableReader[] = [];
  let isComplete = true;
  await forEachTable(dependencies, selection, async (table) => {
    const reader = new TableReader(dependencies, selection, table);
    isComplete = (await reader.isComplete()) && isComplete;
    readers.push(reader);
  });
  if (!isComplete) {
    const all = await selectFacts(dependencies, selection);
    const found = groups.map((kinds) => all.filter(({ stored }) => kinds.includes(kindOf(stored))));
    return { total: found.flat().length, facts: inSequence(found) };
  }
  const pageRows = Math.min(wanted + 1, MAX_PAGE_ROWS);
  let total = 0;
  const lists: AsyncGenerator<Found>[] = [];
  for (const kinds of groups) {
    const open = readers.flatMap((reader) =>
      kinds.map(async (kind) => ({ reader, labels: await reader.labels(kind) })),
    );
    const own = (await Promise.all(open)).flatMap(({ reader, labels }) => labels.map((one) => ({ ...one, reader })));
    for (const { count } of own) total += count;
    // The others have no first page.
    const filled = own.filter(({ count }) => count > 0);
    lists.push(merged(filled.map(({ reader, label }) => reader.read(label, pageRows))));
  }
  const { tags = [], since, until } = selection;
  if (tags.length <= 1 && since === undefined && until === undefined) return { total, facts: inSequence(lists) };
  const found: Found[] = [];
  for await (const one of inSequence(lists)) found.push(one);
  return { total: found.length, facts: inSequence([found]) };
}

export async function listFacts(dependencies: FactDependencies, options: FactListOptions): Promise<FactList> {
  const { archived = false, limit = DEFAULT_PAGE, offset = 0 } = options;
  checkWhole(limit, 'limit', { min: 1, isEndless: true });
  checkWhole(offset, 'offset', { min: 0 });
  const groups: OpenOptions['groups'] = archived ? [['archived']] : [['pinned', 'plain']];
  const { total: counted, facts: selected } = await openSelection(dependencies, options, {
    groups,
    wanted: offset + limit,
  });
  const facts: Fact[] = [];
  let seen = 0;
  if (offset < counted) {
    for await (const { stored, table } of selected) {
      seen += 1;
      if (seen > offset) facts.push(factOf(stored, table));
      if (facts.length === limit) break;
    }
  }
  // Others may have been added since they were counted.
  const total = Math.max(counted, seen);
  const nextOffset = offset + facts.length;
  return { facts, total, ...(facts.length > 0 && nextOffset < total && { nextOffset }) };
}
