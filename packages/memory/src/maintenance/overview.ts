import type { CallOptions, KeyInfo, MemoryBackend } from '../records/backend.ts';
import {
  GRAPH_PREFIX,
  MEMORY_PREFIX,
  NOTES_PREFIX,
  parseGraphKey,
  parseMemoryKey,
  parseWorkflowKey,
  QUARANTINE_KEY,
  streamPrefix,
  WORKFLOW_PREFIX,
} from '../records/keys.ts';
import type { Place } from '../conversations/messages.ts';

/** A group of messages in a list. */
export interface GroupInfo extends Place {
  readonly key: string;
  /** Messages; expired ones that were not yet removed count. */
  readonly messages: number;
  /** What the store uses for them, about; `undefined` when it does not say. */
  readonly bytes: number | undefined;
  /** Milliseconds until all of them are gone; `undefined` for never. */
  readonly expiresInMs: number | undefined;
}

/** The notes of a workflow in a list. */
export interface NotesInfo {
  readonly workflowId: string;
  readonly key: string;
  readonly notes: number;
  readonly bytes: number | undefined;
  readonly expiresInMs: number | undefined;
}

/** How much a memory holds. */
export interface MemoryStats {
  readonly backend: string;
  readonly streams: number;
  readonly groups: number;
  readonly messages: number;
  readonly notes: number;
  readonly workflows: number;
  /** Knowledge graphs. */
  readonly graphs: number;
  /** Records that could not be read and were set aside. */
  readonly quarantined: number;
  /** What the store uses for all of it, about. */
  readonly bytes: number;
  /** Keys that never end, as messages without a lifetime do. */
  readonly keysWithoutEnd: number;
}

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

export async function listNotes(backend: MemoryBackend, options: CallOptions): Promise<NotesInfo[]> {
  const infos = await backend.keys(NOTES_PREFIX, options);
  const all = infos.map(({ key, records, bytes, expiresInMs }): NotesInfo => {
    return { workflowId: parseWorkflowKey(key) ?? key, key, notes: records, bytes, expiresInMs };
  });
  return all.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** The names of the knowledge graphs. */
export async function listGraphs(backend: MemoryBackend, options: CallOptions): Promise<string[]> {
  const infos = await backend.keys(GRAPH_PREFIX, options);
  return infos.map(({ key }) => parseGraphKey(key)).toSorted();
}

function recordsOf(infos: readonly KeyInfo[], prefix: string): number {
  return infos.filter(({ key }) => key.startsWith(prefix)).reduce((sum, { records }) => sum + records, 0);
}

export async function measure(backend: MemoryBackend, options: CallOptions): Promise<MemoryStats> {
  const prefixes = [MEMORY_PREFIX, NOTES_PREFIX, WORKFLOW_PREFIX, GRAPH_PREFIX, QUARANTINE_KEY];
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
    quarantined: recordsOf(infos, QUARANTINE_KEY),
    bytes: infos.reduce((sum, { bytes = 0 }) => sum + bytes, 0),
    keysWithoutEnd: infos.filter(({ expiresInMs }) => expiresInMs === undefined).length,
  };
}
