import { MAIN } from '../definitions/definition.ts';
import { checkArguments } from '../errors.ts';
import type { Namespace } from '@cairn/memory';
import { textOf } from '../messages/text.ts';
import { HistoryStore, readFirstMessage } from './history-store.ts';
import { checkName, NAMESPACE, parseKey, prefixOf } from './keys.ts';
import type { HistoryPlace } from './keys.ts';
import { forgetOwners } from './owned-sessions.ts';
import { memoryOf, projectNameOf } from './session-place.ts';
import type { SessionsOptions } from './session-place.ts';

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

interface FoundHistory {
  readonly place: HistoryPlace;
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
    return [{ place: { project, ...place }, key, messages: records, lastUsedAt: newest.time }];
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
  checkArguments.options('listSessions', options, { store: 'required', project: 'optional' });
  const namespace = memoryOf(options.store).namespace(NAMESPACE);
  const sessions = new Map<string, FoundHistory[]>();
  for (const history of await findHistories(namespace, projectNameOf(options))) {
    const { session } = history.place;
    sessions.set(session, [...(sessions.get(session) ?? []), history]);
  }
  const infos = Array.from(sessions, async ([session, histories]): Promise<SessionInfo> => {
    const [first] = histories.toSorted((a, b) => Number(b.place.agent === MAIN) - Number(a.place.agent === MAIN));
    return {
      session,
      title: first === undefined ? '' : await titleOf(namespace, first),
      lastUsedAt: Math.max(...histories.map(({ lastUsedAt }) => lastUsedAt)),
      messages: histories.reduce((sum, { messages }) => sum + messages, 0),
      agents: histories.flatMap(({ place: { agent } }) => (agent === MAIN ? [] : [agent])).toSorted(),
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
  checkArguments.options('removeSession', given, { store: 'required', project: 'optional', session: 'required' });
  const { session, ...options } = given;
  const memory = memoryOf(options.store);
  const place = { project: projectNameOf(options), session: checkName(session, 'session') };
  const agents = new Set<string>();
  for (const kind of ['history', 'blobs', 'summaries', 'texts'] as const) {
    for (const { key } of await memory.namespace(NAMESPACE).keys({ prefix: prefixOf(kind, place) })) {
      agents.add(parseKey(key)?.agent ?? MAIN);
    }
  }
  for (const agent of agents) await new HistoryStore(memory, { ...place, agent }).clear();
  await forgetOwners(memory, place);
  return agents.size > 0;
}
