/** The stored texts under any key, and whether this version can read them. */
import { parseMessage } from '../conversations/message.ts';
import { MemoryError } from '../errors.ts';
import { parseFact } from '../facts/fact.ts';
import { isGraphLine } from '../graph/knowledge-graph.ts';
import type { CallOptions, KeyInfo, MemoryBackend } from '../records/backend.ts';
import {
  FACTS_PREFIX,
  GRAPH_PREFIX,
  MEMORY_PREFIX,
  NAMESPACE_PREFIX,
  NOTES_PREFIX,
  parseFactsKey,
  parseMemoryKey,
  parseNamespaceKey,
  WORKFLOW_PREFIX,
} from '../records/keys.ts';
import { listRuleOf } from '../records/limits.ts';
import { parseNamespaceRecord } from '../records/namespace.ts';
import type { UnreadableListener } from '../records/reader.ts';
import { parseNote } from '../workflows/notes.ts';
import { parseWorkflow } from '../workflows/workflow-record.ts';

/** The value that a key of a prefix has. */
interface Kind {
  readonly prefix: string;
  /** The values that the key may have, each with what tells a readable record. */
  readonly readable: Partial<Readonly<Record<KeyInfo['kind'], (record: string) => boolean>>>;
  /** Whether the rest of the key is valid. @default true */
  readonly isKey?: ((key: string) => boolean) | undefined;
}

const KINDS: readonly Kind[] = [
  {
    prefix: MEMORY_PREFIX,
    readable: { list: (record) => parseMessage(record) !== undefined },
    isKey: (key) => parseMemoryKey(key) !== undefined,
  },
  { prefix: NOTES_PREFIX, readable: { list: (record) => parseNote(record) !== undefined } },
  { prefix: WORKFLOW_PREFIX, readable: { document: (record) => parseWorkflow(record) !== undefined } },
  { prefix: GRAPH_PREFIX, readable: { document: isGraphLine, table: isGraphLine } },
  {
    prefix: FACTS_PREFIX,
    readable: { table: (record) => parseFact(record) !== undefined },
    isKey: (key) => parseFactsKey(key) !== undefined,
  },
  {
    prefix: NAMESPACE_PREFIX,
    readable: { list: (record) => parseNamespaceRecord(record) !== undefined, document: () => true },
    isKey: (key) => parseNamespaceKey(key) !== undefined,
  },
];

/** A stored text. */
export interface RawRecord {
  readonly text: string;
  /** Of a row of a table. */
  readonly id?: string | undefined;
}

const PAGE = 1000;

/** Returns the raw records under a key, oldest first. A graph that is one document has a record in each line. */
export async function rawRecords(
  backend: MemoryBackend,
  { key, kind }: Pick<KeyInfo, 'key' | 'kind'>,
  options: CallOptions,
): Promise<RawRecord[]> {
  if (kind === 'list') {
    return (await backend.list(key, { rule: listRuleOf({}), ...options })).toReversed().map((text) => ({ text }));
  }
  if (kind === 'document') {
    const document = await backend.read(key, options);
    if (document === undefined) return [];
    if (!key.startsWith(GRAPH_PREFIX)) return [{ text: document }];
    return document.split('\n').flatMap((text) => (text === '' ? [] : [{ text }]));
  }
  const found: RawRecord[] = [];
  let after = 0;
  for (;;) {
    const { records } = await backend.changes(key, { after, limit: PAGE, ...options });
    for (const { record, id } of records) found.push({ text: record, id });
    after = records.at(-1)?.sequence ?? 0;
    if (records.length < PAGE) return found;
  }
}

/** Calls `onUnreadable` for each record that this version cannot read. Keys of other programs are not part of the memory. */
export async function findUnreadable(
  backend: MemoryBackend,
  onUnreadable: UnreadableListener,
  options: CallOptions,
): Promise<void> {
  for (const { prefix, readable, isKey = () => true } of KINDS) {
    const infos = (await backend.keys(prefix, options)).toSorted((a, b) => (a.key < b.key ? -1 : 1));
    for (const info of infos) {
      const { key, kind } = info;
      const isReadable = readable[kind];
      if (isReadable === undefined || !isKey(key)) {
        const reason =
          isReadable === undefined
            ? `it has a ${kind === 'other' ? 'value of another program' : kind}`
            : 'its key has another form';
        onUnreadable({ key, record: '', reason });
        continue;
      }
      try {
        for (const { text, id } of await rawRecords(backend, info, options)) {
          if (!isReadable(text)) onUnreadable({ key, record: text, ...(id !== undefined && { id }) });
        }
      } catch (error) {
        // Another program replaced the value after it was listed.
        if (!MemoryError.isInstance(error) || error.code !== 'CORRUPT_RECORD') throw error;
        onUnreadable({ key, record: '', reason: error.summary });
      }
    }
  }
}
