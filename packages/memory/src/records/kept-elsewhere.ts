/** Lines that an import did not know, which are kept apart from their keys. */
import type { CallOptions, MemoryBackend } from './backend.ts';
import { factsKey, graphKey, memoryKey, namespaceKey, notesKey, streamKey, UNKNOWN_KEY, workflowKey } from './keys.ts';
import { removeRows } from './lists.ts';
import { newestRows } from './pages.ts';
import { parseFields } from './record.ts';

/** Where a record belongs. */
export interface RecordPlace {
  readonly key: string;
  /** Of the fact or the message. */
  readonly id?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** The keys of the kinds of lines. Each throws when a name is missing. */
const keys: Readonly<Record<string, (fields: Readonly<Record<string, string>>) => string>> = {
  unreadable: ({ key = '' }) => key,
  fact: ({ scope, project = '' }) => factsKey(scope === 'user' ? undefined : project),
  stream: ({ name = '' }) => streamKey(name),
  message: ({ stream = '', group = '' }) => memoryKey(stream, group),
  graph: ({ graph = '' }) => graphKey(graph),
  note: ({ workflowId = '' }) => notesKey(workflowId),
  workflow: ({ id = '' }) => workflowKey(id),
  record: ({ namespace = '', key = '' }) => namespaceKey(namespace, key),
  document: ({ namespace = '', key = '' }) => namespaceKey(namespace, key),
};

function idOf({ id, record, fact }: Fields): unknown {
  if (typeof fact === 'object' && fact !== null) return (fact as Fields)['id'];
  return id ?? (typeof record === 'string' ? parseFields(record)?.['id'] : undefined);
}

/** Returns the key of the record of a line; `undefined` for a kind that has none. @throws {MemoryError} `INVALID_NAME`. */
export function keyOfLine(line: object): string | undefined {
  const { kind } = line as Fields;
  if (typeof kind !== 'string' || !Object.hasOwn(keys, kind)) return undefined;
  return keys[kind]?.(line as Readonly<Record<string, string>>);
}

/** Returns where a line of an export belongs; `undefined` when this version does not know. */
function placeOfLine(text: unknown): RecordPlace | undefined {
  const fields = typeof text === 'string' ? parseFields(text) : undefined;
  try {
    const key = fields && keyOfLine(fields);
    return key === undefined ? undefined : { key, id: idOf(fields ?? {}) };
  } catch {
    return undefined;
  }
}

/** Removes such lines of some keys, so that nothing is left of them when they are forgotten. Lines of an unknown kind stay. */
export async function removeKept(
  backend: MemoryBackend,
  { accepts, signal }: CallOptions & { readonly accepts: (place: RecordPlace) => boolean },
): Promise<number> {
  const ids: string[] = [];
  for await (const { id, text } of newestRows(backend, UNKNOWN_KEY, { signal })) {
    const place = placeOfLine(parseFields(text)?.['line']);
    if (place !== undefined && accepts(place)) ids.push(id);
  }
  return removeRows(backend, UNKNOWN_KEY, ids, { signal });
}
