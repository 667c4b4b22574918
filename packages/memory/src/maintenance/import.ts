import { claimStream } from '../conversations/claims.ts';
import type { ImportedMessage } from '../conversations/message.ts';
import { messageSource } from '../conversations/messages.ts';
import type { Messages, Place } from '../conversations/messages.ts';
import type { ChangeDependencies } from '../facts/change-facts.ts';
import { factTable } from '../facts/fact-table.ts';
import { placeRows } from '../facts/move-facts.ts';
import { sourceOf } from '../facts/recall-facts.ts';
import type { Graph } from '../graph/graph.ts';
import type { CallOptions } from '../records/backend.ts';
import { graphKey, memoryKey, namespaceKey, notesKey, streamKey, UNKNOWN_KEY, workflowKey } from '../records/keys.ts';
import { listRuleOf } from '../records/limits.ts';
import type { Limits } from '../records/limits.ts';
import { namespaceDraft, parseNamespaceRecord } from '../records/namespace.ts';
import { Turns, unitsOf } from '../records/turns.ts';
import { noteDraft } from '../workflows/notes.ts';
import type { Note, Notes } from '../workflows/notes.ts';
import type { Workflows } from '../workflows/workflows.ts';
import { listUnreadable, readKept } from './contents.ts';
import { unreadableLine } from './export.ts';
import type { ExportDependencies } from './export.ts';
import { checkKinds, checkLine, createLineParser, workflowOf } from './lines.ts';
import type { Line, LineOf } from './lines.ts';
import { onKey } from './problems.ts';
import type { Problem, ProblemListener } from './problems.ts';

/** The result of an import. */
export interface ImportResult {
  /** All lines with a record. A line with a field that this version cannot keep in its record counts as two. */
  readonly lines: number;
  readonly added: number;
  /** Lines that the memory already has. A workflow or a document with the same key stays as it is, also with other contents. */
  readonly present: number;
  /** Lines that retention does not keep: they are expired, or there are too many newer ones; or their key has a problem. */
  readonly dropped: number;
  /** Of the added lines: those that are kept as they are for the next export, because this version cannot read them. */
  readonly unknown: number;
  /** The keys that could not be written. */
  readonly problems: readonly Problem[];
}

export interface ImportDependencies extends ExportDependencies {
  readonly messages: Messages;
  readonly notes: Notes;
  readonly workflows: Workflows;
  readonly graph: (name: string) => Graph;
  readonly factDependencies: ChangeDependencies;
}

/** The work of comparing or checking a line, in units of {@link Turns}. */
const UNITS_PER_LINE = 64;
/** The records that one step writes. */
const BATCH = 200;

interface Counts {
  added: number;
  present: number;
  dropped: number;
}

interface Importing extends CallOptions {
  readonly count: Counts;
}

/**
 * Imports lines of {@link exportLines}, of any version, or of the memory server of the Model Context Protocol. All lines are
 * checked before the first write. Lines that the memory already has are not added again, so that an interrupted import can be
 * repeated. Lines of kinds that this version does not know are kept, and come out again in the next export.
 *
 * @throws {MemoryError} `INVALID_INPUT` with the number of the line, `INVALID_NAME`, `TOO_LARGE`.
 */
export async function importLines(
  dependencies: ImportDependencies,
  texts: Iterable<string> | AsyncIterable<string>,
  { signal }: CallOptions,
): Promise<ImportResult> {
  const lines = await parseLines(texts, { limits: dependencies.limits, signal });
  checkKinds(lines);
  const problems: Problem[] = [];
  const total: Counts = { added: 0, present: 0, dropped: 0 };
  const importAll = async <Kind extends Line['kind']>(
    kind: Kind,
    keyOf: (line: LineOf<Kind>) => string,
    run: (lines: readonly [LineOf<Kind>, ...LineOf<Kind>[]], importing: Importing) => Promise<void>,
  ): Promise<Counts> => {
    const own: Counts = { added: 0, present: 0, dropped: 0 };
    const selected = lines.filter((line): line is LineOf<Kind> => line.kind === kind);
    for (const [key, group] of grouped(selected, keyOf)) {
      const count: Counts = { added: 0, present: 0, dropped: 0 };
      const onProblem: ProblemListener = (problem) => {
        problems.push(problem);
        count.dropped = group.length - count.added - count.present;
      };
      await onKey(key, () => run(group, { count, signal }), onProblem);
      for (const name of ['added', 'present', 'dropped'] as const) own[name] += count[name];
    }
    for (const name of ['added', 'present', 'dropped'] as const) total[name] += own[name];
    return own;
  };
  await importAll(
    'fact',
    ({ scope, project }) => factTable(scope, project).key,
    (group, importing) => importFacts(dependencies, group, importing),
  );
  await importAll(
    'stream',
    ({ name }) => streamKey(name),
    async (group, { count, signal: stop }) => {
      for (const claim of group) {
        const isAdded = await claimStream(dependencies.backend, claim, { signal: stop });
        count[isAdded ? 'added' : 'present'] += 1;
      }
    },
  );
  await importAll(
    'message',
    ({ stream, group }) => memoryKey(stream, group),
    (group, importing) => importMessages(dependencies, group, importing),
  );
  await importAll(
    'note',
    ({ workflowId }) => notesKey(workflowId),
    (group, importing) => importNotes(dependencies, group, importing),
  );
  await importAll(
    'graph',
    ({ graph }) => graphKey(graph),
    ([first, ...rest], importing) => importGraph(dependencies.graph(first.graph), [first, ...rest], importing),
  );
  await importAll(
    'workflow',
    ({ id }) => workflowKey(id),
    (group, importing) => importWorkflows(dependencies, group, importing),
  );
  await importAll(
    'record',
    ({ namespace, key }) => namespaceKey(namespace, key),
    (group, importing) => importNamespaceRecords(dependencies, group, importing),
  );
  await importAll(
    'document',
    ({ namespace, key }) => namespaceKey(namespace, key),
    (group, importing) => importDocuments(dependencies, group, importing),
  );
  const known = await importAll(
    'unknown',
    () => UNKNOWN_KEY,
    (group, importing) => importUnknown(dependencies, group, importing),
  );
  return { lines: lines.length, ...total, unknown: known.added, problems };
}

