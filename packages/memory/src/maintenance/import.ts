import { z } from 'zod';
import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { graphLine, graphLines, graphOf } from '../graph/graph.ts';
import type { Graph } from '../graph/graph.ts';
import { graphKey, memoryKey, notesKey, quoted, workflowKey } from '../records/keys.ts';
import type { Limits } from '../records/limits.ts';
import { messageDraft } from '../conversations/message.ts';
import type { ImportedMessage } from '../conversations/message.ts';
import type { Messages, Place } from '../conversations/messages.ts';
import { noteDraft } from '../workflows/notes.ts';
import type { Notes } from '../workflows/notes.ts';
import { listGraphs, listGroups, listNotes } from './overview.ts';
import { LAST_TIME_MS } from '../records/time.ts';
import { parseWorkflow, workflowDocument } from '../workflows/workflow-record.ts';
import type { QuarantineListener } from '../records/quarantine.ts';
import type { WorkflowRecord } from '../workflows/workflow-record.ts';
import type { Workflows } from '../workflows/workflows.ts';

/** One line of an export. Times are milliseconds since the epoch. */
const lineSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('message'),
    stream: z.string(),
    group: z.string(),
    id: z.string(),
    role: z.enum(['user', 'assistant', 'system', 'tool']),
    content: z.string(),
    author: z.string().optional(),
    time: z.int().min(0).max(LAST_TIME_MS),
  }),
  z.strictObject({
    kind: z.literal('note'),
    workflowId: z.string(),
    content: z.string(),
    source: z.string(),
    time: z.int().min(0).max(LAST_TIME_MS),
    temporary: z.boolean(),
  }),
  z.looseObject({ kind: z.literal('workflow'), id: z.string() }),
  z.strictObject({ kind: z.literal('graph'), graph: z.string(), line: graphLine }),
]);

type Line = z.output<typeof lineSchema>;
type MessageLine = Extract<Line, { kind: 'message' }>;
type GraphOfLine = Extract<Line, { kind: 'graph' }>;
type WorkflowLine = Extract<Line, { kind: 'workflow' }>;
type NoteLine = Extract<Line, { kind: 'note' }>;

/** What an export is about; everything by default. */
export interface ExportOptions extends CallOptions {
  readonly stream?: string | undefined;
  readonly group?: string | undefined;
}

/** What became of the lines of an import. */
export interface ImportResult {
  readonly lines: number;
  readonly added: number;
  /** Already there, just so. */
  readonly present: number;
  /** Not kept: their time is over, or there are too many newer ones. */
  readonly dropped: number;
}

/** How much is sent in one step. */
const BATCH = 200;

export interface TransferDependencies {
  readonly backend: MemoryBackend;
  readonly messages: Messages;
  readonly notes: Notes;
  readonly workflows: Workflows;
  readonly limits: Limits;
  readonly graph: (name: string) => Graph;
  /** Told of each workflow that an export leaves out because its record cannot be read. It stays where it is. */
  readonly onQuarantine: QuarantineListener;
}

/** Writes a memory as JSON lines, oldest first within a group. With a stream or a group, only its messages. */
export async function* exportLines(
  { backend, messages, notes, workflows, graph, onQuarantine }: TransferDependencies,
  { stream, group: only, signal }: ExportOptions,
): AsyncGenerator<string, void, undefined> {
  for (const place of await listGroups(backend, stream, { signal })) {
    if (only !== undefined && place.group !== only) continue;
    for (const message of (await messages.history(place, { signal })).toReversed()) {
      yield JSON.stringify({ kind: 'message', stream: place.stream, group: place.group, ...message });
    }
  }
  if (stream !== undefined || only !== undefined) return;
  for (const name of await listGraphs(backend, { signal })) {
    for (const line of graphLines(await graph(name).read({ signal }))) {
      yield JSON.stringify({ kind: 'graph', graph: name, line: JSON.parse(line) as unknown });
    }
  }
  for (const { workflowId } of await listNotes(backend, { signal })) {
    for (const note of (await notes.getNotes(workflowId, { signal })).toReversed()) {
      yield JSON.stringify({ kind: 'note', workflowId, ...note });
    }
  }
  for (const { id, status } of (await workflows.list({ signal })).toReversed()) {
    if (status === 'corrupt') {
      // What an export leaves out is said.
      onQuarantine({ key: workflowKey(id), record: '', time: undefined });
      continue;
    }
    const { notes: _, lease: __, ...record } = await workflows.get(id, { signal });
    yield JSON.stringify({ kind: 'workflow', ...record });
  }
}

function readLine(text: string, lineNumber: number): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
    // The file of the memory server of the Model Context Protocol has nothing but these.
    const foreign = graphLine.safeParse(value);
    if (foreign.success) return { kind: 'graph', graph: 'default', line: foreign.data };
  } catch (error) {
    const summary = `Line ${lineNumber} of the import is no JSON`;
    throw new MemoryError('INVALID_INPUT', [summary, 'Nothing was imported; mend the line.'], { cause: error });
  }
  const parsed = lineSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  const problem = `${where === '' ? '' : `${where}: `}${issue?.message ?? ''}`;
  const summary = `Line ${lineNumber} of the import is no message, note or workflow (${problem})`;
  throw new MemoryError('INVALID_INPUT', [summary, 'Nothing was imported; mend the line.']);
}

function workflowOf(line: WorkflowLine): WorkflowRecord {
  const { kind: _, ...fields } = line;
  const record = parseWorkflow(JSON.stringify(fields));
  if (record) return record;
  const summary = `The workflow ${quoted(line.id)} of the import is no record of one`;
  throw new MemoryError('INVALID_INPUT', [summary, 'Nothing was imported; mend the line.']);
}

