import type { Memory, Namespace } from '@cairn/memory';
import { hash } from 'node:crypto';
import { checkArguments, ContextError } from '../errors.ts';
import { NAMESPACE, prefixOf } from './keys.ts';
import { memoryOf, newSession, projectNameOf } from './session-place.ts';
import type { SessionsOptions } from './session-place.ts';

/** As long as the messages of a session. */
const LIFETIME_MS = 90 * 86_400_000;

/** The owner of sessions. */
export interface OwnedSessionOptions extends SessionsOptions {
  /** The identity of the owner, such as of a terminal. Equal only for calls that continue each other's session. */
  readonly owner: string;
}

/** Options of {@link continueSession}. */
export interface ContinueSessionOptions extends OwnedSessionOptions {
  /** Whether to begin another session, which later calls continue. @default false */
  readonly isNew?: boolean | undefined;
}

function openOwners(options: SessionsOptions): { namespace: Namespace; prefix: string } {
  const namespace = memoryOf(options.store).namespace(NAMESPACE, { lifetimeMs: LIFETIME_MS });
  return { namespace, prefix: prefixOf('owners', { project: projectNameOf(options) }) };
}

function keyOfOwner(prefix: string, owner: string): string {
  if (owner === '') throw new ContextError('INVALID_INPUT', ['The owner is empty', 'Pass its identity.']);
  return `${prefix}${hash('sha256', owner).slice(0, 32)}`;
}

/** Returns the session that an owner continues; `undefined` for none. @throws {ContextError} `INVALID_INPUT`, `INVALID_NAME`. */
export async function sessionOfOwner(options: OwnedSessionOptions): Promise<string | undefined> {
  checkArguments.options('sessionOfOwner', options, { store: 'required', project: 'optional', owner: 'required' });
  const { namespace, prefix } = openOwners(options);
  return namespace.read(keyOfOwner(prefix, options.owner));
}

/**
 * Returns the session that an owner continues, and begins one if it has none. Concurrent calls of one owner get the same session.
 *
 * @throws {ContextError} `INVALID_INPUT`, `INVALID_NAME`; a `MemoryError` of the store.
 */
export async function continueSession(
  options: ContinueSessionOptions,
): Promise<{ readonly session: string; readonly isNew: boolean }> {
  checkArguments.options('continueSession', options, {
    store: 'required',
    project: 'optional',
    owner: 'required',
    isNew: 'optional',
  });
  const { namespace, prefix } = openOwners(options);
  const key = keyOfOwner(prefix, options.owner);
  for (;;) {
    const expected = await namespace.read(key);
    if (expected !== undefined && options.isNew !== true) return { session: expected, isNew: false };
    const next = newSession(Date.now());
    if (await namespace.swap(key, { expected, next })) return { session: next, isNew: true };
  }
}

/** Lets no owner continue a session that is removed. */
export async function forgetOwners(
  memory: Memory,
  { project, session }: { readonly project: string; readonly session: string },
): Promise<void> {
  const namespace = memory.namespace(NAMESPACE);
  for (const { key } of await namespace.keys({ prefix: prefixOf('owners', { project }) })) {
    if ((await namespace.read(key)) === session) await namespace.swap(key, { expected: session, next: undefined });
  }
}
