import { createHash } from 'node:crypto';
import type { Draft } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { checkName } from '../records/keys.ts';
import { checkContent } from '../records/limits.ts';
import type { Limits } from '../records/limits.ts';
import { randomName } from '../records/random-name.ts';
import { isTime } from '../records/time.ts';
import { parseFields } from '../records/record.ts';

/** Who says something. */
export type Role = 'user' | 'assistant' | 'system' | 'tool';

const roles: readonly string[] = ['user', 'assistant', 'system', 'tool'] satisfies Role[];

/** Something that was said, as it is kept. */
export interface Message {
  readonly id: string;
  readonly role: Role;
  readonly content: string;
  /** Who of several said it. */
  readonly author?: string;
  /** By the clock of the store, milliseconds since the epoch. */
  readonly time: number;
}

/** Something that was said. */
export interface NewMessage {
  /** @default 'user' */
  readonly role?: Role | undefined;
  readonly content: string;
  /** Who of several said it. */
  readonly author?: string | undefined;
}

/** A message that comes from elsewhere, with what it had there. */
export interface ImportedMessage extends NewMessage {
  readonly id: string;
  readonly time: number;
}

function isRole(role: unknown): role is Role {
  return typeof role === 'string' && roles.includes(role);
}

/**
 * The record of a message. The time stands last, where stores look for it.
 *
 * @throws {MemoryError} `INVALID_INPUT`, `INVALID_NAME`, `TOO_LARGE`.
 */
export function messageDraft(message: NewMessage & Partial<ImportedMessage>, limits: Limits): Draft {
  const { role = 'user', author, id = `message_${randomName()}`, time } = message;
  if (!isRole(role)) {
    throw new MemoryError('INVALID_INPUT', [
      `The role ${JSON.stringify(role)} is none`,
      `Use one of ${roles.join(', ')}.`,
    ]);
  }
  if (time !== undefined && !(isTime(time) && time >= 0)) {
    const summary = `The time ${String(time)} is none`;
    throw new MemoryError('INVALID_INPUT', [summary, 'Give milliseconds since the epoch, or leave it out for now.']);
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

/** What a record says; `undefined` when it is no message. */
export function parseMessage(record: string): Message | undefined {
  const { id, role, content, author, time } = parseFields(record) ?? {};
  if (!isRole(role) || typeof content !== 'string' || !isTime(time)) return undefined;
  return {
    // Another program may have written it without one.
    id: typeof id === 'string' ? id : `message_${createHash('sha1').update(record).digest('hex').slice(0, 12)}`,
    role,
    content,
    ...(typeof author === 'string' && { author }),
    time,
  };
}
