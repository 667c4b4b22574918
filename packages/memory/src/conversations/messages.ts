import type { CallTable, OptionNames } from '@cairn/tool/errors';
import { quoted } from '@cairn/tool/kernel';
import type { CallOptions, Changed, Draft, MemoryBackend } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { memoryKey } from '../records/keys.ts';
import type { Limits } from '../records/limits.ts';
import { secretsIn } from '../records/secrets.ts';
import type { FoundSecrets } from '../records/secrets.ts';
import { messageDraft, parseMessage, startOf } from './message.ts';
import type { Message, MessageInput, NewMessage } from './message.ts';
import { readChanges } from '../records/read-changes.ts';
import type { Reader } from '../records/reader.ts';
import type { TermSource } from '../terms/term-source.ts';
import type { TermStore } from '../terms/term-store.ts';

/** A group of a stream. */
export interface Place {
  readonly stream: string;
  readonly group: string;
}

/** A message as it was stored. */
export interface AddedMessage extends Message, FoundSecrets {}

/** The messages of all streams and groups. */
export interface Messages {
  /**
   * Adds a message as the newest of its group. With an id the call can be repeated, also in another process: the message that
   * the group has is returned.
   *
   * @throws {MemoryError} `MESSAGE_EXISTS` when the id belongs to another content, `INVALID_NAME`, `INVALID_INPUT`, `TOO_LARGE`.
   */
  readonly add: (place: Place, message: NewMessage, options?: CallOptions) => Promise<AddedMessage>;
  /** Adds several messages in one step, in this order. A message with a time is placed by it. Ids are not compared. */
  readonly addAll: (place: Place, messages: readonly MessageInput[], options?: CallOptions) => Promise<AddedMessage[]>;
  /** Returns the message with this id; `undefined` when the group does not have it. */
  readonly get: (place: Place, id: string, options?: CallOptions) => Promise<Message | undefined>;
  /**
   * Returns the messages of a group, newest first.
   *
   * @throws {MemoryError} `INVALID_INPUT` for a limit that is not a whole number from 0.
   */
  readonly history: (
    place: Place,
    options?: CallOptions & { readonly limit?: number | undefined },
  ) => Promise<Message[]>;
  /** Removes the message with this id, or all messages of the group. @returns the number of removed messages. */
  readonly remove: (place: Place, message: string | undefined, options?: CallOptions) => Promise<number>;
}

export interface MessagesDependencies {
  readonly backend: MemoryBackend;
  readonly reader: Reader;
  readonly limits: Limits;
  readonly terms: TermStore;
}

/** @throws {MemoryError} `MESSAGE_EXISTS`. */
function checkRepeated(stored: Message, { role = 'user', content, author }: NewMessage): void {
  if (stored.role === role && stored.content === content && stored.author === author) return;
  throw new MemoryError('MESSAGE_EXISTS', [
    `The group has another message with the id ${quoted(stored.id)}`,
    'Use another id, or omit it. Nothing was stored.',
  ]);
}

/** A group as a source of the term index. */
export interface GroupSource extends TermSource {
  readonly place: Place;
}

/** Returns the messages of a group as a source of terms. */
export function messageSource(place: Place, limits: Limits): GroupSource {
  return {
    place,
    key: memoryKey(place.stream, place.group),
    rule: limits.messages,
    textOf: (record) => {
      const message = parseMessage(record);
      return message && { text: message.content, timeMs: message.time };
    },
  };
}

const callOptions: OptionNames<CallOptions> = { signal: 'optional' };

export const messageCalls: CallTable<Messages> = {
  add: ['object', 'object', callOptions],
  addAll: ['object', 'objects', callOptions],
  get: ['object', 'any', callOptions],
  history: ['object', { ...callOptions, limit: 'optional' }],
  remove: ['object', 'any', callOptions],
};

export function createMessages({ backend, reader, limits, terms }: MessagesDependencies): Messages {
  const rule = limits.messages;
  const append = async (
    { stream, group }: Place,
    drafts: readonly Draft[],
    { signal }: CallOptions,
  ): Promise<Message[]> => {
    const records = await backend.append(memoryKey(stream, group), drafts, { rule, signal });
    return records.map((record) => {
      const message = parseMessage(record);
      if (message) return message;
      const summary = `[memory:${backend.name}] The store changed the message while writing it`;
      throw new MemoryError('CORRUPT_RECORD', [summary, 'Report this as a bug of the store.']);
    });
  };
  const history: Messages['history'] = async ({ stream, group }, { limit, signal } = {}) => {
    const entries = await reader.read(memoryKey(stream, group), { rule, limit, signal }, parseMessage);
    return entries.map(({ value }) => value);
  };
  return {
    addAll: async (place, messages, options = {}) => {
      const drafts = messages.map((message) => messageDraft(message, limits));
      return (await append(place, drafts, options)).map((stored) => ({ ...stored, ...secretsIn(stored.content) }));
    },
    add: async (place, { id, role, content, author }, options = {}) => {
      const message = { id, role, content, author };
      const draft = messageDraft(message, limits);
      const once = id === undefined ? draft : { ...draft, unlessStart: startOf(id) };
      // `append` returns one message per draft.
      const stored = (await append(place, [once], options))[0] as Message;
      checkRepeated(stored, message);
      return { ...stored, ...secretsIn(content) };
    },
    get: async (place, id, options) => (await history(place, options)).find((message) => message.id === id),
    history,
    remove: async ({ stream, group }, message, { signal } = {}) => {
      const key = memoryKey(stream, group);
      const source = messageSource({ stream, group }, limits);
      // The index has words of the messages. They go first, so that a kill in between leaves no word of a removed message.
      if (message === undefined) {
        await terms.forget(source, 'all', { signal });
        const removed = await backend.remove(key, 'all', { signal });
        await terms.forget(source, 'all', { signal });
        return removed;
      }
      const select = (changed: Changed): Changed | undefined =>
        parseMessage(changed.record)?.id === message ? changed : undefined;
      const { epoch, selected } = await readChanges(backend, key, select, { signal });
      if (selected.length === 0) return 0;
      const sequences = selected.map(({ sequence }) => sequence);
      await terms.forget(source, sequences, { epoch, signal });
      const records = selected.map(({ record }) => record);
      return backend.remove(key, records, { signal });
    },
  };
}
