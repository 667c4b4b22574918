import type { UnifiedMessage } from '../messages/message.ts';
import { newTurn } from './history-store.ts';
import type { Cursor, HistoryProblem, HistoryStore, Turn } from './history-store.ts';

/** The conversation of one agent, or of the main session. */
export interface AgentContext {
  /** The name of the agent; `__main__` for the main session. */
  readonly agentName: string;
  /**
   * The messages, oldest first. New messages are added to this array. After any other change (a clear, a refresh that finds turns
   * of other processes between) it is another array.
   */
  readonly conversationHistory: readonly UnifiedMessage[];
  /** Times are milliseconds since the epoch. */
  readonly metadata: {
    readonly createdAt: number;
    readonly lastAccessedAt: number;
    readonly messageCount: number;
  };
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** One history: its messages, and the order of its writes. */
export class History {
  readonly context: AgentContext;
  readonly #shown: Mutable<Pick<AgentContext, 'conversationHistory'>> & {
    readonly metadata: Mutable<AgentContext['metadata']>;
  };
  readonly #store: HistoryStore | undefined;
  readonly #onProblem: (problem: HistoryProblem) => void;
  #messages: UnifiedMessage[] = [];
  /** All turns: up to the cursor, stored by this object since, not stored yet. */
  readonly #turns: Turn[] = [];
  readonly #byId: Map<string, Turn> = new Map<string, Turn>();
  #cursor: Cursor | undefined;
  /** The turns up to the cursor, which are the first. */
  #read: Set<string> = new Set<string>();
  #clears = 0;
  readonly #pending: Set<string> = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    agentName: string,
    {
      store,
      nowMs,
      onProblem,
    }: { store: HistoryStore | undefined; nowMs: number; onProblem: (problem: HistoryProblem) => void },
  ) {
    this.#store = store;
    this.#onProblem = onProblem;
    const metadata = { createdAt: nowMs, lastAccessedAt: nowMs, messageCount: 0 };
    const context = { agentName, conversationHistory: this.#messages, metadata };
    this.#shown = context;
    this.context = context;
  }

  touch(nowMs: number): void {
    this.#shown.metadata.lastAccessedAt = nowMs;
  }

  /** Adds messages to the history at once. Settles when they are stored; when they cannot be, they are removed again. */
  append(messages: readonly UnifiedMessage[]): Promise<void> {
    const turn = newTurn(messages);
    this.#show(this.#turns.length, [turn]);
    const store = this.#store;
    if (store === undefined) return Promise.resolve();
    this.#pending.add(turn.id);
    return this.#queue(async () => {
      try {
        await store.append(turn);
      } catch (error) {
        // The store may have it all the same, when only its answer is missing.
        this.#cursor = undefined;
        this.#show(
          0,
          this.#turns.filter(({ id }) => id !== turn.id),
        );
        throw error;
      } finally {
        this.#pending.delete(turn.id);
      }
    });
  }

  /** Removes all messages. */
  clear(): Promise<void> {
    this.#clears += 1;
    this.#cursor = undefined;
    this.#read = new Set();
    this.#pending.clear();
    this.#show(0, []);
    const store = this.#store;
    return store === undefined ? Promise.resolve() : this.#queue(() => store.clear());
  }

  /** Takes over what other processes stored and removed. */
  refresh(): Promise<void> {
    const store = this.#store;
    return store === undefined ? Promise.resolve() : this.#queue(() => this.#take(store));
  }

  async #take(store: HistoryStore): Promise<void> {
    const clears = this.#clears;
    const page = await store.read({
      cursor: this.#cursor,
      known: (id) => this.#byId.get(id),
      lastTime: this.#turns[this.#read.size - 1]?.time ?? 0,
      onProblem: (message) => this.#onProblem({ ...store.place, key: store.storeKey, message }),
    });
    // The store is about to be cleared too.
    if (clears !== this.#clears) return;
    if (!page.isContinued) this.#read = new Set();
    const before = this.#read.size;
    const found = page.turns.filter(({ id }) => !this.#read.has(id));
    // Turns that were added while the store was read.
    const waiting = this.#turns.slice(before).filter(({ id }) => this.#pending.has(id));
    this.#show(before, [...found, ...waiting]);
    for (const { id } of found) this.#read.add(id);
    this.#cursor = page.isWhole ? page.cursor : undefined;
  }

  /** Waits until everything is stored. */
  async settle(): Promise<void> {
    await this.#last;
  }

  /** Runs tasks one after the other, so that the store has them in the order of the calls. */
  #queue<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Replaces the turns from a position on. The array of messages stays when messages are only added. */
  #show(from: number, turns: readonly Turn[]): void {
    const old = this.#turns.slice(from);
    const isAdded = old.every(({ id }, index) => turns[index]?.id === id);
    this.#turns.length = from;
    for (const { id } of old) this.#byId.delete(id);
    for (const turn of turns) {
      this.#turns.push(turn);
      this.#byId.set(turn.id, turn);
    }
    if (!isAdded) this.#messages = messagesOf(this.#turns);
    else for (const message of messagesOf(turns.slice(old.length))) this.#messages.push(message);
    this.#shown.conversationHistory = this.#messages;
    this.#shown.metadata.messageCount = this.#messages.length;
  }
}

function messagesOf(turns: readonly Turn[]): UnifiedMessage[] {
  return turns.flatMap(({ messages }) => messages);
}
