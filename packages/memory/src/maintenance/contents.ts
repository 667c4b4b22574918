/** All that memory keeps, key by key: which keys there are, what they have, and how a record becomes a line of an export. */
import { parentsOf } from '../conversations/claims.ts';
import { parseMessage } from '../conversations/message.ts';
import { parseFact } from '../facts/fact.ts';
import { exportPlaceOf, parseGraphLine } from '../graph/knowledge-graph.ts';
import type { CallOptions, KeyInfo, MemoryBackend, Row } from '../records/backend.ts';
import { DOCUMENT_ID } from '../records/documents.ts';
import * as keys from '../records/keys.ts';
import { parseNamespaceRecord } from '../records/namespace.ts';
import { newestRows, readTable } from '../records/pages.ts';
import { Turns, unitsOf } from '../records/turns.ts';
import { parseFields } from '../records/record.ts';
import type { UnreadableRecord } from '../records/reader.ts';
import { MAX_TIME_MS } from '../records/time.ts';
import { parseNote } from '../workflows/notes.ts';
import { parseWorkflow } from '../workflows/workflow-record.ts';
import { onKey, type Problem, type ProblemListener } from './problems.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What memory keeps under a prefix. */
interface Kind {
  readonly prefix: string;
  /** Returns the fields of the key; `undefined` for a key of another form. */
  readonly place: (key: string) => Fields | undefined;
  /** Returns the kind and the fields of the line of a row; `undefined` when the row is not readable. */
  readonly lineOf: (row: Row) => ({ readonly kind: string } & Fields) | undefined;
  /** Returns the place of a row among the others. @default by time, oldest first */
  readonly placeOf?: ((text: string, sequence: number) => number) | undefined;
}

function line(kind: string, fields: object | undefined): ReturnType<Kind['lineOf']> {
  return fields && { kind, ...fields };
}

/** In the order of an export. */
const KINDS: readonly Kind[] = [
  {
    prefix: keys.FACTS_PREFIX,
    place: (key) => keys.parseFactsKey(key),
    // With its earlier versions, and with fields of a newer version.
    lineOf: ({ text }) => {
      const fact = parseFact(text);
      return line('fact', fact && { fact });
    },
    placeOf: (_, sequence) => sequence,
  },
  {
    prefix: keys.STREAM_PREFIX,
    place: (key) => ({ name: keys.nameIn(key) }),
    lineOf: ({ text }) => {
      const parents = parentsOf(text);
      return line('stream', parents && { parents });
    },
  },
  {
    prefix: keys.MEMORY_PREFIX,
    place: (key) => keys.parseMemoryKey(key),
    lineOf: ({ text }) => line('message', parseMessage(text)),
  },
  {
    prefix: keys.GRAPH_PREFIX,
    place: (key) => ({ graph: keys.nameIn(key) }),
    lineOf: ({ text }) => {
      const { createdSequence: _, ...parsed } = parseGraphLine(text) ?? {};
      return line('graph', 'type' in parsed ? { line: parsed } : undefined);
    },
    placeOf: exportPlaceOf,
  },
  {
    prefix: keys.NOTES_PREFIX,
    place: (key) => ({ workflowId: keys.nameIn(key) }),
    lineOf: ({ text }) => line('note', parseNote(text)),
  },
  {
    prefix: keys.WORKFLOW_PREFIX,
    place: () => ({}),
    lineOf: ({ text }) => {
      const { notes: _, lease: __, ...workflow } = parseWorkflow(text) ?? {};
      return line('workflow', 'id' in workflow ? workflow : undefined);
    },
  },
  {
    prefix: keys.NAMESPACE_PREFIX,
    place: keys.parseNamespaceKey,
    lineOf: ({ id, text, expiresAt }) => {
      // Its owner alone knows the rule.
      const expiry = expiresAt === undefined ? {} : { expiresAt: Math.min(expiresAt, MAX_TIME_MS) };
      if (id === DOCUMENT_ID) return { kind: 'document', document: text, ...expiry };
      const parsed = parseNamespaceRecord(text);
      return line('record', parsed && { ...parsed, ...expiry });
    },
  },
];

/** The keys that are derived, or that have lines of their own. */
const OTHER_PREFIXES: readonly string[] = [keys.WAITING_PREFIX, keys.VECTORS_PREFIX, keys.UNKNOWN_KEY];

function kindOf(key: string): Kind | undefined {
  return KINDS.find(({ prefix }) => key.startsWith(prefix));
}

/** Returns whether this version knows what a key is for. */
export function isKnownKey(key: string): boolean {
  return kindOf(key) !== undefined || OTHER_PREFIXES.some((prefix) => key.startsWith(prefix));
}

/** Returns why a key is not readable; `undefined` for a key as it should be. */
function reasonOf({ key, records }: Pick<KeyInfo, 'key' | 'records'>): string | undefined {
  if (records === 0) return 'another program wrote a value there';
  if (key.startsWith(keys.KNOWLEDGE_PREFIX)) return undefined;
  const kind = kindOf(key);
  if (kind === undefined) return isKnownKey(key) ? undefined : 'this version does not know the key';
  return kind.place(key) === undefined ? 'the key has another form' : undefined;
}

