/** The lines of an export, and how they are read and checked. */
import { isObject, quoted } from '@cairn/tool/kernel';
import { z } from 'zod';
import type { StreamClaim } from '../conversations/claims.ts';
import { messageDraft, type ImportedMessage } from '../conversations/message.ts';
import type { Place } from '../conversations/messages.ts';
import { MemoryError } from '../errors.ts';
import { parseFact, type FactTable, type StoredFact } from '../facts/fact.ts';
import { factTable } from '../facts/fact-table.ts';
import type { GraphLine } from '../graph/knowledge-graph.ts';
import { keyOfLine } from '../records/kept-elsewhere.ts';
import { checkName, namespaceKey } from '../records/keys.ts';
import { checkSize, type Limits } from '../records/limits.ts';
import { checkDocument, namespaceDraft, type JsonObject } from '../records/namespace.ts';
import { parseFields } from '../records/record.ts';
import { MAX_TIME_MS } from '../records/time.ts';
import { noteDraft, type Note } from '../workflows/notes.ts';
import { parseWorkflow, workflowDocument, type WorkflowRecord } from '../workflows/workflow-record.ts';
import type { KeptLine } from './contents.ts';
import { EXPORT_VERSION } from './export.ts';

/** One line of an export. Times are milliseconds since the epoch. */
export type Line =
  | ({ readonly kind: 'message' } & Place & ImportedMessage)
  | ({ readonly kind: 'note'; readonly workflowId: string } & Note)
  | ({ readonly kind: 'fact'; readonly fact: StoredFact } & Omit<FactTable, 'key'>)
  | { readonly kind: 'workflow'; readonly id: string }
  | ({ readonly kind: 'stream' } & StreamClaim)
  | { readonly kind: 'graph'; readonly graph: string; readonly line: GraphLine }
  | (NamespaceLine & { readonly kind: 'record'; readonly value: JsonObject; readonly time: number })
  | (NamespaceLine & { readonly kind: 'document'; readonly document: string })
  | UnknownLine;

/** A line that is kept as it is, and exported again: a record that was not readable, or what a newer version wrote. */
interface UnknownLine extends KeptLine {
  readonly kind: 'unknown';
  /** Whether this version lacks the kind. */
  readonly isNewer: boolean;
}

interface NamespaceLine {
  readonly namespace: string;
  readonly key: string;
  /** When the whole key expires; absent for never. */
  readonly expiresAt?: number | undefined;
}

export type LineOf<Kind extends Line['kind']> = Extract<Line, { kind: Kind }>;

/** `z.record` would drop a field named `__proto__`. */
function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}

const object = z.custom<JsonObject>(isJsonObject, 'expected an object');
const fact = z.custom<StoredFact>((value) => parseFact(JSON.stringify(value) ?? '') !== undefined, 'expected a fact');
const time = z.int().min(0).max(MAX_TIME_MS);

const graphLineSchema: z.ZodType<GraphLine> = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('entity'),
    name: z.string(),
    entityType: z.string(),
    observations: z.array(z.string()),
  }),
  z.looseObject({ type: z.literal('relation'), from: z.string(), to: z.string(), relationType: z.string() }),
]);

const namespaceShape = {
  namespace: z.string(),
  key: z.string(),
  expiresAt: z.number().min(0).max(MAX_TIME_MS).optional(),
};

/** The fields of each kind that this version knows. */
const shapes = {
  message: {
    stream: z.string(),
    group: z.string(),
    id: z.string(),
    role: z.string(),
    content: z.string(),
    author: z.string().optional(),
    time,
    fields: object.optional(),
  },
  note: {
    workflowId: z.string(),
    content: z.string(),
    source: z.string(),
    time,
    temporary: z.boolean(),
    fields: object.optional(),
  },
  fact: { scope: z.enum(['user', 'project']), project: z.string().optional(), fact },
  workflow: { id: z.string() },
  stream: { name: z.string(), parents: z.array(z.string()) },
  graph: { graph: z.string(), line: graphLineSchema },
  record: { ...namespaceShape, value: object, time },
  document: { ...namespaceShape, document: z.string() },
  unreadable: { key: z.string(), id: z.string().optional(), record: z.string(), reason: z.string().optional() },
  export: { version: z.int().min(1) },
};

type KnownKind = keyof typeof shapes;

const schemas = new Map(
  Object.entries(shapes).map(([kind, shape]) => [kind, z.looseObject({ kind: z.literal(kind), ...shape })]),
);

const HINT = 'Nothing was imported; fix the line and import again.';

