import { isObject } from '@cairn/tool/kernel';
import { randomUUID } from 'node:crypto';
import { ContextError } from '../errors.ts';
import type { UnifiedMessage } from '../messages/message.ts';
import type { ModelSummary } from '../modes/head.ts';
import { isContextMode, type ContextMode } from '../modes/mode.ts';
import type { ModeTextChoice } from '../modes/texts.ts';
import type { Cursor, DocumentKind, HistoryProblem, HistoryStore, Turn } from './history-store.ts';

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

/** A summary with the first and the last turn that it is of: it is void when the history does not begin with them. */
interface BoundSummary extends ModelSummary {
  readonly first: string;
  readonly last: string;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
type OpenContext = Mutable<Omit<AgentContext, 'metadata'>> & { readonly metadata: Mutable<AgentContext['metadata']> };
type ModeTextChoices = Readonly<Partial<Record<ContextMode, ModeTextChoice>>>;

/** One history: its messages, and the order of its writes. */
export class History {
  readonly context: OpenContext;
  readonly #store: HistoryStore | undefined;
  #messages: UnifiedMessage[] = [];
  /** All turns: up to the cursor, stored by this object since, not stored yet. */
  readonly #turns: Turn[] = [];
  readonly #byId: Map<string, Turn> = new Map<string, Turn>();
  #cursor: Cursor | undefined;
  /** The turns up to the cursor, which are the first. */
  #read: Set<string> = new Set<string>();
  readonly #pending: Set<string> = new Set<string>();
  #problems: HistoryProblem[] = [];
  /** The documents about the history, where no store has them. */
  readonly #documents = new Map<DocumentKind, string>();
  #clears = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    agentName: string,
    { store, nowMs }: { readonly store: HistoryStore | undefined; readonly nowMs: number },
  ) {
    this.#store = store;
    const metadata = { createdAt: nowMs, lastAccessedAt: nowMs, messageCount: 0 };
    this.context = { agentName, conversationHistory: this.#messages, metadata };
  }

  /** The parts that were not readable when the history was last read. */
  get problems(): readonly HistoryProblem[] {
    return this.#problems;
  }

  touch(nowMs: number): void {
    this.context.metadata.lastAccessedAt = nowMs;
  }

  /** Adds messages to the history at once. Settles when they are stored; when they cannot be, they are removed again. */
  append(messages: readonly UnifiedMessage[]): Promise<void> {
    const turn: Turn = { id: randomUUID(), messages, time: 0 };
    this.#show(this.#turns.length, [turn]);
    if (this.#store !== undefined) this.#pending.add(turn.id);
    return this.#queue(async (store) => {
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

  clear(): Promise<void> {
    this.#clears += 1;
    this.#cursor = undefined;
    this.#read = new Set();
    this.#pending.clear();
    this.#problems = [];
    this.#documents.clear();
    this.#show(0, []);
    return this.#queue((store) => store.clear());
  }

  refresh(): Promise<void> {
    return this.#queue((store) => this.#take(store));
  }

  async #take(store: HistoryStore): Promise<void> {
    const clears = this.#clears;
    const problems: HistoryProblem[] = [];
    const page = await store.read({
      cursor: this.#cursor,
      known: (id) => this.#byId.get(id),
      lastTime: this.#turns[this.#read.size - 1]?.time ?? 0,
      onProblem: (message) => void problems.push({ ...store.place, key: store.storeKey, message }),
    });
    const [oldest] = this.#turns;
    const expiredMs = page.isContinued && oldest !== undefined ? await store.expiredMs(oldest.time) : 0;
    // The store is about to be cleared too.
    if (clears !== this.#clears) return;
    if (!page.isContinued) this.#read = new Set();
    const before = this.#read.size;
    const found = page.turns.filter(({ id }) => !this.#read.has(id));
    // Turns that were added while the store was read.
    const waiting = this.#turns.slice(before).filter(({ id }) => this.#pending.has(id));
    this.#show(before, [...found, ...waiting]);
    for (const { id } of found) this.#read.add(id);
    this.#problems = page.isContinued ? [...this.#problems, ...problems] : problems;
    this.#cursor = page.isWhole ? page.cursor : undefined;
    if (oldest !== undefined && this.#read.has(oldest.id) && oldest.time <= expiredMs) this.#expire(expiredMs);
  }

  /** Leaves out the turns that have expired since they were read. */
  #expire(expiredMs: number): void {
    const isGone = ({ id, time }: Turn): boolean => this.#read.has(id) && time <= expiredMs;
    const left = this.#turns.findIndex((turn) => !isGone(turn));
    const expired = this.#turns.slice(0, left === -1 ? undefined : left);
    for (const { id } of expired) this.#read.delete(id);
    this.#show(0, this.#turns.slice(expired.length));
  }

  async readSummary(): Promise<ModelSummary | undefined> {
    const summary = (await this.#document('summaries')) as BoundSummary | undefined;
    return summary && this.#isValid(summary) ? { text: summary.text, messages: summary.messages } : undefined;
  }

  /** Keeps a summary of the oldest messages. It is removed with the history. */
  async writeSummary({ text, messages }: ModelSummary): Promise<void> {
    const [first, last] = [this.#turns[0], this.#turnAt(messages - 1)];
    if (first === undefined || last === undefined) {
      const summary = `A summary of ${messages} messages does not fit to a history of ${this.#messages.length}`;
      throw new ContextError('INVALID_INPUT', [summary, 'Refresh the history, and write its summary again.']);
    }
    const bound = { text, messages, first: first.id, last: last.id };
    const document = JSON.stringify(bound);
    this.#documents.set('summaries', document);
    await this.#queue(async (store) => {
      await store.changeDocument('summaries', () => document);
      // A process that cleared the history meanwhile may have removed the summary before it was written.
      await this.#take(store);
      if (!this.#isValid(bound)) await store.changeDocument('summaries', () => undefined);
    });
  }

  async readText(mode: ContextMode): Promise<ModeTextChoice | undefined> {
    return choicesIn(await this.#document('texts'))[mode];
  }

  async writeText(mode: ContextMode, choice: ModeTextChoice): Promise<void> {
    const change = (before: string | undefined): string =>
      JSON.stringify({ ...choicesIn(parseJson(before)), [mode]: choice });
    this.#documents.set('texts', change(this.#documents.get('texts')));
    await this.#queue((store) => store.changeDocument('texts', change));
  }

  async #document(kind: DocumentKind): Promise<unknown> {
    const stored = await this.#queue((store) => store.readDocument(kind));
    return parseJson(this.#store === undefined ? this.#documents.get(kind) : stored);
  }

  #isValid({ messages, first, last }: BoundSummary): boolean {
    return this.#turns[0]?.id === first && this.#turnAt(messages - 1)?.id === last;
  }

  /** Returns the turn that has the message at an index. */
  #turnAt(index: number): Turn | undefined {
    let end = 0;
    return index < 0 ? undefined : this.#turns.find(({ messages }) => (end += messages.length) > index);
  }

  async settle(): Promise<void> {
    await this.#last;
  }

  /** Runs tasks on the store, if there is one, in sequence: it has them in the order of the calls. */
  async #queue<T>(task: (store: HistoryStore) => Promise<T>): Promise<T | undefined> {
    const store = this.#store;
    if (store === undefined) return undefined;
    const result = this.#last.then(() => task(store));
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
    const { metadata } = this.context;
    this.context.conversationHistory = this.#messages;
    metadata.messageCount = this.#messages.length;
    const stored = this.#turns[0]?.time ?? 0;
    if (stored > 0) metadata.createdAt = Math.min(metadata.createdAt, stored);
  }
}

function messagesOf(turns: readonly Turn[]): UnifiedMessage[] {
  return turns.flatMap(({ messages }) => messages);
}

/** A document that is not readable counts as none: it is written again. */
function parseJson(document: string | undefined): unknown {
  try {
    return document === undefined ? undefined : JSON.parse(document);
  } catch {
    return undefined;
  }
}

function isChoice(value: unknown): value is ModeTextChoice {
  return isObject(value) && typeof value['hasHistory'] === 'boolean' && typeof value['hasMain'] === 'boolean';
}

function choicesIn(parsed: unknown): ModeTextChoices {
  if (!isObject(parsed)) return {};
  return Object.fromEntries(Object.entries(parsed).filter(([mode, one]) => isContextMode(mode) && isChoice(one)));
}
