/** One history in the store of a memory. */
import { MemoryError, type Memory, type Namespace, type NamespaceChanges, type NamespaceRecord } from '@cairn/memory';
import type { UnifiedMessage } from '../messages/message.ts';
import { decode, Encoder, shortNameOf, UnreadableMessage } from './encoding.ts';
import { keyOf, LIFETIME_MS, NAMESPACE, type HistoryPlace } from './keys.ts';

const DAY = 86_400_000;
const SHOWN_CHARACTERS = 80;

/** Messages that are stored, shown and removed together. */
export interface Turn {
  readonly id: string;
  readonly messages: readonly UnifiedMessage[];
  /** Milliseconds since the epoch, by the clock of the store. 0 before it is stored. */
  readonly time: number;
}

/** A part of a history that is not readable. It stays in the store. */
export interface HistoryProblem extends HistoryPlace {
  /** The key in the store. */
  readonly key: string;
  /** The missing part, and the reason. */
  readonly message: string;
}

/** Where reading of a history goes on. */
export type Cursor = Pick<NamespaceChanges, 'start' | 'sequence'>;

/** The turns of a history that were added after a cursor, or all. */
export interface HistoryPage {
  readonly cursor: Cursor;
  /** Whether the turns follow those before the cursor. Otherwise they are the whole history. */
  readonly isContinued: boolean;
  readonly turns: readonly Turn[];
  /** Whether each turn has all of its messages. */
  readonly isWhole: boolean;
}

/** The summary of a model, or the choices of the texts about modes. */
export type DocumentKind = 'summaries' | 'texts';

export interface ReadOptions {
  readonly cursor: Cursor | undefined;
  /** Returns a turn that was read before. */
  readonly known: (id: string) => Turn | undefined;
  /** The time of the last turn before the cursor. */
  readonly lastTime: number;
  readonly onProblem: (message: string) => void;
}

/** A record of the list: a message, and its place in its turn. */
interface TurnRecord {
  readonly turn: string;
  readonly index: number;
  readonly count: number;
  /** The short names of the chunks of its large parts, including parts within parts. */
  readonly chunks?: readonly string[];
  readonly message: unknown;
}

function parseRecord({ value }: NamespaceRecord): TurnRecord | undefined {
  const { turn, index, count } = value;
  const isValid =
    typeof turn === 'string' &&
    Number.isInteger(index) &&
    Number.isInteger(count) &&
    'message' in value &&
    (value['chunks'] === undefined || Array.isArray(value['chunks']));
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
      onUnreadable(JSON.stringify({ ...record.value, time: record.time }));
      continue;
    }
    const { turn, index, count, message } = parsed;
    const raw = turns.get(turn) ?? { count, time: record.time, messages: new Map<number, unknown>() };
    turns.set(turn, raw);
    raw.messages.set(index, message);
  }
  return turns;
}

/**
 * A history in the store: a list of turns, and next to it the chunks of its large parts, each under its hash.
 *
 * A chunk is written before the turn that needs it, and again if it is gone afterwards, because a concurrent clear removed it. The
 * clear removes a chunk only as it read it, and restores it if a turn needs it by then. So no order of their steps leaves a turn
 * without its parts.
 */
export class HistoryStore {
  readonly place: HistoryPlace;
  readonly #memory: Memory;
  readonly #turns: Namespace;
  readonly #blobs: Namespace;
  readonly #key: string;

  constructor(memory: Memory, place: HistoryPlace) {
    this.place = place;
    this.#memory = memory;
    this.#turns = memory.namespace(NAMESPACE, { lifetimeMs: LIFETIME_MS });
    // A chunk is older than its turn, and must not end before it.
    this.#blobs = memory.namespace(NAMESPACE, { lifetimeMs: LIFETIME_MS + DAY, maxRecords: 1 });
    this.#key = keyOf('history', place);
  }

  get storeKey(): string {
    return this.#turns.storeKey(this.#key);
  }

  async append({ id, messages }: Turn): Promise<void> {
    const chunks = new Map<string, string>();
    const values = messages.map((message, index) => {
      const encoder = new Encoder(this.#turns.maxContentBytes);
      const encoded = encoder.encode(message);
      for (const [name, chunk] of encoder.chunks) chunks.set(name, chunk);
      const names = encoder.chunks.size > 0 && { chunks: Array.from(encoder.chunks.keys(), shortNameOf) };
      return { turn: id, index, count: messages.length, ...names, message: encoded };
    });
    for (const [name, data] of chunks) await this.#putChunk(name, data, id);
    await this.#turns.append(this.#key, values);
    for (const [name, data] of chunks) {
      if ((await this.#readChunk(name)) === undefined) await this.#putChunk(name, data, id);
    }
  }

  #chunkKey(name: string): string {
    return `${keyOf('blobs', this.place)}${name}`;
  }

  /** Writes a chunk, which renews its lifetime. Each write has another text, by which a clear recognizes it. */
  async #putChunk(name: string, data: string, turn: string): Promise<void> {
    await this.#blobs.append(this.#chunkKey(name), [{ turn, data }]);
  }

  async #readChunk(name: string): Promise<string | undefined> {
    const [record] = await this.#blobs.list(this.#chunkKey(name), { limit: 1 });
    return record && dataOf(record);
  }

