/** All that memory keeps, key by key: which keys there are, what they have, and how a record becomes a line of an export. */
import { parentsOf } from '../conversations/claims.ts';
import { parseMessage } from '../conversations/message.ts';
import { parseFact } from '../facts/fact.ts';
import { exportPlaceOf, parseGraphLine } from '../graph/knowledge-graph.ts';
import type { CallOptions, KeyInfo, ListRule, MemoryBackend } from '../records/backend.ts';
import {
  FACTS_PREFIX,
  GRAPH_PREFIX,
  KNOWLEDGE_PREFIX,
  MEMORY_PREFIX,
  NAMESPACE_PREFIX,
  NOTES_PREFIX,
  parseFactsKey,
  parseGraphKey,
  parseMemoryKey,
  parseNamespaceKey,
  parseStreamKey,
  parseWorkflowKey,
  PREFIX,
  QUARANTINE_KEY,
  STREAM_PREFIX,
  TERMS_PREFIX,
  UNKNOWN_KEY,
  WAITING_PREFIX,
  WORKFLOW_PREFIX,
} from '../records/keys.ts';
import { listRuleOf } from '../records/limits.ts';
import type { Limits } from '../records/limits.ts';
import { parseNamespaceRecord } from '../records/namespace.ts';
import { readChanges } from '../records/read-changes.ts';
import { Turns, unitsOf } from '../records/turns.ts';
import { parseFields } from '../records/record.ts';
import type { UnreadableRecord } from '../records/reader.ts';
import { MAX_TIME_MS } from '../records/time.ts';
import { parseNote } from '../workflows/notes.ts';
import { parseWorkflow } from '../workflows/workflow-record.ts';
import { onKey } from './problems.ts';
import type { Problem, ProblemListener } from './problems.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A value that the keys of a prefix may have. */
interface Value {
  /** The kind of its lines. */
  readonly kind: string;
  /** Returns the fields of the line of a record; `undefined` when the record is not readable. */
  readonly parse: (record: string) => object | undefined;
  /** Returns the place of a row among the others. @default its sequence */
  readonly placeOf?: ((record: string, sequence: number) => number) | undefined;
}

/** What memory keeps under a prefix. */
interface Kind {
  readonly prefix: string;
  /** Returns the fields of the key; `undefined` for a key of another form. */
  readonly place: (key: string) => Fields | undefined;
  readonly values: { readonly [Type in KeyInfo['kind']]?: Value };
  /** The rule of its lists. @default all records */
  readonly rule?: ((limits: Limits) => ListRule) | undefined;
  /** Whether its lines have the time when the key expires, because its owner alone knows the rule. */
  readonly hasExpiry?: true;
}

const graphValue: Value = {
  kind: 'graph',
  parse: (record) => {
    const { createdSequence: _, ...line } = parseGraphLine(record) ?? {};
    return 'type' in line ? { line } : undefined;
  },
  placeOf: exportPlaceOf,
};

/** In the order of an export. */
const KINDS: readonly Kind[] = [
  {
    prefix: FACTS_PREFIX,
    place: (key) => parseFactsKey(key),
    values: {
      table: {
        kind: 'fact',
        // With its earlier versions, and with fields of a newer version.
        parse: (record) => {
          const fact = parseFact(record);
          return fact && { fact };
        },
      },
    },
  },
  {
    prefix: STREAM_PREFIX,
    place: (key) => ({ name: parseStreamKey(key) }),
    values: {
      document: {
        kind: 'stream',
        parse: (record) => {
          const parents = parentsOf(record);
          return parents && { parents };
        },
      },
    },
  },
  {
    prefix: MEMORY_PREFIX,
    place: (key) => parseMemoryKey(key),
    values: { list: { kind: 'message', parse: parseMessage } },
    rule: ({ messages }) => messages,
  },
  {
    prefix: GRAPH_PREFIX,
    place: (key) => ({ graph: parseGraphKey(key) }),
    // Earlier versions kept a graph as one document.
    values: { table: graphValue, document: graphValue },
  },
  {
    prefix: NOTES_PREFIX,
    place: (key) => ({ workflowId: parseWorkflowKey(key) }),
    values: { list: { kind: 'note', parse: parseNote } },
    rule: ({ notes }) => notes,
  },
  {
    prefix: WORKFLOW_PREFIX,
    place: () => ({}),
    values: {
      document: {
        kind: 'workflow',
        parse: (record) => {
          const { notes: _, lease: __, ...workflow } = parseWorkflow(record) ?? {};
          return 'id' in workflow ? workflow : undefined;
        },
      },
    },
  },
  {
    prefix: NAMESPACE_PREFIX,
    place: parseNamespaceKey,
    values: {
      list: {
        kind: 'record',
        parse: (record) => {
          const parsed = parseNamespaceRecord(record);
          return parsed && { value: parsed.value, time: parsed.time };
        },
      },
      document: { kind: 'document', parse: (document) => ({ document }) },
    },
    hasExpiry: true,
  },
];

