import type { ImportedMessage } from '../conversations/message.ts';
import type { Place } from '../conversations/messages.ts';
import type { Graph } from '../graph/graph.ts';
import { graphOf } from '../graph/knowledge-graph.ts';
import type { CallOptions } from '../records/backend.ts';
import { namespaceKey, notesKey } from '../records/keys.ts';
import { listRuleOf } from '../records/limits.ts';
import { namespaceDraft, parseNamespaceRecord } from '../records/namespace.ts';
import { noteDraft } from '../workflows/notes.ts';
import type { Note } from '../workflows/notes.ts';
import type { TransferDependencies } from './export.ts';
import { checkKinds, checkLine, parseLine, workflowOf } from './lines.ts';
import type { Line, LineOf } from './lines.ts';

/** The result of an import. */
export interface ImportResult {
  /** All lines that are not blank. */
  readonly lines: number;
  readonly added: number;
  /** Lines that the memory already has, with the same contents. */
  readonly present: number;
  /** Lines that retention does not keep: they are expired, or there are too many newer ones. */
  readonly dropped: number;
}

/** The records that one step writes. */
const BATCH = 200;

interface Importing extends CallOptions {
  readonly count: { added: number; present: number; dropped: number };
}

/**
 * Imports lines of {@link exportLines}, or of the memory server of the Model Context Protocol. All lines are checked before
 * the first write. Lines that the memory already has are not added again, so that an interrupted import can be repeated.
 *
 * @throws {MemoryError} `INVALID_INPUT` with the number of the line, `INVALID_NAME`, `TOO_LARGE`.
 */
export async function importLines(
  dependencies: TransferDependencies,
  texts: Iterable<string> | AsyncIterable<string>,
  { signal }: CallOptions,
): Promise<ImportResult> {
  const lines = await parseLines(texts);
  for (const line of lines) checkLine(line, dependencies.limits);
  checkKinds(lines);
  const importing: Importing = { count: { added: 0, present: 0, dropped: 0 }, signal };
  const byPlace = grouped(linesOf(lines, 'message'), ({ stream, group }) => JSON.stringify([stream, group]));
  for (const group of byPlace.values()) await importMessages(dependencies, group, importing);
  const byWorkflow = grouped(linesOf(lines, 'note'), ({ workflowId }) => workflowId);
  for (const group of byWorkflow.values()) await importNotes(dependencies, group, importing);
  const byGraph = grouped(linesOf(lines, 'graph'), ({ graph }) => graph);
  for (const [name, group] of byGraph) await importGraph(dependencies.graph(name), group, importing);
  for (const line of linesOf(lines, 'workflow')) {
    const isAdded = await dependencies.workflows.restore(workflowOf(line), { signal });
    importing.count[isAdded ? 'added' : 'present'] += 1;
  }
  const byKey = grouped(linesOf(lines, 'record'), ({ namespace, key }) => namespaceKey(namespace, key));
  for (const [key, group] of byKey) await importNamespaceRecords(dependencies, group, { ...importing, key });
  for (const line of linesOf(lines, 'document')) await importDocument(dependencies, line, importing);
  return { lines: lines.length, ...importing.count };
}

async function parseLines(texts: Iterable<string> | AsyncIterable<string>): Promise<Line[]> {
  const lines: Line[] = [];
  let lineNumber = 0;
  for await (const text of texts) {
    lineNumber += 1;
    // Some programs write a byte order mark.
    const line = lineNumber === 1 ? text.replace(/^\uFEFF/u, '') : text;
    if (line.trim() !== '') lines.push(parseLine(line, lineNumber));
  }
  return lines;
}

