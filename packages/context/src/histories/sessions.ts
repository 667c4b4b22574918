import type { OptionNames } from '@cairn/tool/kernel';
import { createMemory, type Memory, type MemoryBackend, type Namespace } from '@cairn/memory';
import { hash, randomUUID } from 'node:crypto';
import { MAIN } from '../definitions/definition.ts';
import { checkArguments, ContextError } from '../errors.ts';
import { textOf } from '../messages/message.ts';
import { HistoryStore, readFirstMessage } from './history-store.ts';
import { checkName, LIFETIME_MS, NAMESPACE, parseKey, prefixOf, type HistoryPlace } from './keys.ts';

/** The project of histories when nothing names one. */
export const DEFAULT_PROJECT = 'default';

/** Where sessions are. */
export interface SessionsOptions {
  /** A memory, or a store. */
  readonly store: Memory | MemoryBackend;
  /** The identity of the project, such as the result of `projectOf`. @default the memory's project, else `default` */
  readonly project?: string | undefined;
}

export const optionNames: OptionNames<SessionsOptions> = { store: 'required', project: 'optional' };

export function memoryOf(store: Memory | MemoryBackend): Memory {
  return 'namespace' in store ? store : createMemory({ backend: store });
}

/** @throws {ContextError} `INVALID_NAME`. */
export function projectNameOf({ store, project }: SessionsOptions): string {
  return checkName(project ?? ('namespace' in store ? store.project : undefined) ?? DEFAULT_PROJECT, 'project');
}

export function newSession(nowMs: number): string {
  return `session_${nowMs}_${randomUUID().slice(0, 8)}`;
}

const TITLE_CHARACTERS = 80;

/** A session with at least one message. Times are milliseconds since the epoch, by the clock of the store. */
export interface SessionInfo {
  readonly session: string;
  /** The start of its first message, of the main session if that has one. */
  readonly title: string;
  /** When its newest message was stored. */
  readonly lastUsedAt: number;
  /** The number of messages, of all histories. */
  readonly messages: number;
  /** The agents with a history of their own, in alphabetical order. */
  readonly agents: readonly string[];
}

interface FoundHistory extends Omit<HistoryPlace, 'project'> {
  readonly key: string;
  readonly messages: number;
  readonly lastUsedAt: number;
}

async function findHistories(namespace: Namespace, project: string): Promise<FoundHistory[]> {
  const infos = await namespace.keys({ prefix: prefixOf('history', { project }) });
  const found = infos.map(async ({ key, records }): Promise<FoundHistory[]> => {
    const place = parseKey(key);
    // All of it may have expired since.
    const [newest] = place === undefined ? [] : await namespace.list(key, { limit: 1 });
    if (place === undefined || newest === undefined) return [];
    return [{ ...place, key, messages: records, lastUsedAt: newest.time }];
  });
  return (await Promise.all(found)).flat();
}

async function titleOf(namespace: Namespace, { key }: FoundHistory): Promise<string> {
  const message = await readFirstMessage(namespace, key);
  const [line = ''] = (message === undefined ? '' : textOf(message)).trim().split('\n', 1);
  const characters = [...line];
  return characters.length <= TITLE_CHARACTERS ? line : `${characters.slice(0, TITLE_CHARACTERS - 1).join('')}…`;
}

/** Lists the sessions of a project, the one that was used last first. @throws {ContextError} `INVALID_NAME`. */
export async function listSessions(options: SessionsOptions): Promise<SessionInfo[]> {
  checkArguments.options('listSessions', options, optionNames);
  const namespace = memoryOf(options.store).namespace(NAMESPACE);
  const sessions = new Map<string, FoundHistory[]>();
  for (const history of await findHistories(namespace, projectNameOf(options))) {
    sessions.set(history.session, [...(sessions.get(history.session) ?? []), history]);
  }
  const infos = Array.from(sessions, async ([session, histories]): Promise<SessionInfo> => {
    const first = histories.find(({ agent }) => agent === MAIN) ?? histories[0];
    return {
      session,
      title: first === undefined ? '' : await titleOf(namespace, first),
      lastUsedAt: Math.max(...histories.map(({ lastUsedAt }) => lastUsedAt)),
      messages: histories.reduce((sum, { messages }) => sum + messages, 0),
      agents: histories.flatMap(({ agent }) => (agent === MAIN ? [] : [agent])).toSorted(),
    };
  });
  return (await Promise.all(infos)).toSorted((a, b) => b.lastUsedAt - a.lastUsedAt);
}

