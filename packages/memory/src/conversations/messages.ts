import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { memoryKey } from '../records/keys.ts';
import type { Limits } from '../records/limits.ts';
import { messageDraft, parseMessage } from './message.ts';
import type { ImportedMessage, Message, NewMessage } from './message.ts';
import { removeSegments } from './index-segments.ts';
import type { Reader } from '../records/reader.ts';

/** A group of a stream. */
export interface Place {
  readonly stream: string;
  readonly group: string;
}

/** The messages of all streams and groups. */
export interface Messages {
  readonly add: (place: Place, message: NewMessage, options?: CallOptions) => Promise<Message>;
  /** Adds several messages in one step, in this order. A message with a time is placed by it. */
  readonly addAll: (
    place: Place,
    messages: readonly (NewMessage & Partial<ImportedMessage>)[],
    options?: CallOptions,
  ) => Promise<Message[]>;
  /** Returns the messages of a group, newest first. */
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
}

export function createMessages({ backend, reader, limits }: MessagesDependencies): Messages {
  const rule = limits.messages;
  const addAll: Messages['addAll'] = async ({ stream, group }, messages, { signal } = {}) => {
    const drafts = messages.map((message) => messageDraft(message, limits));
    const records = await backend.append(memoryKey(stream, group), drafts, { rule, signal });
    return records.map((record) => {
      const message = parseMessage(record);
      if (message) return message;
      const summary = `[memory:${backend.name}] The store changed the message while writing it`;
      throw new MemoryError('CORRUPT_RECORD', [summary, 'Report this as a bug of the store.']);
    });
  };
  return {
    addAll,
    add: async (place, message, options) => {
      const { role, content, author } = message;
      // `addAll` returns one message per draft.
      return (await addAll(place, [{ role, content, author }], options))[0] as Message;
    },
    history: async ({ stream, group }, { limit, signal } = {}) => {
      const entries = await reader.read(memoryKey(stream, group), { rule, limit, signal }, parseMessage);
      return entries.map(({ value }) => value);
    },
    remove: async ({ stream, group }, message, { signal } = {}) => {
      const key = memoryKey(stream, group);
      // The index has words of the messages. It goes first, so that a kill in between leaves no word of a removed message.
      await removeSegments(backend, key, { signal });
      if (message === undefined) return backend.remove(key, 'all', { signal });
      const entries = await reader.read(key, { rule, signal }, parseMessage);
      const selected = entries.filter(({ value }) => value.id === message).map(({ record }) => record);
      return selected.length === 0 ? 0 : backend.remove(key, selected, { signal });
    },
  };
}
