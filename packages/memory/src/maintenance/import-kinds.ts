/** Imports the lines of each kind: how they are compared with what the memory has, and how they are added. */
import { claimStream } from '../conversations/claims.ts';
import type { ImportedMessage } from '../conversations/message.ts';
import type { Messages } from '../conversations/messages.ts';
import { factTable, type FactDependencies } from '../facts/fact-table.ts';
import { placeRows } from '../facts/move-facts.ts';
import type { Graph } from '../graph/graph.ts';
import type { CallOptions } from '../records/backend.ts';
import { namespaceKey, notesKey, UNKNOWN_KEY } from '../records/keys.ts';
import { swapDocument } from '../records/documents.ts';
import { listRuleOf } from '../records/limits.ts';
import { appendRecords } from '../records/lists.ts';
import { namespaceDraft, parseNamespaceRecord } from '../records/namespace.ts';
import { Turns } from '../records/turns.ts';
import { noteDraft, type Note, type Notes } from '../workflows/notes.ts';
import type { Workflows } from '../workflows/workflows.ts';
import { listUnreadable, readKept } from './contents.ts';
import { unreadableLine, type ExportDependencies } from './export.ts';
import { workflowOf, type Line, type LineOf } from './lines.ts';

export interface ImportDependencies extends ExportDependencies {
  readonly messages: Messages;
  readonly notes: Notes;
  readonly workflows: Workflows;
  readonly graph: (name: string) => Graph;
  readonly factDependencies: FactDependencies;
}

/** The work of comparing or checking a line, in units of {@link Turns}. */
export const UNITS_PER_LINE = 64;
/** The records that one step writes. */
const BATCH = 200;
/** The UTF-16 code units after which a step ends: a store is held while it writes their terms. */
const UNITS_PER_BATCH = 64 * 1024;

export interface Counts {
  added: number;
  present: number;
  dropped: number;
}

interface Importing extends CallOptions {
  readonly count: Counts;
}

function* batchesOf<T>(items: readonly T[]): Generator<readonly T[], void, undefined> {
  let batch: T[] = [];
  let units = 0;
  for (const item of items) {
    batch.push(item);
    units += JSON.stringify(item).length;
    if (batch.length < BATCH && units < UNITS_PER_BATCH) continue;
    yield batch;
    batch = [];
    units = 0;
  }
  if (batch.length > 0) yield batch;
}

type Import<One> = (dependencies: ImportDependencies, lines: readonly One[], importing: Importing) => Promise<void>;

/** Imports lines one at a time. `add` returns whether the line was missing; `undefined` when it has expired. */
function each<One>(
  add: (dependencies: ImportDependencies, line: One, call: CallOptions) => Promise<boolean | undefined>,
): Import<One> {
  return async (dependencies, lines, { count, signal }) => {
    for (const line of lines) {
      const isAdded = await add(dependencies, line, { signal });
      count[isAdded === undefined ? 'dropped' : isAdded ? 'added' : 'present'] += 1;
    }
  };
}

/** A list of records. `first` is a line with its key. */
interface List<First, Stored> {
  /** Creates a function that returns the same text for equal records. */
  readonly identities: () => (record: Stored) => string;
  readonly read: (dependencies: ImportDependencies, first: First, call: CallOptions) => Promise<readonly Stored[]>;
  readonly add: (
    dependencies: ImportDependencies,
    first: First,
    records: readonly Stored[],
    call: CallOptions,
  ) => Promise<unknown>;
}

/** Adds the records that a list does not have, and counts them. */
function listOf<First extends Stored, Stored extends { readonly time: number }>({
  identities,
  read,
  add,
}: List<First, Stored>): Import<First> {
  return async (dependencies, lines, { count, signal }) => {
    const turns = new Turns(signal);
    const [first] = lines as readonly [First, ...First[]];
    const identified = async (records: readonly Stored[]): Promise<Map<string, Stored>> => {
      const identify = identities();
      const found = new Map<string, Stored>();
      for (const record of records) {
        found.set(identify(record), record);
        if (turns.spend(UNITS_PER_LINE)) await turns.next();
      }
      return found;
    };
    const before = await identified(await read(dependencies, first, { signal }));
    const missing = [...(await identified(lines))].filter(([identity]) => !before.has(identity));
    count.present += lines.length - missing.length;
    if (missing.length === 0) return;
    const fresh = missing.toSorted(([, a], [, b]) => a.time - b.time);
    for (const batch of batchesOf(fresh)) {
      const records = batch.map(([, record]) => record);
      await add(dependencies, first, records, { signal });
      // SQLite writes in this thread.
      await turns.next();
    }
    const after = await identified(await read(dependencies, first, { signal }));
    const kept = fresh.filter(([identity]) => after.has(identity)).length;
    count.added += kept;
    count.dropped += fresh.length - kept;
  };
}

/** Numbers equal records at one time, so that all are kept: they may be events that are counted. */
function numbered(): (record: Pick<LineOf<'record'>, 'value' | 'time'>) => string {
  const copies = new Map<string, number>();
  return ({ value, time }) => {
    const identity = JSON.stringify([value, time]);
    const copy = copies.get(identity) ?? 0;
    copies.set(identity, copy + 1);
    return `${copy} ${identity}`;
  };
}

