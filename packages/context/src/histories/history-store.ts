/** One history in the store of a memory. */
import type { Memory, Namespace, NamespaceRecord } from '@cairn/memory';
import { randomUUID } from 'node:crypto';
import type { UnifiedMessage } from '../messages/message.ts';
import { decode, Encoder, UnreadableMessage } from './encoding.ts';
import { keyOf, NAMESPACE } from './keys.ts';
import type { HistoryPlace } from './keys.ts';

const DAY = 86_400_000;
/** How long a message is kept. */
export const LIFETIME_MS: number = 90 * DAY;

/** Messages that are stored, shown and removed together. */
export interface Turn {
  readonly id: string;
  readonly messages: readonly UnifiedMessage[];
  /** Milliseconds since the epoch, by the clock of the store. 0 before it is stored. */
  readonly time: number;
}

export function newTurn(messages: readonly UnifiedMessage[]): Turn {
  return { id: randomUUID(), messages, time: 0 };
}

/** A part of a history that is not readable. It stays in the store. */
export interface HistoryProblem {
  readonly session: string;
  readonly agent: string;
  /** The key in the store. */
  readonly key: string;
  /** The missing part, and the reason. */
  readonly message: string;
}

/** Where reading of a history goes on. */
export interface Cursor {
  readonly epoch: string;
  readonly sequence: number;
}

/** The turns of a history that were added after a cursor, or all. */
export interface HistoryPage {
  readonly cursor: Cursor;
  /** Whether the turns follow those before the cursor. Otherwise they are the whole history. */
  readonly isContinued: boolean;
  readonly turns: readonly Turn[];
  /** Whether each turn has all of its messages. */
  readonly isWhole: boolean;
}

export interface ReadOptions {
  readonly cursor: Cursor | undefined;
  /** Returns a turn that was read before. */
  readonly known: (id: string) => Turn | undefined;
  /** The time of the last turn before the cursor. */
  readonly lastTime: number;
  readonly onProblem: (message: string) => void;
}

interface TurnRecord {
  readonly turn: string;
  readonly index: number;
  readonly count: number;
  readonly message: unknown;
}

function parseRecord({ value }: NamespaceRecord): TurnRecord | undefined {
  const { turn, index, count } = value;
  const isValid = typeof turn === 'string' && Number.isInteger(index) && Number.isInteger(count) && 'message' in value;
  return isValid ? (value as unknown as TurnRecord) : undefined;
}

/** The records of one turn. */
interface RawTurn {
  readonly count: number;
  readonly time: number;
  readonly messages: Map<number, unknown>;
}

function turnsOf(records: readonly NamespaceRecord[], onUnreadable: (text: string) => void): Map<string, RawTurn> {
  const turns = new Map<string, RawTurn>();
  for (const record of records) {
    const parsed = parseRecord(record);
    if (parsed === undefined) {
      onUnreadable(record.text);
      continue;
    }
    const { turn, index, count, message } = parsed;
    const raw = turns.get(turn) ?? { count, time: record.time, messages: new Map<number, unknown>() };
    turns.set(turn, raw);
    raw.messages.set(index, message);
  }
  return turns;
}

function isAscending(records: readonly NamespaceRecord[], first: number): boolean {
  let before = first;
  return records.every(({ time }) => {
    const isNext = time >= before;
    before = time;
    return isNext;
  });
}

/** A history in the store. */
export class HistoryStore {
  readonly place: HistoryPlace;
  readonly #memory: Memory;
  readonly #turns: Namespace;
  readonly #blobs: Namespace;
  readonly #key: string;
  readonly #blobPrefix: string;

  constructor(memory: Memory, place: HistoryPlace, lifetimeMs: number = LIFETIME_MS) {
    this.place = place;
    this.#memory = memory;
    this.#turns = memory.namespace(NAMESPACE, { lifetimeMs });
    this.#blobs = memory.namespace(NAMESPACE, { lifetimeMs, maxRecords: 1 });
    this.#key = keyOf('history', place);
    this.#blobPrefix = keyOf('blobs', place);
  }

