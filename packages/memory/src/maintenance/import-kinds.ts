/** Imports the lines of each kind: how they are compared with what the memory has, and how they are added. */
import type { ImportedMessage } from '../conversations/message.ts';
import type { Messages, Place } from '../conversations/messages.ts';
import type { ChangeDependencies } from '../facts/change-facts.ts';
import { factTable } from '../facts/fact-table.ts';
import { placeRows } from '../facts/move-facts.ts';
import type { Graph } from '../graph/graph.ts';
import type { CallOptions } from '../records/backend.ts';
import { namespaceKey, notesKey, UNKNOWN_KEY } from '../records/keys.ts';
import { swapDocument } from '../records/documents.ts';
import { listRuleOf } from '../records/limits.ts';
import { appendRecords } from '../records/lists.ts';
import { namespaceDraft, parseNamespaceRecord } from '../records/namespace.ts';
import { Turns } from '../records/turns.ts';
import { noteDraft } from '../workflows/notes.ts';
import type { Note, Notes } from '../workflows/notes.ts';
import type { Workflows } from '../workflows/workflows.ts';
import { listUnreadable, readKept } from './contents.ts';
import { unreadableLine } from './export.ts';
import type { ExportDependencies } from './export.ts';
import { workflowOf } from './lines.ts';
import type { LineOf } from './lines.ts';

export interface ImportDependencies extends ExportDependencies {
  readonly messages: Messages;
  readonly notes: Notes;
  readonly workflows: Workflows;
  readonly graph: (name: string) => Graph;
  readonly factDependencies: ChangeDependencies;
}

/** The work of comparing or checking a line, in units of {@link Turns}. */
export const UNITS_PER_LINE = 64;
/** The records that one step writes. */
const BATCH = 200;
/** The UTF-16 code units after which a step ends: a store is held while it writes their terms. */
const UNITS_PER_BATCH = 64 * 1024;

/** What became of lines. */
export interface Counts {
  added: number;
  present: number;
  dropped: number;
}

