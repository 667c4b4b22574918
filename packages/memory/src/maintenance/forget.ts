import type { Claims } from '../conversations/claims.ts';
import type { Messages } from '../conversations/messages.ts';
import { MemoryError } from '../errors.ts';
import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import { removeKeys } from '../records/namespace.ts';
import { listGroups } from './overview.ts';

/** Selects messages to remove. */
export interface ForgetMessages extends CallOptions {
  readonly stream: string;
  /** @default all groups of the stream; its name is free again */
  readonly group?: string | undefined;
  /** The id of one message of the group. @default all messages */
  readonly message?: string | undefined;
}

/** Selects data of a namespace to remove. */
export interface ForgetNamespace extends CallOptions {
  readonly namespace: string;
  /** @default all keys of the namespace */
  readonly key?: string | undefined;
}

export type ForgetOptions = ForgetMessages | ForgetNamespace;

export interface ForgetDependencies {
  readonly backend: MemoryBackend;
  readonly messages: Messages;
  readonly claims: Claims;
}

/** Removes the selected records. @returns their number. @throws {MemoryError} `INVALID_INPUT`, `INVALID_NAME`. */
export async function forget(dependencies: ForgetDependencies, selection: ForgetOptions): Promise<number> {
  if (!('namespace' in selection)) return forgetMessages(dependencies, selection);
  const { namespace, key, signal } = selection;
  return removeKeys(dependencies.backend, { namespace, key }, { signal });
}

async function forgetMessages(
  { backend, messages, claims }: ForgetDependencies,
  { stream, group, message, signal }: ForgetMessages,
): Promise<number> {
  if (group !== undefined) return messages.remove({ stream, group }, message, { signal });
  if (message !== undefined) {
    throw new MemoryError('INVALID_INPUT', ['A message ID needs its group', 'Pass the group of the message too.']);
  }
  let removed = 0;
  for (const place of await listGroups(backend, stream, { signal })) {
    removed += await messages.remove(place, undefined, { signal });
  }
  await claims.release(stream, { signal });
  return removed;
}
