import { createMemory } from '@cairn/memory';
import type { Memory, MemoryBackend } from '@cairn/memory';
import { checkName, MAIN, NAMESPACE, parseHistoryKey, prefixOf } from './keys.ts';

/** The project of histories when nothing names one. */
export const DEFAULT_PROJECT = 'default';

/** Where sessions are. */
export interface SessionsOptions {
  /** A memory, or a store. */
  readonly store: Memory | MemoryBackend;
  /** The identity of the project, such as the result of `projectOf`. @default that of the memory, else `default` */
  readonly project?: string | undefined;
}

/** A session with at least one message. */
export interface SessionInfo {
  readonly session: string;
  /** When its newest message was stored, in milliseconds since the epoch. */
  readonly lastUsedAt: number;
  /** The number of messages, of all histories. */
  readonly messages: number;
  /** The agents with a history of their own. */
  readonly agents: readonly string[];
}

/** Returns the memory of a store. */
export function memoryOf(store: Memory | MemoryBackend): Memory {
  return 'namespace' in store ? store : createMemory({ backend: store });
}

/** @throws {ContextError} `INVALID_NAME`. */
export function projectNameOf({ store, project }: SessionsOptions): string {
  return checkName(project ?? ('namespace' in store ? store.project : undefined) ?? DEFAULT_PROJECT, 'project');
}

/** Lists the sessions of a project, the one that was used last first. @throws {ContextError} `INVALID_NAME`. */
export async function listSessions(options: SessionsOptions): Promise<SessionInfo[]> {
  const namespace = memoryOf(options.store).namespace(NAMESPACE);
  const project = projectNameOf(options);
  const sessions = new Map<string, { lastUsedAt: number; messages: number; agents: string[] }>();
  for (const { key, records } of await namespace.keys({ prefix: prefixOf('history', { project }) })) {
    const place = parseHistoryKey(key);
    if (place === undefined) continue;
    const [newest] = await namespace.list(key, { limit: 1 });
    if (newest === undefined) continue;
    const info = sessions.get(place.session) ?? { lastUsedAt: 0, messages: 0, agents: [] };
    sessions.set(place.session, info);
    info.lastUsedAt = Math.max(info.lastUsedAt, newest.time);
    info.messages += records;
    if (place.agent !== MAIN) info.agents.push(place.agent);
  }
  const infos = Array.from(sessions, ([session, info]): SessionInfo => ({ session, ...info }));
  return infos.toSorted((a, b) => b.lastUsedAt - a.lastUsedAt);
}