/** The keys that are derived, or that have lines of their own. */
const OTHER_PREFIXES: readonly string[] = [TERMS_PREFIX, WAITING_PREFIX, QUARANTINE_KEY, UNKNOWN_KEY];

function kindOf(key: string): Kind | undefined {
  return KINDS.find(({ prefix }) => key.startsWith(prefix));
}

/** Returns whether this version knows what a key is for. */
export function isKnownKey(key: string): boolean {
  return kindOf(key) !== undefined || OTHER_PREFIXES.some((prefix) => key.startsWith(prefix));
}

/** Returns why the value of a key is not readable; `undefined` for a key as it should be. */
function reasonOf({ key, kind: type }: Pick<KeyInfo, 'key' | 'kind'>): string | undefined {
  if (key.startsWith(KNOWLEDGE_PREFIX)) return undefined;
  const kind = kindOf(key);
  if (kind === undefined) return isKnownKey(key) ? undefined : 'this version does not know the key';
  if (kind.values[type] === undefined) return `it has a ${type === 'other' ? 'value of another program' : type}`;
  return kind.place(key) === undefined ? 'the key has another form' : undefined;
}

/** Returns the problem of a key that does not have what it should have. */
export function problemOf(info: Pick<KeyInfo, 'key' | 'kind'>): Problem | undefined {
  const reason = reasonOf(info);
  if (reason === undefined) return undefined;
  const removal =
    info.kind === 'other'
      ? 'delete it in the store'
      : "forget({ unreadable: true }), or 'cairn memory forget --unreadable', removes it";
  const hint = isKnownKey(info.key) ? removal : 'a newer version may read it';
  const message = `Cannot read ${info.key}: ${reason}. It was left in place; ${hint}.`;
  return { key: info.key, code: 'CORRUPT_RECORD', message };
}

/** Returns the keys of a prefix that have what they should have, in alphabetical order, and reports the others. */
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

/** A stored record. */
export interface FoundRecord extends Pick<KeyInfo, 'key' | 'kind'> {
  /** The stored text. */
  readonly record: string;
  /** Of a row of a table. */
  readonly id?: string | undefined;
  /** The line of an export; `undefined` when this version cannot read the record. */
  readonly line?: string | undefined;
  /** Why it is not readable, when that is not just its text. */
  readonly reason?: string | undefined;
}

export interface ContentsOptions extends CallOptions {
  readonly limits: Limits;
  /** Only keys with this prefix. @default all keys of memory */
  readonly prefix?: string | undefined;
  /** Only keys that it accepts. @default all */
  readonly accepts?: ((key: string) => boolean) | undefined;
  readonly onProblem: ProblemListener;
}

async function recordsOf(
  backend: MemoryBackend,
  { key, kind }: KeyInfo,
  { rule, signal }: CallOptions & { readonly rule: ListRule },
): Promise<Pick<FoundRecord, 'record' | 'id'>[]> {
  if (kind === 'list') return (await backend.list(key, { rule, signal })).toReversed().map((record) => ({ record }));
  if (kind === 'document') {
    const document = await backend.read(key, { signal });
    if (document === undefined) return [];
    if (!key.startsWith(GRAPH_PREFIX)) return [{ record: document }];
    // A graph of an earlier version has a record in each line.
    return document.split('\n').flatMap((record) => (record === '' ? [] : [{ record }]));
  }
  const { selected } = await readChanges(backend, key, (row) => row, { signal });
  // A row that changed since it was read comes again.
  const rows = new Map(selected.map((row) => [row.id, row]));
  const order = kindOf(key)?.values.table?.placeOf ?? ((_: string, sequence: number) => sequence);
  const placed = Array.from(rows.values(), (row) => ({ row, place: order(row.record, row.sequence) }));
  return placed.toSorted((a, b) => a.place - b.place).map(({ row }) => row);
}

