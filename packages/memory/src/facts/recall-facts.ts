import { countingReader, createReader } from '../records/reader.ts';
import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import { factTables, readRows, type FactDependencies } from './fact-table.ts';
import { checkShare, checkWhole, refuse } from '../records/checks.ts';
import { MemoryError } from '../errors.ts';
import type { VectorSource } from '../vectors/make-vectors.ts';
import type { TermQuery, TermResult, TermSource } from '../terms/term-query.ts';
import { findDisagreements } from './disagreement.ts';
import { factOf, isActive, parseFact, searchTextOf, timeOf, type FactTable } from './fact.ts';
import { LabelledRows } from './labels.ts';
import type { RecalledFact, RecalledFacts, RecallFactsOptions } from './facts-api.ts';
import { filterOf, forEachTable, listFacts, tablesOf } from './selection.ts';

const DEFAULT_LIMIT = 5;
/** The best facts, among which those that disagree are found, whatever the page. */
const COMPARED = 10;

/** Marks the facts that disagree with others, and puts the newer ones first. Equally marked ones only: the mark decides before. */
function arranged(facts: readonly RecalledFact[]): RecalledFact[] {
  const others = findDisagreements(facts.map(({ text }) => text));
  const marked = facts.map((fact, index): RecalledFact => {
    const ids = (others[index] ?? []).flatMap((other) => facts[other]?.id ?? []);
    return ids.length === 0 ? fact : { ...fact, disagreesWith: ids };
  });
  const placed = new Set<RecalledFact>();
  const place = (fact: RecalledFact): void => {
    if (placed.has(fact)) return;
    const newer = marked.filter(
      (other) =>
        fact.disagreesWith?.includes(other.id) === true &&
        other.updatedAt > fact.updatedAt &&
        other.isSimilar === fact.isSimilar,
    );
    // A newer one may disagree with one that is newer still.
    for (const other of newer.toSorted((left, right) => right.updatedAt - left.updatedAt)) place(other);
    placed.add(fact);
  };
  for (const fact of marked) place(fact);
  return [...placed];
}

/** Returns the source of the facts of a table. */
export function sourceOf({ key }: FactTable): TermSource & VectorSource {
  return {
    key,
    meaningOf: (text) => {
      const stored = parseFact(text);
      if (stored === undefined || !isActive(stored)) return undefined;
      return { text: searchTextOf(stored), isSecret: stored.allowSecret === true };
    },
    textOf: (text) => {
      const stored = parseFact(text);
      if (stored === undefined || !isActive(stored)) return undefined;
      return { text: searchTextOf(stored), timeMs: timeOf(stored) };
    },
  };
}

/** Returns the sources of the facts of all projects and of the user. */
export async function factSources(backend: MemoryBackend, call: CallOptions): Promise<VectorSource[]> {
  const tables = await factTables(backend, { ...call, reader: createReader(backend, () => undefined) });
  return tables.map(sourceOf);
}

/** Searches the tables of a selection. Of two, one under whose key another program wrote is reported and left out. */
async function searchTables(
  dependencies: FactDependencies,
  options: RecallFactsOptions & TermQuery,
): Promise<{ readonly found: TermResult; readonly tables: readonly FactTable[] }> {
  const { terms, backend } = dependencies;
  const { query, limit, offset, accept, minEvidence, glossary, findsRelated, embed, meaning } = options;
  const { onNotice, signal } = options;
  const search = async (tables: readonly FactTable[]): Promise<TermResult> =>
    terms.search(tables.map(sourceOf), {
      query,
      limit,
      offset,
      accept,
      minEvidence,
      glossary,
      findsRelated,
      embed,
      meaning,
      onNotice,
      signal,
    });
  const tables = tablesOf(dependencies, options);
  try {
    return { found: await search(tables), tables };
  } catch (error) {
    if (!MemoryError.isInstance(error) || error.code !== 'CORRUPT_RECORD') throw error;
    const readable: FactTable[] = [];
    await forEachTable(dependencies, options, async (table) => {
      await backend.rows(table.key, [], { signal });
      readable.push(table);
    });
    if (readable.length === tables.length) throw error;
    return { found: await search(readable), tables: readable };
  }
}

