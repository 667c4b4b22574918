import { createHash } from 'node:crypto';
import type { Draft } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { checkName } from '../records/keys.ts';
import { checkContent } from '../records/limits.ts';
import type { Limits } from '../records/limits.ts';
import { randomName } from '../records/random-name.ts';
import { isTime } from '../records/time.ts';
import { parseFields } from '../records/record.ts';

export const ROLES = ['user', 'assistant', 'system', 'tool'] as const;

/** The author's part in a conversation. */
export type Role = (typeof ROLES)[number];

/** A stored message. */
export interface Message {
  readonly id: string;
  readonly role: Role;
  readonly content: string;
  /** The name of the author, when several have the same role. */
  readonly author?: string;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly time: number;
}

/** A message to store. */
export interface NewMessage {
  /** @default 'user' */
  readonly role?: Role | undefined;
  readonly content: string;
  /** The name of the author, when several have the same role. */
  readonly author?: string | undefined;
}

/** A message from another store, with its id and time. */
export interface ImportedMessage extends NewMessage {
  readonly id: string;
  readonly time: number;
}

function isRole(role: unknown): role is Role {
  return (ROLES as readonly unknown[]).includes(role);
}

/**
 * Returns the record of a message. The time is the last field, so that stores find it without parsing.
 *
 * @throws {MemoryError} `INVALID_INPUT`, `INVALID_NAME`, `TOO_LARGE`.
 */
export function messageDraft(message: NewMessage & Partial<ImportedMessage>, limits: Limits): Draft {
  const { role = 'user', author, id = `message_${randomName()}`, time } = message;
  if (!isRole(role)) {
    throw new MemoryError('INVALID_INPUT', [
      `Invalid role ${JSON.stringify(role)}`,
      `Use ${ROLES.slice(0, -1).join(', ')} or ${ROLES.at(-1)}.`,
    ]);
  }
  if (time !== undefined && !(isTime(time) && time >= 0)) {
    const summary = `Invalid time ${String(time)}`;
    throw new MemoryError('INVALID_INPUT', [
      summary,
      'Use milliseconds since the epoch, or omit it for the current time.',
    ]);
  }
  const content = checkContent(message.content, 'message', limits);
  const fields = {
    id: checkName(id, 'message id'),
    role,
    content,
    ...(author !== undefined && { author: checkName(author, 'author') }),
  };
  return { before: `${JSON.stringify(fields).slice(0, -1)},"time":`, after: '}', timeMs: time };
}

/** Parses a record; `undefined` when it is not a message. */
export function parseMessage(record: string): Message | undefined {
  const { id, role, content, author, time } = parseFields(record) ?? {};
  if (!isRole(role) || typeof content !== 'string' || !isTime(time)) return undefined;
  return {
    // A record of another program may have no id.
    id: typeof id === 'string' ? id : `message_${createHash('sha1').update(record).digest('hex').slice(0, 12)}`,
    role,
    content,
    ...(typeof author === 'string' && { author }),
    time,
  };
}