/** Reads everything, in the order of an export: by kind and key, oldest first. */
export async function* readContents(
  backend: MemoryBackend,
  { limits, prefix = PREFIX, accepts = () => true, onProblem, signal }: ContentsOptions,
): AsyncGenerator<FoundRecord, void, undefined> {
  const found = (await backend.keys(prefix, { signal })).filter(({ key }) => accepts(key));
  const infos = found.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  for (const info of infos) {
    const problem = isKnownKey(info.key) ? undefined : problemOf(info);
    if (problem) onProblem(problem);
  }
  for (const kind of KINDS) {
    for (const info of infos) {
      if (info.key.startsWith(kind.prefix)) yield* readKey(backend, info, { kind, limits, onProblem, signal });
    }
  }
}

async function* readKey(
  backend: MemoryBackend,
  info: KeyInfo,
  {
    kind,
    limits,
    onProblem,
    signal,
  }: Pick<ContentsOptions, 'limits' | 'onProblem' | 'signal'> & { readonly kind: Kind },
): AsyncGenerator<FoundRecord, void, undefined> {
  const { key, kind: type } = info;
  const rule = kind.rule?.(limits) ?? listRuleOf({});
  const value = kind.values[type];
  const place = kind.place(key);
  const found = await onKey(key, () => recordsOf(backend, info, { rule, signal }), onProblem);
  if (found === undefined) return;
  const expiresAt =
    kind.hasExpiry === true && info.expiresInMs !== undefined
      ? Math.min((await backend.now({ signal })) + info.expiresInMs, MAX_TIME_MS)
      : undefined;
  const reason = reasonOf(info);
  const turns = new Turns(signal);
  for (const { record, id } of found) {
    if (turns.spend(unitsOf(record))) await turns.next();
    const fields = reason === undefined ? value?.parse(record) : undefined;
    const line = fields && JSON.stringify({ kind: value?.kind, ...place, ...fields, expiresAt });
    yield { key, kind: type, record, id, line, reason };
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
  const records = await backend.list(UNKNOWN_KEY, { rule: listRuleOf({}), ...options });
  return records.toReversed().flatMap((record) => {
    const { line, version } = parseFields(record) ?? {};
    if (typeof line !== 'string') return [];
    return [{ text: line, ...(typeof version === 'number' && { version }) }];
  });
}

/** Reads the records that earlier versions moved out of their lists, oldest first. */
export async function readMoved(backend: MemoryBackend, options: CallOptions): Promise<UnreadableRecord[]> {
  const moved = await backend.list(QUARANTINE_KEY, { rule: listRuleOf({}), ...options });
  return moved.toReversed().map((text) => {
    const { key, record } = parseFields(text) ?? {};
    if (typeof key !== 'string' || typeof record !== 'string') return { key: QUARANTINE_KEY, record: text };
    return { key, record, reason: 'an earlier version moved it out of its list' };
  });
}

/** Lists the records that this version cannot read, also those that earlier versions moved out of their lists. */
export async function listUnreadable(
  backend: MemoryBackend,
  options: CallOptions & { readonly limits: Limits },
): Promise<UnreadableRecord[]> {
  const found: UnreadableRecord[] = [];
  const onProblem: ProblemListener = ({ key, message }) => found.push({ key, record: '', reason: message });
  for await (const { key, id, record, line, reason } of readContents(backend, { ...options, onProblem })) {
    if (line !== undefined) continue;
    found.push({ key, ...(id !== undefined && { id }), record, ...(reason !== undefined && { reason }) });
  }
  const { signal } = options;
  return [...found, ...((await onKey(QUARANTINE_KEY, () => readMoved(backend, { signal }), onProblem)) ?? [])];
}