  async read({ cursor, known, lastTime, onProblem }: ReadOptions): Promise<HistoryPage> {
    const changes = await this.#turns.changes(this.#key, { since: cursor });
    const { start, sequence, unreadable } = changes;
    let { isContinued, records } = changes;
    const first = isContinued ? lastTime : 0;
    if (records.some(({ time }, index) => time < (changes.records[index - 1]?.time ?? first))) {
      // An import placed records among the others, or the clock went back: the list has the order.
      isContinued = false;
      records = (await this.#turns.list(this.#key)).toReversed();
    }
    const report = (text: string): void => onProblem(`A record is not readable: ${text.slice(0, SHOWN_CHARACTERS)}`);
    unreadable.forEach(report);
    const turns: Turn[] = [];
    let isWhole = true;
    for (const [id, raw] of turnsOf(records, report)) {
      const before = known(id);
      const turn = before ? { ...before, time: raw.time } : await this.#decodeTurn(id, raw, onProblem);
      if (turn === undefined) isWhole = false;
      else turns.push(turn);
    }
    return { cursor: { start, sequence }, isContinued, turns, isWhole };
  }

  async #decodeTurn(id: string, raw: RawTurn, onProblem: (message: string) => void): Promise<Turn | undefined> {
    const messages: UnifiedMessage[] = [];
    for (let index = 0; index < raw.count; index++) {
      try {
        if (!raw.messages.has(index)) throw new UnreadableMessage('its record is missing or not readable');
        messages.push(await decode(raw.messages.get(index), (name) => this.#readChunk(name)));
      } catch (error) {
        if (!(error instanceof UnreadableMessage)) throw error;
        const turn = `The turn of ${new Date(raw.time).toISOString()} (${raw.count} messages)`;
        onProblem(`${turn} is left out: message ${index + 1} is not readable: ${error.message}`);
        return undefined;
      }
    }
    return { id, messages, time: raw.time };
  }

  /** Returns the time up to which messages have expired; 0 when those of a time have not. */
  async expiredMs(time: number): Promise<number> {
    // The clock of the store decides; asking it is not free.
    return Date.now() - time < LIFETIME_MS ? 0 : (await this.#memory.backend.now()) - LIFETIME_MS;
  }

  /** Removes the history with all that belongs to it, and erases the text from the files of the store. */
  async clear(): Promise<void> {
    // Also removes records that an import kept because it could not read them.
    const { problems } = await this.#memory.forget({ namespace: NAMESPACE, key: this.#key });
    const left = problems.find(({ key }) => key === this.storeKey);
    if (left) throw new MemoryError(left.code, [left.message, 'The history was not cleared.'], { key: left.key });
    const removed =
      (await this.#removeChunks()) + (await this.#turns.forget({ prefix: keyOf('summaries', this.place) }));
    // They have no text of a conversation, so that nothing needs to be erased.
    await this.#turns.forget({ prefix: keyOf('texts', this.place) });
    if (removed > 0) await this.#memory.backend.erase();
  }

  async #removeChunks(): Promise<number> {
    const prefix = keyOf('blobs', this.place);
    let removed = 0;
    for (const { key } of await this.#blobs.keys({ prefix })) {
      const name = key.slice(prefix.length);
      const records = await this.#blobs.list(key);
      if (await this.#isNeeded(name)) continue;
      removed += await this.#blobs.remove(key, records);
      const data = records.flatMap((record) => dataOf(record) ?? [])[0];
      if (data !== undefined && (await this.#isNeeded(name))) await this.#putChunk(name, data, 'restored');
    }
    return removed;
  }

  /** Returns whether a turn was added that needs a chunk. */
  async #isNeeded(name: string): Promise<boolean> {
    const records = await this.#turns.list(this.#key);
    return records.some((record) => parseRecord(record)?.chunks?.includes(shortNameOf(name)) === true);
  }

  readDocument(kind: DocumentKind): Promise<string | undefined> {
    return this.#turns.read(this.#documentKey(kind));
  }

  /** Changes a document; `undefined` removes it. */
  async changeDocument(kind: DocumentKind, change: (before: string | undefined) => string | undefined): Promise<void> {
    for (;;) {
      const expected = await this.readDocument(kind);
      const next = change(expected);
      if (expected === next || (await this.#turns.swap(this.#documentKey(kind), { expected, next }))) return;
    }
  }

  #documentKey(kind: DocumentKind): string {
    return `${keyOf(kind, this.place)}${kind === 'texts' ? 'modes' : 'model'}`;
  }
}

function dataOf({ value: { data } }: NamespaceRecord): string | undefined {
  return typeof data === 'string' ? data : undefined;
}

/** Returns the first message of a history, unless it is not readable or has large parts. */
export async function readFirstMessage(namespace: Namespace, key: string): Promise<UnifiedMessage | undefined> {
  const [record] = (await namespace.changes(key, { limit: 1 })).records;
  const message = record && parseRecord(record)?.message;
  try {
    return await decode(message, async () => undefined);
  } catch (error) {
    if (error instanceof UnreadableMessage) return undefined;
    throw error;
  }
}