  /** The key of the turns in the store. */
  get storeKey(): string {
    return this.#turns.storeKey(this.#key);
  }

  /** Adds a turn in one step. Its large parts are stored before it, so that it is never without them. */
  async append(turn: Turn): Promise<void> {
    const encoder = new Encoder(this.#turns.maxContentBytes);
    const { id, messages } = turn;
    const values = messages.map((message, index) => {
      return { turn: id, index, count: messages.length, message: encoder.encode(message) };
    });
    await this.#putChunks(encoder.chunks);
    await this.#turns.append(this.#key, values);
    // Another process may have removed the history, with these chunks, before the turn was in it.
    const removed = new Map<string, string>();
    for (const [name, chunk] of encoder.chunks)
      if ((await this.#readChunk(name)) === undefined) removed.set(name, chunk);
    await this.#putChunks(removed);
  }

  /** Each write renews the lifetime. */
  async #putChunks(chunks: ReadonlyMap<string, string>): Promise<void> {
    for (const [name, data] of chunks) await this.#blobs.append(`${this.#blobPrefix}${name}`, [{ data }]);
  }

  async #readChunk(name: string): Promise<string | undefined> {
    const [record] = await this.#blobs.list(`${this.#blobPrefix}${name}`, { limit: 1 });
    const data = record?.value['data'];
    return typeof data === 'string' ? data : undefined;
  }

  /** Reads the turns that were added after a cursor. */
  async read({ cursor, known, lastTime, onProblem }: ReadOptions): Promise<HistoryPage> {
    const changes = await this.#turns.changes(this.#key, { epoch: cursor?.epoch, after: cursor?.sequence });
    const { epoch, sequence, unreadable } = changes;
    let { isContinued }: { isContinued: boolean } = changes;
    let records: readonly NamespaceRecord[] = changes.records;
    if (!isAscending(records, isContinued ? lastTime : 0)) {
      // An import placed records among the others, or the clock went back: the list has the order.
      isContinued = false;
      records = (await this.#turns.list(this.#key)).toReversed();
    }
    const report = (text: string): void => onProblem(`The record ${text.slice(0, 80)} is not readable`);
    unreadable.forEach(report);
    const turns: Turn[] = [];
    let isWhole = true;
    for (const [id, raw] of turnsOf(records, report)) {
      const turn = known(id) ?? (await this.#decodeTurn(id, raw, onProblem));
      if (turn === undefined) isWhole = false;
      else turns.push(turn.time === 0 ? { ...turn, time: raw.time } : turn);
    }
    return { cursor: { epoch, sequence }, isContinued, turns, isWhole };
  }

  async #decodeTurn(id: string, raw: RawTurn, onProblem: (message: string) => void): Promise<Turn | undefined> {
    const messages: UnifiedMessage[] = [];
    for (let index = 0; index < raw.count; index++) {
      try {
        if (!raw.messages.has(index)) throw new UnreadableMessage('its record is missing or not readable');
        messages.push(await decode(raw.messages.get(index), (name) => this.#readChunk(name)));
      } catch (error) {
        if (!(error instanceof UnreadableMessage)) throw error;
        const date = new Date(raw.time).toISOString();
        onProblem(`A turn of ${date} with ${raw.count} messages is left out: message ${index + 1}: ${error.message}`);
        return undefined;
      }
    }
    return { id, messages, time: raw.time };
  }

  /** Removes the history with its blobs and summaries, and erases their text from the files of the store. */
  async clear(): Promise<void> {
    await this.#turns.forget(this.#key);
    for (const kind of ['blobs', 'summaries'] as const) await this.#turns.forget({ prefix: keyOf(kind, this.place) });
    // It also removes what an import kept of the history, and erases.
    await this.#memory.forget({ namespace: NAMESPACE, key: this.#key });
  }
}
