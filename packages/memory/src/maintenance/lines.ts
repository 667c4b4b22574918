/** The lines of an export, and how they are read and checked. */
import { z } from 'zod';
import { messageDraft, ROLES } from '../conversations/message.ts';
import type { ImportedMessage, Role } from '../conversations/message.ts';
import type { Place } from '../conversations/messages.ts';
import { MemoryError } from '../errors.ts';
import { graphLineSchema } from '../graph/knowledge-graph.ts';
import type { GraphLine } from '../graph/knowledge-graph.ts';
import { graphKey, memoryKey, namespaceKey, notesKey, quoted, workflowKey } from '../records/keys.ts';
import type { Limits } from '../records/limits.ts';
import { checkDocument, namespaceDraft } from '../records/namespace.ts';
import type { JsonObject } from '../records/namespace.ts';
import { MAX_TIME_MS } from '../records/time.ts';
import { noteDraft } from '../workflows/notes.ts';
import type { Note } from '../workflows/notes.ts';
import { parseWorkflow, workflowDocument } from '../workflows/workflow-record.ts';
import type { WorkflowRecord } from '../workflows/workflow-record.ts';

/** One line of an export. Times are milliseconds since the epoch. */
export type Line =
  | ({ readonly kind: 'message' } & Place & ImportedMessage & { readonly role: Role })
  | ({ readonly kind: 'note'; readonly workflowId: string } & Note)
  | { readonly kind: 'workflow'; readonly id: string }
  | { readonly kind: 'graph'; readonly graph: string; readonly line: GraphLine }
  | (NamespaceLine & { readonly kind: 'record'; readonly value: JsonObject; readonly time: number })
  | (NamespaceLine & { readonly kind: 'document'; readonly document: string });

/** A key of a namespace. */
interface NamespaceLine {
  readonly namespace: string;
  readonly key: string;
  /** When the whole key expires; absent for never. */
  readonly expiresAt?: number | undefined;
}

export type LineOf<Kind extends Line['kind']> = Extract<Line, { kind: Kind }>;

/** `z.record` would drop a field named `__proto__`. */
function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const time = z.int().min(0).max(MAX_TIME_MS);

const namespaceFields = {
  namespace: z.string(),
  key: z.string(),
  expiresAt: z.number().min(0).max(MAX_TIME_MS).optional(),
};

const lineSchema: z.ZodType<Line> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('message'),
    stream: z.string(),
    group: z.string(),
    id: z.string(),
    role: z.enum(ROLES),
    content: z.string(),
    author: z.string().optional(),
    time,
  }),
  z.strictObject({
    kind: z.literal('note'),
    workflowId: z.string(),
    content: z.string(),
    source: z.string(),
    time,
    temporary: z.boolean(),
  }),
  z.looseObject({ kind: z.literal('workflow'), id: z.string() }),
  z.strictObject({ kind: z.literal('graph'), graph: z.string(), line: graphLineSchema }),
  z.strictObject({
    kind: z.literal('record'),
    ...namespaceFields,
    value: z.custom<JsonObject>(isJsonObject, 'expected an object'),
    time,
  }),
  z.strictObject({ kind: z.literal('document'), ...namespaceFields, document: z.string() }),
]);

const HINT = 'Nothing was imported; fix the line and import again.';

/** @throws {MemoryError} `INVALID_INPUT`. */
export function parseLine(text: string, lineNumber: number): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const summary = `Line ${lineNumber} of the import is not valid JSON`;
    throw new MemoryError('INVALID_INPUT', [summary, HINT], { cause: error });
  }
  // The file of the memory server of the Model Context Protocol consists of these.
  const foreign = graphLineSchema.safeParse(value);
  if (foreign.success) return { kind: 'graph', graph: 'default', line: foreign.data };
  const parsed = lineSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') ?? '';
  const problem = `${path === '' ? '' : `${path}: `}${issue?.message ?? ''}`;
  throw new MemoryError('INVALID_INPUT', [`Line ${lineNumber} of the import is invalid (${problem})`, HINT]);
}

/** @throws {MemoryError} `INVALID_INPUT`. */
export function workflowOf(line: LineOf<'workflow'>): WorkflowRecord {
  const { kind: _, ...fields } = line;
  const record = parseWorkflow(JSON.stringify(fields));
  if (record) return record;
  throw new MemoryError('INVALID_INPUT', [`The workflow ${quoted(line.id)} of the import is not a valid record`, HINT]);
}

/** @throws {MemoryError} `INVALID_INPUT` when a key of a namespace has records and a document. */
export function checkKinds(lines: readonly Line[]): void {
  const keysOf = (kind: 'record' | 'document'): string[] =>
    lines.flatMap((line) => (line.kind === kind ? namespaceKey(line.namespace, line.key) : []));
  const lists = new Set(keysOf('record'));
  const both = keysOf('document').find((key) => lists.has(key));
  if (both === undefined) return;
  throw new MemoryError('INVALID_INPUT', [`The import has records and a document for ${both}`, HINT]);
}

/** Checks a line like the write that it leads to, so that an import fails before it writes anything. */
export function checkLine(line: Line, limits: Limits): void {
  switch (line.kind) {
    case 'message':
      memoryKey(line.stream, line.group);
      messageDraft(line, limits);
      return;
    case 'note':
      notesKey(line.workflowId);
      noteDraft(line, limits);
      return;
    case 'graph':
      graphKey(line.graph);
      return;
    case 'record':
      namespaceKey(line.namespace, line.key);
      namespaceDraft(line.value, limits);
      return;
    case 'document':
      namespaceKey(line.namespace, line.key);
      checkDocument(line.document, limits);
      return;
    case 'workflow':
      workflowKey(line.id);
      workflowDocument(workflowOf(line), limits);
  }
}
