import { checkArguments } from '../errors.ts';
import { MemoryError, type Memory, type MemoryBackend, type NamespaceRecord } from '@cairn/memory';
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
      const expiresAt = info.expiresInMs === undefined ? undefined : (await memory.backend.now()) + info.expiresInMs;
      const document = await namespace.read(info.key);
      const records = document === undefined ? (await namespace.list(info.key)).toReversed() : [];
      const lines =
        document === undefined
          ? records.map(({ value, time, expiresAt: end }) => ({ kind: 'record', expiresAt: end, value, time }))
          : [{ kind: 'document', expiresAt, document }];
      moved.unshift([info.key, records]);
      const imported = lines.map((line) => JSON.stringify({ ...line, namespace: NAMESPACE, key }));
      const [problem] = (await memory.import(imported)).problems;
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