/** Reads the lines of one import, in their order. */
export class LineParser {
  #version = 1;

  /** Returns the records of a line; none for a line about the export itself. @throws {MemoryError} `INVALID_INPUT`. */
  parse(text: string, lineNumber: number): readonly Line[] {
    const value = parseFields(text);
    if (value === undefined) {
      throw new MemoryError('INVALID_INPUT', [`Line ${lineNumber} of the import is not valid JSON`, HINT]);
    }
    const { kind } = value;
    if (typeof kind !== 'string') {
      // The file of the memory server of the Model Context Protocol consists of these.
      const foreign = graphLineSchema.safeParse(value);
      if (foreign.success) return [{ kind: 'graph', graph: 'default', line: foreign.data }];
      return refuse(lineNumber, 'it has no kind');
    }
    const parsed = schemas.get(kind)?.safeParse(value);
    const isNewer = this.#version > EXPORT_VERSION;
    // A newer version may have given a known kind another form.
    if (parsed === undefined || (!parsed.success && isNewer)) {
      return [{ kind: 'unknown', text, ...(isNewer && { version: this.#version }), isNewer: true }];
    }
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const path = issue?.path.join('.') ?? '';
      return refuse(lineNumber, `${path === '' ? '' : `${path}: `}${issue?.message ?? ''}`);
    }
    if (kind === 'export') {
      this.#version = Number(value['version']);
      return [];
    }
    if (kind === 'unreadable') return [{ kind: 'unknown', text, isNewer: false }];
    return linesOf(kind as KnownKind, value, text);
  }
}

function refuse(lineNumber: number, problem: string): never {
  throw new MemoryError('INVALID_INPUT', [`Line ${lineNumber} of the import is invalid (${problem})`, HINT]);
}

/** Returns the record of a checked line. A field that this version does not know stays with the record, or with the line. */
function linesOf(kind: KnownKind, value: JsonObject, text: string): readonly Line[] {
  const known = shapes[kind];
  if (kind === 'workflow') return [value as unknown as LineOf<'workflow'>];
  const unknown = Object.entries(value).filter(([name]) => name !== 'kind' && !Object.hasOwn(known, name));
  if (unknown.length === 0) return [value as unknown as Line];
  if ('fields' in known) {
    const fields = { ...(value['fields'] as JsonObject | undefined), ...Object.fromEntries(unknown) };
    return [{ ...value, fields } as unknown as Line];
  }
  return [value as unknown as Line, { kind: 'unknown', text, isNewer: true }];
}

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

/**
 * Checks a line like the write that it leads to, so that an import fails before it writes anything.
 *
 * @throws {MemoryError} `INVALID_INPUT`, `INVALID_NAME`, `TOO_LARGE`, with the number of the line.
 */
export function checkLine(line: Line, lineNumber: number, limits: Limits): void {
  try {
    checkRecord(line, limits);
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    const summary = `Line ${lineNumber} of the import is refused: ${error.summary}`;
    throw new MemoryError(error.code, [summary, HINT], { cause: error });
  }
}

/** Checks that the fields of a record are not those of its line, which decide. @throws {MemoryError} `INVALID_INPUT`. */
function checkFields(fields: JsonObject | undefined, names: readonly string[]): void {
  const name = names.find((one) => fields !== undefined && Object.hasOwn(fields, one));
  if (name === undefined) return;
  throw new MemoryError('INVALID_INPUT', [`"fields" has ${quoted(name)}, which the line has itself`, 'Remove one.']);
}

function checkRecord(line: Line, limits: Limits): void {
  if (line.kind === 'fact') factTable(line.scope, line.project);
  keyOfLine(line);
  switch (line.kind) {
    case 'message':
      checkFields(line.fields, ['id', 'role', 'content', 'time', ...(line.author === undefined ? [] : ['author'])]);
      messageDraft(line, limits);
      return;
    case 'note':
      checkFields(line.fields, ['content', 'source', 'time', 'temporary']);
      noteDraft(line, limits);
      return;
    case 'fact': {
      const { id, text, stream } = line.fact;
      checkName(id, 'id of a fact');
      if (stream !== undefined) checkName(stream, 'stream');
      checkSize(text, 'text of a fact', limits);
      return;
    }
    case 'record':
      namespaceDraft(line.value, limits);
      return;
    case 'document':
      checkDocument(line.document, limits);
      return;
    case 'workflow':
      workflowDocument(workflowOf(line), limits);
      return;
    case 'graph':
    case 'stream':
    case 'unknown':
  }
}