function linesOf<Kind extends Line['kind']>(lines: readonly Line[], kind: Kind): LineOf<Kind>[] {
  return lines.filter((line): line is LineOf<Kind> => line.kind === kind);
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, [T, ...T[]]> {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Adds the records that a list does not have, and counts them. `identify` returns the same text for equal records. */
async function importRecords<T extends { readonly time: number }>(
  lines: readonly T[],
  {
    identify,
    read,
    add,
    count,
  }: {
    readonly identify: (record: T) => string;
    readonly read: () => Promise<readonly T[]>;
    readonly add: (records: readonly T[]) => Promise<unknown>;
  } & Pick<Importing, 'count'>,
): Promise<void> {
  const readIdentities = async (): Promise<Set<string>> => new Set((await read()).map(identify));
  const before = await readIdentities();
  const missing = new Map(lines.filter((line) => !before.has(identify(line))).map((line) => [identify(line), line]));
  const fresh = [...missing.values()].toSorted((a, b) => a.time - b.time);
  for (let start = 0; start < fresh.length; start += BATCH) await add(fresh.slice(start, start + BATCH));
  const after = await readIdentities();
  const kept = fresh.filter((line) => after.has(identify(line))).length;
  count.added += kept;
  count.dropped += fresh.length - kept;
  count.present += lines.length - fresh.length;
}

async function importMessages(
  { messages }: TransferDependencies,
  lines: readonly [LineOf<'message'>, ...LineOf<'message'>[]],
  { count, signal }: Importing,
): Promise<void> {
  const [{ stream, group }] = lines;
  const place: Place = { stream, group };
  await importRecords<ImportedMessage>(lines, {
    // Other programs may use one id for several messages, and each of them counts.
    identify: ({ id, role, content, author, time }) => JSON.stringify([id, role, content, author, time]),
    read: () => messages.history(place, { signal }),
    add: (batch) => messages.addAll(place, batch, { signal }),
    count,
  });
}

async function importNotes(
  { backend, notes, limits }: TransferDependencies,
  lines: readonly [LineOf<'note'>, ...LineOf<'note'>[]],
  { count, signal }: Importing,
): Promise<void> {
  const [{ workflowId }] = lines;
  await importRecords<Note>(lines, {
    identify: ({ content, source, time, temporary }) => JSON.stringify([content, source, time, temporary]),
    read: () => notes.getNotes(workflowId, { signal }),
    add: (batch) => {
      const drafts = batch.map((note) => noteDraft(note, limits));
      return backend.append(notesKey(workflowId), drafts, { rule: limits.notes, signal });
    },
    count,
  });
}

interface Numbered extends Pick<LineOf<'record'>, 'value' | 'time'> {
  /** How many equal records come before this one. */
  readonly copy: number;
}

function numbered(records: readonly Omit<Numbered, 'copy'>[]): readonly Numbered[] {
  const copies = new Map<string, number>();
  return records.map(({ value, time }) => {
    const identity = JSON.stringify([value, time]);
    const copy = copies.get(identity) ?? 0;
    copies.set(identity, copy + 1);
    return { value, time, copy };
  });
}

/** Adds records to a list that expires when the exported list does. The owner of the namespace applies its own rule later. */
async function importNamespaceRecords(
  { backend, reader, limits }: TransferDependencies,
  lines: readonly [LineOf<'record'>, ...LineOf<'record'>[]],
  { count, signal, key }: Importing & { readonly key: string },
): Promise<void> {
  const [{ expiresAt = Infinity }] = lines;
  const newest = lines.reduce((latest, { time }) => Math.max(latest, time), 0);
  const rule = listRuleOf({ lifetimeMs: Math.max(expiresAt - newest, 1) });
  // Equal records at one time are all kept: they may be events that are counted.
  await importRecords<Numbered>(numbered(lines), {
    identify: ({ value, time, copy }) => JSON.stringify([value, time, copy]),
    read: async () => {
      const entries = await reader.read(key, { rule: listRuleOf({}), signal }, parseNamespaceRecord);
      return numbered(entries.map(({ value }) => value));
    },
    add: (batch) => {
      const drafts = batch.map(({ value, time }) => namespaceDraft(value, limits, time));
      return backend.append(key, drafts, { rule, signal });
    },
    count,
  });
}

/** Adds a document unless the key has one. */
async function importDocument(
  { backend }: TransferDependencies,
  { namespace, key, document, expiresAt = Infinity }: LineOf<'document'>,
  { count, signal }: Importing,
): Promise<void> {
  const ttlMs = expiresAt - (await backend.now({ signal }));
  if (ttlMs <= 0) {
    count.dropped += 1;
    return;
  }
  const swap = { expected: undefined, next: document, ttlMs };
  const isAdded = await backend.swap(namespaceKey(namespace, key), swap, { signal });
  count[isAdded ? 'added' : 'present'] += 1;
}

/** Adds missing entities, observations and relations. Existing entities keep their type. */
async function importGraph(
  graph: Graph,
  lines: readonly LineOf<'graph'>[],
  { count, signal }: Importing,
): Promise<void> {
  const { entities, relations } = graphOf(lines.map(({ line }) => line));
  const created = new Set((await graph.createEntities(entities, { signal })).map(({ name }) => name));
  const known = entities.filter(({ name }) => !created.has(name));
  const observations = known.map(({ name, observations: contents }) => ({ entityName: name, contents }));
  const extended = (await graph.addObservations(observations, { signal })).filter(
    ({ addedObservations }) => addedObservations.length > 0,
  );
  const added = created.size + extended.length + (await graph.createRelations(relations, { signal })).length;
  count.added += added;
  count.present += lines.length - added;
}
