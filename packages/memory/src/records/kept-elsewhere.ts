/** Records that are kept apart from their keys: lines that an import did not know, and records that earlier versions moved. */
import type { CallOptions, MemoryBackend } from './backend.ts';
import {
  factsKey,
  graphKey,
  memoryKey,
  namespaceKey,
  notesKey,
  type QUARANTINE_KEY,
  streamKey,
  UNKNOWN_KEY,
  workflowKey,
} from './keys.ts';
import { listRuleOf } from './limits.ts';
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

/** Returns where a line of an export belongs; `undefined` when this version does not know. */
function placeOfLine(text: unknown): RecordPlace | undefined {
  const fields = typeof text === 'string' ? parseFields(text) : undefined;
  const kind = fields?.['kind'];
  if (fields === undefined || typeof kind !== 'string' || !Object.hasOwn(keys, kind)) return undefined;
  try {
    const key = keys[kind]?.(fields as Readonly<Record<string, string>>);
    return key === undefined ? undefined : { key, id: idOf(fields) };
  } catch {
    return undefined;
  }
}

/**
 * Removes such records of some keys, so that nothing is left of them when they are forgotten. Lines of a kind that
 * this version does not know stay.
 *
 * @param store the key of the lines, or that of the moved records
 */
export async function removeKept(
  backend: MemoryBackend,
  store: typeof UNKNOWN_KEY | typeof QUARANTINE_KEY,
  { accepts, signal }: CallOptions & { readonly accepts: (place: RecordPlace) => boolean },
): Promise<number> {
  const kept = await backend.list(store, { rule: listRuleOf({}), signal });
  const selected = kept.filter((text) => {
    const fields = parseFields(text) ?? {};
    const { key } = fields;
    const moved = typeof key === 'string' ? { key, id: idOf(fields) } : undefined;
    const place = store === UNKNOWN_KEY ? placeOfLine(fields['line']) : moved;
    return place !== undefined && accepts(place);
  });
  return selected.length === 0 ? 0 : backend.remove(store, selected, { signal });
}
