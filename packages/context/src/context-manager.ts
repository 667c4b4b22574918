import type { Clock, Memory } from '@cairn/memory';
import { MAIN } from './definitions/definition.ts';
import { checkArguments, ContextError } from './errors.ts';
import { copyMessage } from './histories/copy.ts';
import { History, type AgentContext } from './histories/history.ts';
import { HistoryStore, type HistoryProblem } from './histories/history-store.ts';
import { checkAgentName, checkName, NAMESPACE, parseKey, prefixOf } from './histories/keys.ts';
import { DEFAULT_PROJECT, memoryOf, newSession, optionNames, projectNameOf } from './histories/sessions.ts';
import type { SessionsOptions } from './histories/sessions.ts';
import type { UnifiedMessage } from './messages/message.ts';
import type { ModelSummary } from './modes/head.ts';
import { checkMode, DEFAULT_MODE, type ContextMode } from './modes/mode.ts';
import type { ModeTextChoice } from './modes/texts.ts';

export interface ContextsOptions extends SessionsOptions {
  /** The name of the session, which is continued or begun. @default a new session */
  readonly session?: string | undefined;
  /** Returns milliseconds since the epoch, for the metadata of contexts. @default Date.now */
  readonly clock?: Clock | undefined;
}

interface Place {
  readonly project: string;
  readonly session: string;
  readonly clock: Clock;
  /** @default none: they are in this process only */
  readonly memory?: Memory | undefined;
  readonly close?: (() => Promise<void>) | undefined;
}

/**
 * The histories of one session: one for the main session and one for each agent.
 *
 * `new ContextManager()` keeps them in memory only; {@link openContexts} keeps them in a store.
 */
export class ContextManager {
  readonly project: string;
  readonly session: string;
  readonly #place: Place;
  readonly #histories: Map<string, History> = new Map<string, History>();

  /** @param place set by {@link openContexts} */
  constructor(place: Place = { project: DEFAULT_PROJECT, session: newSession(Date.now()), clock: Date.now }) {
    this.#place = place;
    this.project = place.project;
    this.session = place.session;
  }