export interface Importing extends CallOptions {
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

/** Adds the records that a list does not have, and counts them. `identify` returns the same text for equal records. */
async function importRecords<T extends { readonly time: number }>(
  lines: readonly T[],
  {
    identify,
    read,
    add,
    count,
    signal,
  }: {
    readonly identify: (record: T) => string;
    readonly read: () => Promise<readonly T[]>;
    readonly add: (records: readonly T[]) => Promise<unknown>;
  } & Importing,
): Promise<void> {
  const turns = new Turns(signal);
  const readIdentities = async (): Promise<Set<string>> => {
    const identities = new Set<string>();
    for (const record of await read()) {
      identities.add(identify(record));
      if (turns.spend(UNITS_PER_LINE)) await turns.next();
    }
    return identities;
  };
  const before = await readIdentities();
  const missing = new Map<string, T>();
  for (const line of lines) {
    const identity = identify(line);
    if (!before.has(identity)) missing.set(identity, line);
    if (turns.spend(UNITS_PER_LINE)) await turns.next();
  }
  count.present += lines.length - missing.size;
  if (missing.size === 0) return;
  const fresh = [...missing].toSorted(([, a], [, b]) => a.time - b.time);
  for (const batch of batchesOf(fresh)) {
    await add(batch.map(([, line]) => line));
    // SQLite writes in this thread.
    await turns.next();
  }
  const after = await readIdentities();
  const kept = fresh.filter(([identity]) => after.has(identity)).length;
  count.added += kept;
  count.dropped += fresh.length - kept;
}

/** Adds facts with their earlier versions. A fact with the text of another one is kept as superseded by it. */
export async function importFacts(
  { factDependencies }: ImportDependencies,
  lines: readonly [LineOf<'fact'>, ...LineOf<'fact'>[]],
  { count, signal }: Importing,
): Promise<void> {
  const [{ scope, project }] = lines;
  const table = factTable(scope, project);
  const rows = lines.map(({ fact }) => ({ id: fact.id, text: JSON.stringify(fact) }));
  const { added, merged, present } = await placeRows(factDependencies, { table, rows, signal });
  count.added += added + merged;
  count.present += present;
}

export async function importMessages(
  { messages }: ImportDependencies,
  lines: readonly [LineOf<'message'>, ...LineOf<'message'>[]],
  { count, signal }: Importing,
): Promise<void> {
  const [{ stream, group }] = lines;
  const place: Place = { stream, group };
  await importRecords<ImportedMessage>(lines, {
    // Other programs may use one id for several messages, and each of them counts.
    identify: ({ id, role, content, author, time, fields }) =>
      JSON.stringify([id, role, content, author, time, fields]),
    read: () => messages.history(place, { signal }),
    add: (batch) => messages.addAll(place, batch, { signal }),
    count,
    signal,
  });
}

export async function importNotes(
  { backend, notes, limits }: ImportDependencies,
  lines: readonly [LineOf<'note'>, ...LineOf<'note'>[]],
  { count, signal }: Importing,
): Promise<void> {
  const [{ workflowId }] = lines;
  await importRecords<Note>(lines, {
    identify: ({ content, source, time, temporary, fields }) =>
      JSON.stringify([content, source, time, temporary, fields]),
    read: () => notes.getNotes(workflowId, { signal }),
    add: (batch) => {
      const drafts = batch.map((note) => noteDraft(note, limits));
      return appendRecords(backend, notesKey(workflowId), drafts, { rule: limits.notes, signal });
    },
    count,
    signal,
  });
}

export async function importWorkflows(
  { workflows }: ImportDependencies,
  lines: readonly LineOf<'workflow'>[],
  { count, signal }: Importing,
): Promise<void> {
  for (const line of lines) {
    const isAdded = await workflows.restore(workflowOf(line), { signal });
    count[isAdded ? 'added' : 'present'] += 1;
  }
}

interface Numbered extends Pick<LineOf<'record'>, 'value' | 'time' | 'expiresAt'> {
  /** How many equal records come before this one. */
  readonly copy: number;
}

function numbered(records: readonly Omit<Numbered, 'copy'>[]): readonly Numbered[] {
  const copies = new Map<string, number>();
  return records.map(({ value, time, expiresAt }) => {
    const identity = JSON.stringify([value, time]);
    const copy = copies.get(identity) ?? 0;
    copies.set(identity, copy + 1);
    return { value, time, expiresAt, copy };
  });
}

/** Adds records, which expire when the exported ones do. */
export async function importNamespaceRecords(
  { backend, reader, limits }: ImportDependencies,
  lines: readonly [LineOf<'record'>, ...LineOf<'record'>[]],
  { count, signal }: Importing,
): Promise<void> {
  const [{ namespace, key: name }] = lines;
  const key = namespaceKey(namespace, name);
  // Equal records at one time are all kept: they may be events that are counted.
  await importRecords<Numbered>(numbered(lines), {
    identify: ({ value, time, copy }) => JSON.stringify([value, time, copy]),
    read: async () => {
      const entries = await reader.read(key, { signal }, parseNamespaceRecord);
      return numbered(entries.map(({ value }) => value));
    },
    add: (batch) => {
      const drafts = batch.map(({ value, time, expiresAt }) => ({ ...namespaceDraft(value, limits, time), expiresAt }));
      return appendRecords(backend, key, drafts, { rule: listRuleOf({}), signal });
    },
    count,
    signal,
  });
}

/** Adds documents unless their keys have one. */
export async function importDocuments(
  { backend }: ImportDependencies,
  lines: readonly LineOf<'document'>[],
  { count, signal }: Importing,
): Promise<void> {
  for (const { namespace, key, document, expiresAt = Infinity } of lines) {
    const ttlMs = expiresAt - (await backend.now({ signal }));
    if (ttlMs <= 0) {
      count.dropped += 1;
      continue;
    }
    const swap = { expected: undefined, next: document, ttlMs };
    const isAdded = await swapDocument(backend, namespaceKey(namespace, key), swap, { signal });
    count[isAdded ? 'added' : 'present'] += 1;
  }
}

/** Adds missing entities, observations and relations. Existing entities keep their type. */
export async function importGraph(
  graph: Graph,
  lines: readonly LineOf<'graph'>[],
  { count, signal }: Importing,
): Promise<void> {
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
}

/** Keeps lines as they are, unless the next export has them anyway. */
export async function importUnknown(
  dependencies: ImportDependencies,
  lines: readonly LineOf<'unknown'>[],
  { count, signal }: Importing,
): Promise<void> {
  const { backend } = dependencies;
  const present = new Set((await readKept(backend, { signal })).map(({ text }) => text));
  if (lines.some(({ isNewer }) => !isNewer)) {
    for (const record of await listUnreadable(backend, { signal })) {
      present.add(unreadableLine(record));
    }
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
}
