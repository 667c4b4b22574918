import type { Messages } from '../conversations/messages.ts';
import type { Graph } from '../graph/graph.ts';
import { graphLines } from '../graph/knowledge-graph.ts';
import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import { NAMESPACE_PREFIX, parseNamespaceKey, workflowKey } from '../records/keys.ts';
import { listRuleOf } from '../records/limits.ts';
import type { Limits } from '../records/limits.ts';
import { parseNamespaceRecord } from '../records/namespace.ts';
import type { Reader } from '../records/reader.ts';
import { MAX_TIME_MS } from '../records/time.ts';
import type { Notes } from '../workflows/notes.ts';
import type { Workflows } from '../workflows/workflows.ts';
import { listGraphs, listGroups, listNotes } from './overview.ts';

/** Selects the contents of an export. By default everything; with a stream or a group, only their messages. */
export interface ExportOptions extends CallOptions {
  readonly stream?: string | undefined;
  readonly group?: string | undefined;
}

export interface TransferDependencies {
  readonly backend: MemoryBackend;
  readonly reader: Reader;
  readonly messages: Messages;
  readonly notes: Notes;
  readonly workflows: Workflows;
  readonly limits: Limits;
  readonly graph: (name: string) => Graph;
}

type Lines = AsyncGenerator<string, void, undefined>;

/** Writes a memory as JSON lines, oldest first within a group. */
export async function* exportLines(dependencies: TransferDependencies, options: ExportOptions): Lines {
  const { stream, group, signal } = options;
  yield* messageLines(dependencies, options);
  if (stream !== undefined || group !== undefined) return;
  yield* graphsAsLines(dependencies, { signal });
  yield* noteLines(dependencies, { signal });
  yield* workflowLines(dependencies, { signal });
  yield* namespaceLines(dependencies, { signal });
}

async function* messageLines(
  { backend, messages }: TransferDependencies,
  { stream, group, signal }: ExportOptions,
): Lines {
  for (const place of await listGroups(backend, stream, { signal })) {
    if (group !== undefined && place.group !== group) continue;
    for (const message of (await messages.history(place, { signal })).toReversed()) {
      yield JSON.stringify({ kind: 'message', stream: place.stream, group: place.group, ...message });
    }
  }
}

async function* graphsAsLines({ backend, graph }: TransferDependencies, options: CallOptions): Lines {
  for (const name of await listGraphs(backend, options)) {
    for (const line of graphLines(await graph(name).read(options))) {
      yield JSON.stringify({ kind: 'graph', graph: name, line: JSON.parse(line) as unknown });
    }
  }
}

async function* noteLines({ backend, notes }: TransferDependencies, options: CallOptions): Lines {
  for (const { workflowId } of await listNotes(backend, options)) {
    for (const note of (await notes.getNotes(workflowId, options)).toReversed()) {
      yield JSON.stringify({ kind: 'note', workflowId, ...note });
    }
  }
}

async function* workflowLines({ workflows, reader }: TransferDependencies, options: CallOptions): Lines {
  for (const { id, status } of (await workflows.list(options)).toReversed()) {
    if (status === 'corrupt') {
      reader.report({ key: workflowKey(id), record: '' });
      continue;
    }
    const { notes: _, lease: __, ...record } = await workflows.get(id, options);
    yield JSON.stringify({ kind: 'workflow', ...record });
  }
}

/** Exports lists by record and documents as a whole, each with the time when it expires. */
async function* namespaceLines({ backend, reader }: TransferDependencies, options: CallOptions): Lines {
  const rule = listRuleOf({});
  const infos = (await backend.keys(NAMESPACE_PREFIX, options)).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  for (const { key, kind, expiresInMs } of infos) {
    const place = parseNamespaceKey(key);
    if (place === undefined) continue;
    const expiresAt =
      expiresInMs === undefined ? undefined : Math.min((await backend.now(options)) + expiresInMs, MAX_TIME_MS);
    if (kind === 'document') {
      const document = await backend.read(key, options);
      if (document !== undefined) yield JSON.stringify({ kind: 'document', ...place, document, expiresAt });
      continue;
    }
    for (const { value: record } of (await reader.read(key, { rule, ...options }, parseNamespaceRecord)).toReversed()) {
      const { value, time } = record;
      yield JSON.stringify({ kind: 'record', ...place, value, time, expiresAt });
    }
  }
}
