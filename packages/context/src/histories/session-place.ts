import { createMemory } from '@cairn/memory';
import type { Memory, MemoryBackend } from '@cairn/memory';
import { randomUUID } from 'node:crypto';
import { checkName } from './keys.ts';

/** The project of histories when nothing names one. */
export const DEFAULT_PROJECT = 'default';

/** Where sessions are. */
export interface SessionsOptions {
  /** A memory, or a store. */
  readonly store: Memory | MemoryBackend;
  /** The identity of the project, such as the result of `projectOf`. @default the memory's project, else `default` */
  readonly project?: string | undefined;
}

/** Returns the memory of a store. */
export function memoryOf(store: Memory | MemoryBackend): Memory {
  return 'namespace' in store ? store : createMemory({ backend: store });
}

/** @throws {ContextError} `INVALID_NAME`. */
export function projectNameOf({ store, project }: SessionsOptions): string {
  return checkName(project ?? ('namespace' in store ? store.project : undefined) ?? DEFAULT_PROJECT, 'project');
}

/** Returns a name for a new session. */
export function newSession(nowMs: number): string {
  return `session_${nowMs}_${randomUUID().slice(0, 8)}`;
}
