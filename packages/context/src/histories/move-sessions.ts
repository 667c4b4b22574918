import { MemoryError } from '@cairn/memory';
import type { Memory, MemoryBackend, Namespace, NamespaceKeyInfo } from '@cairn/memory';
import { checkName, NAMESPACE, parseKey, prefixOf } from './keys.ts';
import { memoryOf } from './sessions.ts';

export interface MoveSessionsOptions {
  /** A memory, or a store. */
  readonly store: Memory | MemoryBackend;
  /** The project that has the sessions. */
  readonly from: string;
  /** The project that gets them. A session that both have is merged, in the order of the times of its messages. */
  readonly to: string;
}

/** Returns what a key has as lines of an export, under another key. */
async function linesOf(
  namespace: Namespace,
  info: NamespaceKeyInfo,
  to: { key: string; nowMs: number },
): Promise<string[]> {
  const { expiresInMs } = info;
  const place = {
    namespace: NAMESPACE,
    key: to.key,
    ...(expiresInMs !== undefined && { expiresAt: to.nowMs + expiresInMs }),
  };
  if (info.kind === 'document') {
    const document = await namespace.read(info.key);
    return document === undefined ? [] : [JSON.stringify({ kind: 'document', ...place, document })];
  }
  const records = (await namespace.list(info.key)).toReversed();
  return records.map(({ value, time }) => JSON.stringify({ kind: 'record', ...place, value, time }));
}

/**
 * Moves the sessions of a project to another one, such as after its directory was renamed. When it is interrupted, both projects
 * may have a session; it can be repeated.
 *
 * @returns the number of moved sessions.
 * @throws {ContextError} `INVALID_NAME`; a `MemoryError` of the store.
 */
export async function moveSessions({ store, from, to }: MoveSessionsOptions): Promise<number> {
  const [source, target] = [checkName(from, 'project'), checkName(to, 'project')];
  if (source === target) return 0;
  const memory = memoryOf(store);
  const namespace = memory.namespace(NAMESPACE);
  const sessions = new Set<string>();
  // Large parts come before the turns that need them, and go after them.
  for (const kind of ['blobs', 'history', 'summaries'] as const) {
    const prefix = prefixOf(kind, { project: source });
    for (const info of await namespace.keys({ prefix })) {
      const key = `${prefixOf(kind, { project: target })}${info.key.slice(prefix.length)}`;
      const lines = await linesOf(namespace, info, { key, nowMs: await memory.backend.now() });
      const [problem] = (await memory.import(lines)).problems;
      if (problem)
        throw new MemoryError(problem.code, [problem.message, 'Nothing was removed from the project.'], { key });
      if (kind === 'history') sessions.add(parseKey(info.key)?.session ?? '');
    }
  }
  for (const kind of ['history', 'blobs', 'summaries'] as const) {
    await namespace.forget({ prefix: prefixOf(kind, { project: source }) });
  }
  return sessions.size;
}
