import { checkArguments } from '../errors.ts';
import { MemoryError } from '@cairn/memory';
import type { Memory, MemoryBackend, Namespace, NamespaceKeyInfo, NamespaceRecord } from '@cairn/memory';
import { checkName, NAMESPACE, parseKey, prefixOf } from './keys.ts';
import { memoryOf } from './session-place.ts';

export interface MoveSessionsOptions {
  /** A memory, or a store. */
  readonly store: Memory | MemoryBackend;
  /** The project that has the sessions. */
  readonly from: string;
  /** The project that gets them. A session that both have is merged, in the order of the times of its messages. */
  readonly to: string;
}

/** What a key has: as lines of an export under another key, and as the records of a list. */
interface Contents {
  readonly lines: string[];
  readonly records: readonly NamespaceRecord[];
}

async function contentsOf(
  namespace: Namespace,
  info: NamespaceKeyInfo,
  to: { key: string; nowMs: number },
): Promise<Contents> {
  const { expiresInMs } = info;
  const place = {
    namespace: NAMESPACE,
    key: to.key,
    ...(expiresInMs !== undefined && { expiresAt: to.nowMs + expiresInMs }),
  };
  const document = await namespace.read(info.key);
  if (document !== undefined) {
    return { lines: [JSON.stringify({ kind: 'document', ...place, document })], records: [] };
  }
  const records = (await namespace.list(info.key)).toReversed();
  return {
    lines: records.map(({ value, time, expiresAt }) =>
      JSON.stringify({ kind: 'record', ...place, expiresAt, value, time }),
    ),
    records,
  };
}

/**
 * Moves the sessions of a project to another one, such as after its directory was renamed. When it is interrupted, both projects
 * may have a session; it can be repeated.
 *
 * @returns the number of moved sessions.
 * @throws {ContextError} `INVALID_NAME`; a `MemoryError` of the store.
 */
export async function moveSessions(options: MoveSessionsOptions): Promise<number> {
  checkArguments.options('moveSessions', options, { store: 'required', from: 'required', to: 'required' });
  const { store, from, to } = options;
  const [source, target] = [checkName(from, 'project'), checkName(to, 'project')];
  if (source === target) return 0;
  const memory = memoryOf(store);
  const namespace = memory.namespace(NAMESPACE);
  const sessions = new Set<string>();
  const moved: (readonly [key: string, records: readonly NamespaceRecord[]])[] = [];
  // Large parts come before the turns that need them, and go after them.
  for (const kind of ['blobs', 'history', 'summaries', 'texts', 'owners'] as const) {
    const prefix = prefixOf(kind, { project: source });
    for (const info of await namespace.keys({ prefix })) {
      const key = `${prefixOf(kind, { project: target })}${info.key.slice(prefix.length)}`;
      const { lines, records } = await contentsOf(namespace, info, { key, nowMs: await memory.backend.now() });
      moved.unshift([info.key, records]);
      const [problem] = (await memory.import(lines)).problems;
      if (problem)
        throw new MemoryError(problem.code, [problem.message, 'Nothing was removed from the project.'], { key });
      if (kind === 'history' && lines.length > 0) sessions.add(parseKey(info.key)?.session ?? '');
    }
  }
  // Only what was moved: a process may have added a turn, and a record may not be readable.
  for (const [key, records] of moved) if (records.length > 0) await namespace.remove(key, records);
  for (const kind of ['summaries', 'texts', 'owners'] as const) {
    await namespace.forget({ prefix: prefixOf(kind, { project: source }) });
  }
  return sessions.size;
}
