import type { CallTable } from '@cairn/tool/errors';
import { quoted } from '@cairn/tool/kernel';
import { callOptions, type CallOptions, type MemoryBackend } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { MEMORY_PREFIX, memoryKey, parseMemoryKey } from '../records/keys.ts';
import { secretsIn, type FoundSecrets } from '../records/secrets.ts';
import { messageDraft, parseMessage, type Message, type MessageInput, type NewMessage } from './message.ts';
import { appendRecords, removeRows, type Draft } from '../records/lists.ts';
import { newestRows } from '../records/pages.ts';
import type { Store } from '../records/reader.ts';
import type { TermSource } from '../terms/term-query.ts';
import type { VectorSource } from '../vectors/make-vectors.ts';
import { removeWithVectors, withoutVectors } from '../vectors/vector-table.ts';

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

function checkRepeated(stored: Message, { role = 'user', content, author }: NewMessage): void {
  if (stored.role === role && stored.content === content && stored.author === author) return;
  throw new MemoryError('MESSAGE_EXISTS', [
    `The group has another message with the id ${quoted(stored.id)}`,
    'Use another id, or omit it. Nothing was stored.',
  ]);
}

export interface GroupSource extends TermSource, VectorSource {
  readonly place: Place;
  readonly meaningOf: VectorSource['meaningOf'];
}

export function messageSource(place: Place): GroupSource {
  return {
    place,
    key: memoryKey(place.stream, place.group),
    ofSession: true,
    meaningOf: (record) => {
      const message = parseMessage(record);
      return message && { text: message.content };
    },
    textOf: (record) => {
      const message = parseMessage(record);
      return message && { text: message.content, timeMs: message.time };
    },
  };
}

/** Returns the sources of the messages of all groups. */
export async function sessionSources(backend: MemoryBackend, call: CallOptions): Promise<GroupSource[]> {
  const infos = await backend.keys(MEMORY_PREFIX, call);
  return infos.flatMap(({ key }) => {
    const place = parseMemoryKey(key);
    return place === undefined ? [] : [messageSource(place)];
  });
}

export const messageCalls: CallTable<Messages> = {
  add: ['object', 'object', callOptions],
  addAll: ['object', 'objects', callOptions],
  get: ['object', 'any', callOptions],
  history: ['object', { ...callOptions, limit: 'optional' }],
  remove: ['object', 'any', callOptions],
};

/** @param options `onWritten`: called after messages were added. */
export function createMessages({
  backend,
  reader,
  limits,
  onWritten,
}: Store & { readonly onWritten: (place: Place) => void }): Messages {
  const rule = limits.messages;
  const append = async (
    { stream, group }: Place,
    drafts: readonly Draft[],
    { signal }: CallOptions,
  ): Promise<Message[]> => {
    const rows = await appendRecords(backend, memoryKey(stream, group), drafts, { rule, signal });
    onWritten({ stream, group });
    return rows.map(({ text }) => {
      const message = parseMessage(text);
      if (message) return message;
      const summary = `[memory:${backend.name}] The store changed the message while writing it`;
      throw new MemoryError('CORRUPT_RECORD', [summary, 'Report this as a bug of the store.']);
    });
  };
  /** Other programs may use one id for several messages: the first one of the group has it as the id of its row. */
  const withFreeIds = async (
    { stream, group }: Place,
    drafts: readonly Draft[],
    { signal }: CallOptions,
  ): Promise<Draft[]> => {
    const ids = drafts.flatMap(({ id }) => id ?? []);
    const rows = await backend.rows(memoryKey(stream, group), ids, { signal });
    const taken = new Set(rows.map((row) => row?.id));
    return drafts.map(({ id, ...draft }) => {
      if (taken.has(id)) return draft;
      taken.add(id);
      return { id, ...draft };
    });
  };
  const history: Messages['history'] = async ({ stream, group }, { limit, signal } = {}) => {
    const entries = await reader.read(memoryKey(stream, group), { limit, signal }, parseMessage);
    return entries.map(({ value }) => value);
  };
  return {
    addAll: async (place, messages, options = {}) => {
      const given = messages.map((message) => messageDraft(message, limits));
      const drafts = await withFreeIds(place, given, options);
      return (await append(place, drafts, options)).map((stored) => ({ ...stored, ...secretsIn(stored.content) }));
    },
    add: async (place, { id, role, content, author }, options = {}) => {
      const message = { id, role, content, author };
      // `append` returns one message per draft.
      const stored = (await append(place, [messageDraft(message, limits)], options))[0] as Message;
      checkRepeated(stored, message);
      return { ...stored, ...secretsIn(content) };
    },
    get: async (place, id, options) => (await history(place, options)).find((message) => message.id === id),
    history,
    remove: async ({ stream, group }, message, { signal } = {}) => {
      const key = memoryKey(stream, group);
      if (message === undefined) return removeWithVectors(backend, key, { signal });
      // Other programs may use one id for several messages.
      const ids: string[] = [];
      for await (const { id, text } of newestRows(backend, key, { signal })) {
        if (parseMessage(text)?.id === message) ids.push(id);
      }
      const run = (): Promise<number> => removeRows(backend, key, ids, { signal });
      return withoutVectors(backend, key, { ids, run, signal });
    },
  };
}