export function problemOf(info: Pick<KeyInfo, 'key' | 'records'>): Problem | undefined {
  const { key, records } = info;
  const reason = reasonOf(info);
  if (reason === undefined) return undefined;
  const hint =
    records === 0
      ? 'delete it in the store'
      : isKnownKey(key)
        ? "forget({ unreadable: true }), or 'cairn memory forget --unreadable', removes it"
        : 'a newer version may read it';
  const message = `Cannot read ${key}: ${reason}. It was left in place; ${hint}.`;
  return { key, code: 'CORRUPT_RECORD', message };
}

/** Returns the readable keys of a prefix, in alphabetical order, and reports the others. */
export async function readableKeys(
  backend: MemoryBackend,
  prefix: string,
  { onProblem, signal }: CallOptions & { readonly onProblem: ProblemListener },
): Promise<KeyInfo[]> {
  const infos = (await backend.keys(prefix, { signal })).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  return infos.filter((info) => {
    const problem = problemOf(info);
    if (problem) onProblem(problem);
    return problem === undefined;
  });
}

export interface FoundRecord {
  readonly key: string;
  /** Of its row. */
  readonly id: string;
  /** The key, and the id where ids are names: of facts and of the rows of graphs. */
  readonly place: Pick<UnreadableRecord, 'key' | 'id'>;
  readonly record: string;
  /** The line of an export; `undefined` when this version cannot read the record. */
  readonly line?: string | undefined;
  /** Why it is not readable, when that is not just its text. */
  readonly reason?: string | undefined;
}

export interface ContentsOptions extends CallOptions {
  /** Only keys with this prefix. @default all keys of memory */
  readonly prefix?: string | undefined;
  /** Only keys that it accepts. @default all */
  readonly accepts?: ((key: string) => boolean) | undefined;
  readonly onProblem: ProblemListener;
}

/** Reads the rows of a key, oldest first. */
async function rowsOf(backend: MemoryBackend, key: string, { placeOf }: Kind, options: CallOptions): Promise<Row[]> {
  const { rows } = await readTable(backend, key, options);
  if (placeOf === undefined) return rows.toSorted((a, b) => a.place - b.place || a.sequence - b.sequence);
  const placed = rows.map((row) => ({ row, place: placeOf(row.text, row.sequence) }));
  return placed.toSorted((a, b) => a.place - b.place).map(({ row }) => row);
}

/** Reads everything, in the order of an export: by kind and key, oldest first. */
export async function* readContents(
  backend: MemoryBackend,
  { prefix = keys.PREFIX, accepts = () => true, onProblem, signal }: ContentsOptions,
): AsyncGenerator<FoundRecord, void, undefined> {
  const found = (await backend.keys(prefix, { signal })).filter(({ key }) => accepts(key));
  const infos = found.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  for (const info of infos) {
    const problem = isKnownKey(info.key) ? undefined : problemOf(info);
    if (problem) onProblem(problem);
  }
  for (const kind of KINDS) {
    for (const info of infos) {
      if (info.key.startsWith(kind.prefix)) yield* readKey(backend, info, { kind, onProblem, signal });
    }
  }
}

async function* readKey(
  backend: MemoryBackend,
  info: KeyInfo,
  { kind, onProblem, signal }: Pick<ContentsOptions, 'onProblem' | 'signal'> & { readonly kind: Kind },
): AsyncGenerator<FoundRecord, void, undefined> {
  const { key } = info;
  const rows = await onKey(key, () => rowsOf(backend, key, kind, { signal }), onProblem);
  const place = kind.place(key);
  const reason = reasonOf(info);
  const turns = new Turns(signal);
  for (const row of rows ?? []) {
    if (turns.spend(unitsOf(row.text))) await turns.next();
    const { kind: name, ...fields } = (reason === undefined ? kind.lineOf(row) : undefined) ?? {};
    const text = name === undefined ? undefined : JSON.stringify({ kind: name, ...place, ...fields });
    const named = kind.placeOf === undefined ? { key } : { key, id: row.id };
    yield { key, id: row.id, place: named, record: row.text, line: text, reason };
  }
}

/** A line of an import that is kept as it is. */
export interface KeptLine {
  readonly text: string;
  /** The version of the export, when it is newer than this one: a known kind may have another form there. */
  readonly version?: number | undefined;
}

/** Reads the lines that imports kept as they are, oldest first. */
export async function readKept(backend: MemoryBackend, options: CallOptions): Promise<KeptLine[]> {
  const lines: KeptLine[] = [];
  for await (const { text } of newestRows(backend, keys.UNKNOWN_KEY, options)) {
    const { line: kept, version } = parseFields(text) ?? {};
    if (typeof kept === 'string') lines.push({ text: kept, ...(typeof version === 'number' && { version }) });
  }
  return lines.toReversed();
}

export async function listUnreadable(backend: MemoryBackend, options: CallOptions): Promise<UnreadableRecord[]> {
  const found: UnreadableRecord[] = [];
  const onProblem: ProblemListener = ({ key, message }) => found.push({ key, record: '', reason: message });
  for await (const { line: text, reason, record, place } of readContents(backend, { ...options, onProblem })) {
    if (text === undefined) found.push({ ...place, record, ...(reason !== undefined && { reason }) });
  }
  return found;
}