async function parseLines(
  texts: Iterable<string> | AsyncIterable<string>,
  { limits, signal }: CallOptions & { readonly limits: Limits },
): Promise<Line[]> {
  const turns = new Turns(signal);
  const parser = createLineParser();
  const lines: Line[] = [];
  let lineNumber = 0;
  for await (const text of texts) {
    lineNumber += 1;
    // Some programs write a byte order mark.
    const line = (lineNumber === 1 ? text.replace(/^\uFEFF/u, '') : text).trim();
    for (const parsed of line === '' ? [] : parser.parse(line, lineNumber)) {
      checkLine(parsed, lineNumber, limits);
      lines.push(parsed);
    }
    if (turns.spend(4 * unitsOf(text) + UNITS_PER_LINE)) await turns.next();
  }
  return lines;
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

function* batchesOf<T>(items: readonly T[]): Generator<readonly T[], void, undefined> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH);
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
async function importFacts(
  { factDependencies }: ImportDependencies,
  lines: readonly [LineOf<'fact'>, ...LineOf<'fact'>[]],
  { count, signal }: Importing,
): Promise<void> {
  const [{ scope, project }] = lines;
  const table = factTable(scope, project);
  const rows = lines.map(({ fact }) => ({ id: fact.id, record: JSON.stringify(fact) }));
  const { added, merged, present } = await placeRows(factDependencies, { table, rows, signal });
  count.added += added + merged;
  count.present += present;
  if (count.added > 0) await factDependencies.terms.catchUp(sourceOf(table), { signal });
}

async function importMessages(
  { messages, limits, factDependencies: { terms } }: ImportDependencies,
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
  if (count.added > 0) await terms.catchUp(messageSource(place, limits), { signal });
}

async function importNotes(
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
      return backend.append(notesKey(workflowId), drafts, { rule: limits.notes, signal });
    },
    count,
    signal,
  });
}

async function importWorkflows(
  { workflows }: ImportDependencies,
  lines: readonly LineOf<'workflow'>[],
  { count, signal }: Importing,
): Promise<void> {
  for (const line of lines) {
    const isAdded = await workflows.restore(workflowOf(line), { signal });
    count[isAdded ? 'added' : 'present'] += 1;
  }
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
  { backend, reader, limits }: ImportDependencies,
  lines: readonly [LineOf<'record'>, ...LineOf<'record'>[]],
  { count, signal }: Importing,
): Promise<void> {
  const [{ namespace, key: name, expiresAt = Infinity }] = lines;
  const key = namespaceKey(namespace, name);
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
    signal,
  });
}

/** Adds documents unless their keys have one. */
async function importDocuments(
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
    const isAdded = await backend.swap(namespaceKey(namespace, key), swap, { signal });
    count[isAdded ? 'added' : 'present'] += 1;
  }
}

/** Adds missing entities, observations and relations. Existing entities keep their type. */
async function importGraph(
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
async function importUnknown(
  dependencies: ImportDependencies,
  lines: readonly LineOf<'unknown'>[],
  { count, signal }: Importing,
): Promise<void> {
  const { backend } = dependencies;
  const present = new Set((await readKept(backend, { signal })).map(({ text }) => text));
  if (lines.some(({ isNewer }) => !isNewer)) {
    for (const record of await listUnreadable(backend, { limits: dependencies.limits, signal })) {
      present.add(unreadableLine(record));
    }
  }
  const fresh = new Map(lines.filter(({ text }) => !present.has(text)).map((line) => [line.text, line]));
  const drafts = Array.from(fresh.values(), ({ text, version }) => ({
    before: `${JSON.stringify({ line: text, version }).slice(0, -1)},"time":`,
    after: '}',
  }));
  for (const batch of batchesOf(drafts)) {
    await backend.append(UNKNOWN_KEY, batch, { rule: listRuleOf({}), signal });
  }
  count.added += fresh.size;
  count.present += lines.length - fresh.size;
}