  /** The parts of the histories that are not readable. They are left out, and stay in the store. */
  get problems(): readonly HistoryProblem[] {
    return Array.from(this.#histories.values(), ({ problems }) => problems).flat();
  }

  /** The conversation of the main session, which the mode `shared` reads and writes. */
  get main(): AgentContext {
    return this.#historyAt(MAIN).context;
  }

  /**
   * Returns the conversation that an agent writes in a mode: with `shared` the main session's, else the agent's own. Always
   * the same object for the same one.
   *
   * @throws {ContextError} `INVALID_NAME`, `INVALID_MODE`.
   */
  getContext(agentName: string, mode?: ContextMode): AgentContext {
    return this.#historyOf(agentName, mode).context;
  }

  /**
   * Adds a message. It is in the history at once; the promise settles when it is stored. When it cannot be stored, it is removed
   * from the history again.
   *
   * @throws {ContextError} `INVALID_NAME`, `INVALID_MODE`, `INVALID_INPUT`, `TOO_LARGE`; a `MemoryError` of the store.
   */
  addMessage(agentName: string, message: UnifiedMessage, mode?: ContextMode): Promise<void> {
    return this.appendTurn(agentName, [message], mode);
  }

  /**
   * Adds the messages of a turn in one step: another process sees all of them or none. Otherwise like
   * {@link ContextManager.addMessage}.
   */
  async appendTurn(agentName: string, messages: readonly UnifiedMessage[], mode?: ContextMode): Promise<void> {
    const history = this.#historyOf(agentName, mode);
    if (!Array.isArray(messages)) {
      const summary = 'The messages of a turn are not an array';
      throw new ContextError('INVALID_INPUT', [summary, 'Pass an array of messages.']);
    }
    const copies = messages.map((message) => copyMessage(message));
    if (copies.length > 0) await history.append(copies);
  }

  /**
   * Removes the messages of an agent, and erases their text from the files of the store; with the mode `shared` those of the main
   * session, and never otherwise. They are gone from this manager at once, and from those of other processes at their next refresh.
   */
  async clearHistory(agentName: string, mode?: ContextMode): Promise<void> {
    await this.#historyOf(agentName, mode).clear();
  }

  /**
   * Takes over what other processes added and cleared since the last time.
   *
   * @param agentNames the histories to read, `__main__` for the main session. @default all of the session
   */
  async refresh(agentNames?: readonly string[]): Promise<void> {
    const names = agentNames ?? [...new Set([...this.#histories.keys(), ...(await this.#storedNames())])];
    for (const name of names) if (name !== MAIN) checkAgentName(name);
    await Promise.all(names.map((name) => this.#historyAt(name).refresh()));
  }

  /**
   * Returns the summary that {@link ContextManager.writeSummary} stored, unless the history no longer begins with the messages that
   * it is of.
   */
  async readSummary(agentName: string, mode?: ContextMode): Promise<ModelSummary | undefined> {
    return this.#historyOf(agentName, mode).readSummary();
  }

  /**
   * Stores a summary that a model wrote of the oldest messages of a history, in place of an earlier one. It is removed with the
   * history.
   *
   * @throws {ContextError} `INVALID_INPUT` when the history has fewer messages.
   */
  async writeSummary(agentName: string, summary: ModelSummary, mode?: ContextMode): Promise<void> {
    await this.#historyOf(agentName, mode).writeSummary(summary);
  }

  /** Returns the choice of the text about a mode that {@link ContextManager.keepModeText} kept, for the views of an agent. */
  async readModeText(agentName: string, mode?: ContextMode): Promise<ModeTextChoice | undefined> {
    return this.#historyAt(checkAgentName(agentName)).readText(checkMode(mode ?? DEFAULT_MODE));
  }

  /**
   * Keeps the choice of the text about a mode, so that later requests of the agent in this session begin with the same text, in every
   * process. It is removed with the agent's own history.
   */
  async keepModeText(agentName: string, mode: ContextMode, choice: ModeTextChoice): Promise<void> {
    await this.#historyAt(checkAgentName(agentName)).writeText(checkMode(mode), choice);
  }

  /** Waits until everything is stored, and closes the store that {@link openContexts} opened. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#histories.values(), (history) => history.settle()));
    await this.#place.close?.();
  }

  async #storedNames(): Promise<string[]> {
    const { memory } = this.#place;
    if (memory === undefined) return [];
    const keys = await memory.namespace(NAMESPACE).keys({ prefix: prefixOf('history', this.#place) });
    return keys.flatMap(({ key }) => parseKey(key)?.agent ?? []);
  }

  #historyOf(agentName: string, mode: ContextMode = DEFAULT_MODE): History {
    checkAgentName(agentName);
    const history = this.#historyAt(checkMode(mode) === 'shared' ? MAIN : agentName);
    history.touch(this.#place.clock());
    return history;
  }

  #historyAt(agent: string): History {
    const known = this.#histories.get(agent);
    if (known) return known;
    const { memory, project, session, clock } = this.#place;
    const store = memory && new HistoryStore(memory, { project, session, agent });
    const history = new History(agent, { store, nowMs: clock() });
    this.#histories.set(agent, history);
    return history;
  }
}

/**
 * Opens the histories of a session in a store.
 *
 * @throws {ContextError} `INVALID_NAME`; a `MemoryError` of the store.
 */
export async function openContexts(options: ContextsOptions): Promise<ContextManager> {
  checkArguments.options('openContexts', options, { ...optionNames, session: 'optional', clock: 'optional' });
  const { store, clock = Date.now, session = newSession(clock()) } = options;
  const project = projectNameOf(options);
  const memory = memoryOf(store);
  const close = memory === store ? undefined : () => memory.close();
  const manager = new ContextManager({ memory, project, session: checkName(session, 'session'), clock, close });
  await manager.refresh();
  return manager;
}
