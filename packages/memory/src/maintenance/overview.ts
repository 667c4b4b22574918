import type { Place } from '../conversations/messages.ts';
import type { CallOptions, KeyInfo, MemoryBackend } from '../records/backend.ts';
import * as keys from '../records/keys.ts';
import { problemOf, readableKeys } from './contents.ts';
import type { Problem, ProblemListener } from './problems.ts';

export interface OverviewOptions extends CallOptions {
  readonly onProblem: ProblemListener;
}

export interface GroupInfo extends Place, Omit<KeyInfo, 'records'> {
  /** The number of messages, including expired ones that were not yet removed. */
  readonly messages: number;
}

export interface NotesInfo extends Omit<KeyInfo, 'records'> {
  readonly workflowId: string;
  readonly notes: number;
}

interface NamespaceInfo {
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
  /** Of the user and of all projects, with archived ones. */
  readonly facts: number;
  /** Knowledge graphs. */
  readonly graphs: number;
  /** In alphabetical order. */
  readonly namespaces: readonly NamespaceInfo[];
  /** About the bytes that the store uses for everything. */
  readonly bytes: number;
  /** Keys that never expire, such as graphs and messages without a lifetime. */
  readonly keysWithoutEnd: number;
  /** The keys that are not counted. */
  readonly problems: readonly Problem[];
}

export async function listGroups(
  backend: MemoryBackend,
  { stream, ...options }: OverviewOptions & { readonly stream?: string | undefined },
): Promise<GroupInfo[]> {
  const infos = await readableKeys(
    backend,
    stream === undefined ? keys.MEMORY_PREFIX : keys.streamPrefix(stream),
    options,
  );
  return infos.flatMap(({ key, records, bytes, expiresInMs }): GroupInfo[] => {
    const place = keys.parseMemoryKey(key);
    return place === undefined ? [] : [{ ...place, key, messages: records, bytes, expiresInMs }];
  });
}

export async function listNotes(backend: MemoryBackend, options: OverviewOptions): Promise<NotesInfo[]> {
  const infos = await readableKeys(backend, keys.NOTES_PREFIX, options);
  return infos.map(({ key, records, bytes, expiresInMs }) => {
    return { workflowId: keys.nameIn(key), key, notes: records, bytes, expiresInMs };
  });
}

function namespacesOf(infos: readonly KeyInfo[]): NamespaceInfo[] {
  const byName = new Map<string, NamespaceInfo>();
  for (const { key, records, bytes = 0 } of infos) {
    const name = keys.parseNamespaceKey(key)?.namespace;
    if (name === undefined) continue;
    const before = byName.get(name) ?? { name, keys: 0, records: 0, bytes: 0 };
    const after = { keys: before.keys + 1, records: before.records + records, bytes: before.bytes + bytes };
    byName.set(name, { name, ...after });
  }
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Counts the contents of a memory. A key with another value than it should have is a problem, and counts only its bytes. */
export async function measure(backend: MemoryBackend, options: CallOptions): Promise<MemoryStats> {
  const problems: Problem[] = [];
  const all = await backend.keys(keys.PREFIX, options);
  const infos = all.filter((info) => {
    const problem = problemOf(info);
    if (problem) problems.push(problem);
    return problem === undefined;
  });
  const infosOf = (prefix: string): KeyInfo[] => infos.filter(({ key }) => key.startsWith(prefix));
  const recordsOf = (prefix: string): number => infosOf(prefix).reduce((sum, { records }) => sum + records, 0);
  const places = infos.flatMap(({ key }) => keys.parseMemoryKey(key) ?? []);
  return {
    backend: backend.name,
    streams: new Set(places.map(({ stream }) => stream)).size,
    groups: places.length,
    messages: recordsOf(keys.MEMORY_PREFIX),
    notes: recordsOf(keys.NOTES_PREFIX),
    workflows: recordsOf(keys.WORKFLOW_PREFIX),
    facts: recordsOf(keys.FACTS_PREFIX),
    graphs: infosOf(keys.GRAPH_PREFIX).length,
    namespaces: namespacesOf(infosOf(keys.NAMESPACE_PREFIX)),
    bytes: all.reduce((sum, { bytes = 0 }) => sum + bytes, 0),
    keysWithoutEnd: infos.filter(({ expiresInMs }) => expiresInMs === undefined).length,
    problems,
  };
}