/**
 * Removes all histories of a session, and erases their text from the files of the store. A process that has the session open
 * notices it at its next refresh.
 *
 * @returns whether the store had the session.
 * @throws {ContextError} `INVALID_NAME`.
 */
export async function removeSession(given: SessionsOptions & { readonly session: string }): Promise<boolean> {
  checkArguments.options('removeSession', given, { ...optionNames, session: 'required' });
  const { session, ...options } = given;
  const memory = memoryOf(options.store);
  const namespace = memory.namespace(NAMESPACE);
  const place = { project: projectNameOf(options), session: checkName(session, 'session') };
  const agents = new Set<string>();
  for (const kind of ['history', 'blobs', 'summaries', 'texts'] as const) {
    for (const { key } of await namespace.keys({ prefix: prefixOf(kind, place) })) {
      agents.add(parseKey(key)?.agent ?? MAIN);
    }
  }
  for (const agent of agents) await new HistoryStore(memory, { ...place, agent }).clear();
  // No owner continues a session that is removed.
  for (const { key } of await namespace.keys({ prefix: prefixOf('owners', { project: place.project }) })) {
    if ((await namespace.read(key)) === session) await namespace.swap(key, { expected: session, next: undefined });
  }
  return agents.size > 0;
}

export interface OwnedSessionOptions extends SessionsOptions {
  /** The identity of the owner, such as of a terminal. Equal only for calls that continue each other's session. */
  readonly owner: string;
}

export interface ContinueSessionOptions extends OwnedSessionOptions {
  /** Whether to begin another session, which later calls continue. @default false */
  readonly isNew?: boolean | undefined;
}

function openOwner(options: OwnedSessionOptions): { namespace: Namespace; key: string } {
  const { store, owner } = options;
  const namespace = memoryOf(store).namespace(NAMESPACE, { lifetimeMs: LIFETIME_MS });
  const prefix = prefixOf('owners', { project: projectNameOf(options) });
  if (owner === '') throw new ContextError('INVALID_INPUT', ['The owner is empty', 'Pass its identity.']);
  return { namespace, key: `${prefix}${hash('sha256', owner).slice(0, 32)}` };
}

/** Returns the session that an owner continues; `undefined` for none. @throws {ContextError} `INVALID_INPUT`, `INVALID_NAME`. */
export async function sessionOfOwner(options: OwnedSessionOptions): Promise<string | undefined> {
  checkArguments.options('sessionOfOwner', options, { ...optionNames, owner: 'required' });
  const { namespace, key } = openOwner(options);
  return namespace.read(key);
}

/**
 * Returns the session that an owner continues, and begins one if it has none. Concurrent calls of one owner get the same session.
 *
 * @throws {ContextError} `INVALID_INPUT`, `INVALID_NAME`; a `MemoryError` of the store.
 */
export async function continueSession(
  options: ContinueSessionOptions,
): Promise<{ readonly session: string; readonly isNew: boolean }> {
  checkArguments.options('continueSession', options, { ...optionNames, owner: 'required', isNew: 'optional' });
  const { namespace, key } = openOwner(options);
  for (;;) {
    const expected = await namespace.read(key);
    if (expected !== undefined && options.isNew !== true) return { session: expected, isNew: false };
    const next = newSession(Date.now());
    if (await namespace.swap(key, { expected, next })) return { session: next, isNew: true };
  }
}