/** Adds missing entities, observations and relations. Existing entities keep their type. */
const importGraph: Import<LineOf<'graph'>> = async (dependencies, lines, { count, signal }) => {
  const graph = dependencies.graph(lines[0]?.graph ?? '');
  for (const batch of batchesOf(lines.map(({ line }) => line))) {
    const entities = batch.filter((line) => line.type === 'entity');
    const created = new Set(await graph.createEntities(entities, { signal }));
    const known = entities.filter((entity) => !created.has(entity));
    const observations = known.map(({ name, observations: contents }) => ({ entityName: name, contents }));
    const extended = (await graph.addObservations(observations, { signal })).filter(
      ({ addedObservations }) => addedObservations.length > 0,
    );
    const relations = batch.filter((line) => line.type === 'relation');
    const added = created.size + extended.length + (await graph.createRelations(relations, { signal })).length;
    count.added += added;
    count.present += batch.length - added;
  }
};

/** Keeps lines as they are, unless the next export has them anyway. */
const importUnknown: Import<LineOf<'unknown'>> = async ({ backend }, lines, { count, signal }) => {
  const present = new Set((await readKept(backend, { signal })).map(({ text }) => text));
  if (lines.some(({ isNewer }) => !isNewer)) {
    for (const record of await listUnreadable(backend, { signal })) present.add(unreadableLine(record));
  }
  const fresh = new Map(lines.filter(({ text }) => !present.has(text)).map((line) => [line.text, line]));
  const drafts = Array.from(fresh.values(), ({ text, version }) => ({
    before: `${JSON.stringify({ line: text, version }).slice(0, -1)},"time":`,
    after: '}',
  }));
  for (const batch of batchesOf(drafts)) {
    await appendRecords(backend, UNKNOWN_KEY, batch, { rule: listRuleOf({}), signal });
  }
  count.added += fresh.size;
  count.present += lines.length - fresh.size;
};

/** In the order of an import. */
const imports: { readonly [Kind in Line['kind']]: Import<LineOf<Kind>> } = {
  // With their earlier versions. A fact with the text of another one is kept as superseded by it.
  fact: async ({ factDependencies }, lines, { count, signal }) => {
    const table = factTable(lines[0]?.scope ?? 'user', lines[0]?.project);
    const rows = lines.map(({ fact }) => ({ id: fact.id, text: JSON.stringify(fact) }));
    const { added, merged, present } = await placeRows(factDependencies, { table, rows, signal });
    count.added += added + merged;
    count.present += present;
  },
  stream: each(({ backend }, claim, call) => claimStream(backend, claim, call)),
  message: listOf<LineOf<'message'>, ImportedMessage>({
    // Other programs may use one id for several messages, and each of them counts.
    identities:
      () =>
      ({ id, role, content, author, time, fields }) =>
        JSON.stringify([id, role, content, author, time, fields]),
    read: ({ messages }, { stream, group }, call) => messages.history({ stream, group }, call),
    add: ({ messages }, { stream, group }, batch, call) => messages.addAll({ stream, group }, batch, call),
  }),
  note: listOf<LineOf<'note'>, Note>({
    identities:
      () =>
      ({ content, source, time, temporary, fields }) =>
        JSON.stringify([content, source, time, temporary, fields]),
    read: ({ notes }, { workflowId }, call) => notes.getNotes(workflowId, call),
    add: ({ backend, limits }, { workflowId }, batch, call) => {
      const drafts = batch.map((note) => noteDraft(note, limits));
      return appendRecords(backend, notesKey(workflowId), drafts, { ...call, rule: limits.notes });
    },
  }),
  graph: importGraph,
  workflow: each(({ workflows }, line, call) => workflows.restore(workflowOf(line), call)),
  // They expire when the exported ones do.
  record: listOf<LineOf<'record'>, Pick<LineOf<'record'>, 'value' | 'time' | 'expiresAt'>>({
    identities: numbered,
    read: async ({ reader }, { namespace, key }, call) => {
      const entries = await reader.read(namespaceKey(namespace, key), call, parseNamespaceRecord);
      return entries.map(({ value }) => value);
    },
    add: ({ backend, limits }, { namespace, key }, batch, call) => {
      const drafts = batch.map(({ value, time, expiresAt }) => ({ ...namespaceDraft(value, limits, time), expiresAt }));
      return appendRecords(backend, namespaceKey(namespace, key), drafts, { ...call, rule: listRuleOf({}) });
    },
  }),
  document: each(async ({ backend }, { namespace, key, document, expiresAt = Infinity }, call) => {
    const ttlMs = expiresAt - (await backend.now(call));
    if (ttlMs <= 0) return undefined;
    return swapDocument(backend, namespaceKey(namespace, key), { expected: undefined, next: document, ttlMs }, call);
  }),
  unknown: importUnknown,
};

export const IMPORTED_KINDS: readonly string[] = Object.keys(imports);

export function importKind(
  dependencies: ImportDependencies,
  lines: readonly Line[],
  importing: Importing,
): Promise<void> {
  // All lines have the kind of the first one.
  return (imports[lines[0]?.kind ?? 'unknown'] as Import<Line>)(dependencies, lines, importing);
}