/** What would be refused later is refused before anything is written. */
function checkLine(line: Line, limits: Limits): void {
  if (line.kind === 'message') {
    memoryKey(line.stream, line.group);
    messageDraft(line, limits);
  } else if (line.kind === 'note') {
    notesKey(line.workflowId);
    noteDraft(line, limits);
  } else if (line.kind === 'graph') {
    graphKey(line.graph);
  } else {
    workflowKey(line.id);
    workflowDocument(workflowOf(line), limits);
  }
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/**
 * Reads an export back. Everything is checked first; what is there already is not added again, so that an import that was
 * interrupted can be made again.
 *
 * @throws {MemoryError} `INVALID_INPUT` that names the line, `INVALID_NAME`, `TOO_LARGE`.
 */
export async function importLines(
  dependencies: TransferDependencies,
  lines: Iterable<string> | AsyncIterable<string>,
  { signal }: CallOptions,
): Promise<ImportResult> {
  const read: Line[] = [];
  let lineNumber = 0;
  for await (const text of lines) {
    lineNumber += 1;
    // Some programs begin a file with a mark of its byte order.
    const line = lineNumber === 1 ? text.replace(/^\uFEFF/u, '') : text;
    if (line.trim() !== '') read.push(readLine(line, lineNumber));
  }
  for (const line of read) checkLine(line, dependencies.limits);
  const count = { added: 0, present: 0, dropped: 0 };
  const messageLines = read.filter((line) => line.kind === 'message');
  const byPlace = grouped(messageLines, ({ stream, group }) => JSON.stringify([stream, group]));
  for (const group of byPlace.values()) await importMessages(dependencies, group, { count, signal });
  const noteLines = read.filter((line) => line.kind === 'note');
  const byWorkflow = grouped(noteLines, ({ workflowId }) => workflowId);
  for (const group of byWorkflow.values()) await importNotes(dependencies, group, { count, signal });
  const graphs = grouped(
    read.filter((line) => line.kind === 'graph'),
    (line) => line.graph,
  );
  for (const [name, group] of graphs) await importGraph(dependencies.graph(name), group, { count, signal });
  for (const line of read) {
    if (line.kind !== 'workflow') continue;
    if (await dependencies.workflows.restore(workflowOf(line), { signal })) count.added += 1;
    else count.present += 1;
  }
  return { lines: read.length, ...count };
}

interface Counting extends CallOptions {
  readonly count: { added: number; present: number; dropped: number };
}

async function importMessages(
  { messages }: TransferDependencies,
  lines: readonly MessageLine[],
  { count, signal }: Counting,
): Promise<void> {
  const [first] = lines;
  if (first === undefined) return;
  const place: Place = { stream: first.stream, group: first.group };
  // Other programs may give one id to several messages: each of them counts.
  const textOf = ({ id, role, content, author, time }: ImportedMessage): string =>
    JSON.stringify([id, role, content, author, time]);
  const textsNow = async (): Promise<Set<string>> => new Set((await messages.history(place, { signal })).map(textOf));
  const before = await textsNow();
  const unknown = new Map(lines.filter((line) => !before.has(textOf(line))).map((line) => [textOf(line), line]));
  const fresh = [...unknown.values()].toSorted((a, b) => a.time - b.time);
  for (let start = 0; start < fresh.length; start += BATCH) {
    await messages.addAll(place, fresh.slice(start, start + BATCH), { signal });
  }
  const after = await textsNow();
  const kept = fresh.filter((line) => after.has(textOf(line))).length;
  count.added += kept;
  count.dropped += fresh.length - kept;
  count.present += lines.length - fresh.length;
}

/** What is known of an entity by both is joined. */
async function importGraph(graph: Graph, lines: readonly GraphOfLine[], { count, signal }: Counting): Promise<void> {
  const { entities, relations } = graphOf(lines.map(({ line }) => line));
  const created = new Set((await graph.createEntities(entities, { signal })).map(({ name }) => name));
  const known = entities.filter(({ name }) => !created.has(name));
  const more = known.map(({ name, observations }) => ({ entityName: name, contents: observations }));
  const joined = await graph.addObservations(more, { signal });
  const added =
    created.size +
    joined.filter(({ addedObservations }) => addedObservations.length > 0).length +
    (await graph.createRelations(relations, { signal })).length;
  count.added += added;
  count.present += lines.length - added;
}

async function importNotes(
  { backend, notes, limits }: TransferDependencies,
  lines: readonly NoteLine[],
  { count, signal }: Counting,
): Promise<void> {
  const [first] = lines;
  if (first === undefined) return;
  const { workflowId } = first;
  const textOf = ({ content, source, time, temporary }: Omit<NoteLine, 'kind' | 'workflowId'>): string =>
    JSON.stringify([content, source, time, temporary]);
  const textsNow = async (): Promise<Set<string>> =>
    new Set((await notes.getNotes(workflowId, { signal })).map(textOf));
  const before = await textsNow();
  const unknown = new Map(lines.filter((line) => !before.has(textOf(line))).map((line) => [textOf(line), line]));
  const fresh = [...unknown.values()].toSorted((a, b) => a.time - b.time);
  for (let start = 0; start < fresh.length; start += BATCH) {
    const drafts = fresh.slice(start, start + BATCH).map((note) => noteDraft(note, limits));
    await backend.append(notesKey(workflowId), drafts, { rule: limits.notes, signal });
  }
  const after = await textsNow();
  const kept = fresh.filter((line) => after.has(textOf(line))).length;
  count.added += kept;
  count.dropped += fresh.length - kept;
  count.present += lines.length - fresh.length;
}
