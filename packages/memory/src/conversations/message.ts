import { createHash } from 'node:crypto';
import { refuse } from '../records/checks.ts';
import type { Draft } from '../records/lists.ts';
import { checkName, isName } from '../records/keys.ts';
import { checkContent, checkSize, type Limits } from '../records/limits.ts';
import { randomName } from '../records/random-name.ts';
import { isTime, wholeTime } from '../records/time.ts';
import { parseFields, unknownFields, type UnknownFields } from '../records/record.ts';

const ROLES = ['user', 'assistant', 'system', 'tool'] as const;

/** The author's part in a conversation. */
type Role = (typeof ROLES)[number];

/** A stored message. */
export interface Message extends UnknownFields {
  readonly id: string;
  /** A {@link Role}, or what a newer version or another program wrote. */
  readonly role: string;
  readonly content: string;
  /** The name of the author, when several have the same role. */
  readonly author?: string;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly time: number;
}

/** A message to store. */
export interface NewMessage {
  /**
   * Makes the call repeatable: a message with the id and the content of a message that the group still has is not stored again.
   * @default a random id
   */
  readonly id?: string | undefined;
  /** @default 'user' */
  readonly role?: Role | undefined;
  readonly content: string;
  /** The name of the author, when several have the same role. */
  readonly author?: string | undefined;
}

/** A message from another store, with its id and time. */
export interface ImportedMessage extends Omit<NewMessage, 'role'>, UnknownFields {
  readonly id: string;
  readonly role?: string | undefined;
  readonly time: number;
}

export type MessageInput = NewMessage | ImportedMessage;

/**
 * Returns the record of a message. A message from another store may have any role, author and fields, and no content.
 *
 * @throws {MemoryError} `INVALID_INPUT`, `INVALID_NAME`, `TOO_LARGE`.
 */
export function messageDraft(message: MessageInput, limits: Limits): Draft {
  const { role = 'user', author, content, id = `message_${randomName()}` } = message;
  const imported = 'time' in message && message.time !== undefined ? message : undefined;
  if (imported === undefined) {
    if (!(ROLES as readonly string[]).includes(role)) {
      refuse(`Invalid role ${JSON.stringify(role)}`, `Use ${ROLES.slice(0, -1).join(', ')} or ${ROLES.at(-1)}.`);
    }
    if (author !== undefined) checkName(author, 'author');
  } else if (!isTime(imported.time) || imported.time < 0) {
    const hint = 'Use milliseconds since the epoch, or omit it for the current time.';
    refuse(`Invalid time ${String(imported.time)}`, hint);
  }
  if (imported === undefined || content !== '') checkContent(content, 'message', limits);
  const known = { id: checkName(id, 'message id'), role, content, ...(author !== undefined && { author }) };
  const { time: _, ...fields } = imported?.fields ?? {};
  checkSize(JSON.stringify(fields), 'fields of the message', limits);
  // The first `known` sets the order, the second one the values.
  const record = JSON.stringify({ ...known, ...fields, ...known });
  const [before, after] = [`${record.slice(0, -1)},"time":`, '}'];
  return { id: known.id, before, after, timeMs: imported?.time, text: content };
}

/**
 * Parses a record; `undefined` when it is not a message. A record of another program may have no id and no role, and its text in
 * `message`.
 */
export function parseMessage(record: string): Message | undefined {
  const { id, role = 'user', time, ...rest } = parseFields(record) ?? {};
  const { message, ...plain } = rest;
  const { content, ...others } = typeof rest['content'] === 'string' ? rest : { ...plain, content: message };
  if (typeof role !== 'string' || typeof content !== 'string' || !isTime(time)) return undefined;
  const { author, ...fields } = others;
  return {
    id: isName(id) ? id : `message_${createHash('sha1').update(record).digest('hex').slice(0, 12)}`,
    role,
    content,
    ...(typeof author === 'string' && { author }),
    time: wholeTime(time),
    ...unknownFields(typeof author === 'string' ? fields : others),
  };
}