/** Reports the rows of a table that are not facts, which no word finds. Without labels all rows are read. */
async function reportUnreadable(
  { backend, reader }: Pick<FactDependencies, 'backend' | 'reader'>,
  key: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const labelled = new LabelledRows(backend, key, { signal });
  if (await labelled.isComplete()) {
    for await (const { id, text } of labelled.unreadable()) reader.report({ key, id, record: text });
    return;
  }
  for (const { id, text, stored } of await readRows(backend, key, { signal })) {
    if (stored === undefined) reader.report({ key, id, record: text });
  }
}

type Asked = RecallFactsOptions & Pick<TermQuery, 'embed' | 'findsRelated' | 'meaning'>;

export async function recallFacts(dependencies: FactDependencies, options: Asked): Promise<RecalledFacts> {
  const { query, limit = DEFAULT_LIMIT, offset = 0 } = options;
  if (typeof query !== 'string') refuse('The query is not a string', 'Pass a text.');
  checkWhole(limit, 'limit', { min: 1 });
  checkWhole(offset, 'offset', { min: 0 });
  checkShare(options.minEvidence, 'minEvidence');
  const reader = countingReader(dependencies);
  const counted = { ...dependencies, reader };
  const recalled = query.trim() === '' ? await listed(counted, options) : await ranked(counted, options);
  const unreadable = reader.unreadable();
  return unreadable === 0 ? recalled : { ...recalled, unreadable };
}

async function listed(dependencies: FactDependencies, options: Asked): Promise<RecalledFacts> {
  const { limit = DEFAULT_LIMIT, offset = 0 } = options;
  const { facts, total, nextOffset } = await listFacts(dependencies, { ...options, archived: false, limit, offset });
  const listed = facts.map((fact): RecalledFact => ({ ...fact, score: 0, matched: [] }));
  return { facts: listed, searched: total, hasMore: nextOffset !== undefined };
}

async function ranked(dependencies: FactDependencies, options: Asked): Promise<RecalledFacts> {
  const { limit = DEFAULT_LIMIT, offset = 0, signal } = options;
  const { reader } = dependencies;
  const accepts = filterOf(options);
  const accept = (record: string, { key }: TermSource): boolean => {
    const stored = parseFact(record);
    if (stored === undefined) reader.report({ key, record });
    return stored !== undefined && isActive(stored) && accepts(stored);
  };
  // The first page and a later one have the same order.
  const begin = offset < COMPARED ? 0 : offset;
  const count = Math.max(offset + limit, COMPARED) - begin;
  const { found, tables } = await searchTables(dependencies, { ...options, limit: count, offset: begin, accept });
  for (const { key } of tables) await reportUnreadable(dependencies, key, signal);
  const byKey = new Map(tables.map((table) => [table.key, table]));
  const all = found.hits.flatMap(({ source, record, score, evidence, isSimilar, matched }): RecalledFact[] => {
    const [table, stored] = [byKey.get(source.key), parseFact(record)];
    if (table === undefined || stored === undefined) return [];
    const judged = { ...(evidence && { evidence }), ...(isSimilar && { isSimilar }) };
    return [{ ...factOf(stored, table), score, ...judged, matched }];
  });
  const compared = Math.max(0, COMPARED - begin);
  const ordered = [...arranged(all.slice(0, compared)), ...all.slice(compared)];
  const facts = ordered.slice(offset - begin, offset - begin + limit);
  const hasMore = found.hasMore || ordered.length > offset - begin + limit;
  return { facts, searched: found.searched, fullScore: found.fullScore, hasMore };
}
