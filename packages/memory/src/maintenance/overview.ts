import type { Place } from '../conversations/messages.ts';
import type { CallOptions, KeyInfo, MemoryBackend } from '../records/backend.ts';
import {
  GRAPH_PREFIX,
  MEMORY_PREFIX,
  NAMESPACE_PREFIX,
  NOTES_PREFIX,
  parseGraphKey,
  parseMemoryKey,
  parseNamespaceKey,
  parseWorkflowKey,
  streamPrefix,
  TERMS_PREFIX,
  WORKFLOW_PREFIX,
} from '../records/keys.ts';

/** A group of messages. */
export interface GroupInfo extends Place {
  readonly key: string;
  /** The number of messages, including expired ones that were not yet removed. */
  readonly messages: number;
  /** About the bytes that the store uses; `undefined` when the store does not report it. */
  readonly bytes: number | undefined;
  /** Milliseconds until all messages have expired; `undefined` for never. */
  readonly expiresInMs: number | undefined;
}

/** The notes of a workflow. */
export interface NotesInfo {
  readonly workflowId: string;
  readonly key: string;
  readonly notes: number;
  readonly bytes: number | undefined;
  readonly expiresInMs: number | undefined;
}

/** A namespace. */
export interface NamespaceInfo {
  readonly name: string;
  readonly keys: number;
  /** The number of records in lists, plus the number of documents. */
  readonly records: number;
  readonly bytes: number;
}

/** The contents of a memory in numbers. */
export interface MemoryStats {
  readonly backend: string;
  readonly streams: number;
  readonly groups: number;
  readonly messages: number;
  readonly notes: number;
  readonly workflows: number;
  /** Knowledge graphs. */
  readonly graphs: number;
  /** In alphabetical order. */
  readonly namespaces: readonly NamespaceInfo[];
  /** About the bytes that the store uses for everything. */
  readonly bytes: number;
  /** Keys that never expire, such as graphs and messages without a lifetime. */
  readonly keysWithoutEnd: number;
}

/** Lists the groups with messages, of one stream or of all. */
export async function listGroups(
  backend: MemoryBackend,
  stream: string | undefined,
  options: CallOptions,
): Promise<GroupInfo[]> {
  const infos = await backend.keys(stream === undefined ? MEMORY_PREFIX : streamPrefix(stream), options);
  const groups = infos.flatMap(({ key, records, bytes, expiresInMs }): GroupInfo[] => {
    const place = parseMemoryKey(key);
    return place === undefined ? [] : [{ ...place, key, messages: records, bytes, expiresInMs }];
  });
  return groups.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** Lists the workflows with notes. */
export async function listNotes(backend: MemoryBackend, options: CallOptions): Promise<NotesInfo[]> {
  const infos = await backend.keys(NOTES_PREFIX, options);
  const all = infos.map(({ key, records, bytes, expiresInMs }): NotesInfo => {
    return { workflowId: parseWorkflowKey(key) ?? key, key, notes: records, bytes, expiresInMs };
  });
  return all.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** Lists the names of the knowledge graphs. */
export async function listGraphs(backend: MemoryBackend, options: CallOptions): Promise<string[]> {
  const infos = await backend.keys(GRAPH_PREFIX, options);
  return infos.map(({ key }) => parseGraphKey(key)).toSorted();
}

function namespacesOf(infos: readonly KeyInfo[]): NamespaceInfo[] {
  const byName = new Map<string, NamespaceInfo>();
  for (const { key, records, bytes = 0 } of infos) {
    const name = parseNamespaceKey(key)?.namespace;
    if (name === undefined) continue;
    const before = byName.get(name) ?? { name, keys: 0, records: 0, bytes: 0 };
    const after = { keys: before.keys + 1, records: before.records + records, bytes: before.bytes + bytes };
    byName.set(name, { name, ...after });
  }
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function recordsOf(infos: readonly KeyInfo[], prefix: string): number {
  return infos.filter(({ key }) => key.startsWith(prefix)).reduce((sum, { records }) => sum + records, 0);
}

/** Counts the contents of a memory. */
export async function measure(backend: MemoryBackend, options: CallOptions): Promise<MemoryStats> {
  const prefixes = [MEMORY_PREFIX, NOTES_PREFIX, WORKFLOW_PREFIX, GRAPH_PREFIX, NAMESPACE_PREFIX, TERMS_PREFIX];
  const infos = (await Promise.all(prefixes.map((prefix) => backend.keys(prefix, options)))).flat();
  const places = infos.flatMap(({ key }) => parseMemoryKey(key) ?? []);
  return {
    backend: backend.name,
    streams: new Set(places.map(({ stream }) => stream)).size,
    groups: places.length,
    messages: recordsOf(infos, MEMORY_PREFIX),
    notes: recordsOf(infos, NOTES_PREFIX),
    workflows: recordsOf(infos, WORKFLOW_PREFIX),
    graphs: recordsOf(infos, GRAPH_PREFIX),
    namespaces: namespacesOf(infos),
    bytes: infos.reduce((sum, { bytes = 0 }) => sum + bytes, 0),
    keysWithoutEnd: infos.filter(({ expiresInMs }) => expiresInMs === undefined).length,
  };
}
