import type { ListRule } from './backend.ts';
import { MemoryError } from '../errors.ts';
import { MAX_TIME_MS } from './time.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** How much is kept, and for how long. `Infinity` is without a bound. Times are in milliseconds. */
export interface Retention {
  /** The newest so many messages of each group. @default 50 */
  readonly maxMessages?: number | undefined;
  /** @default 30 days */
  readonly messageLifetimeMs?: number | undefined;
  /** The newest so many notes of each workflow. @default 100 */
  readonly maxNotes?: number | undefined;
  /** Of notes that are not temporary. @default 3 days */
  readonly noteLifetimeMs?: number | undefined;
  /** @default 30 minutes (1,800 s) */
  readonly temporaryNoteLifetimeMs?: number | undefined;
  /** Of the record of a workflow, from its last update. @default 3 days (259,200 s) */
  readonly workflowLifetimeMs?: number | undefined;
}

/** A retention with every bound given. */
export type FullRetention = { readonly [Name in keyof Retention]-?: number };

/** The bounds of a memory, all given. */
export interface Limits {
  readonly messages: ListRule;
  readonly notes: ListRule;
  readonly quarantine: ListRule;
  readonly workflowLifetimeMs: number;
  readonly maxContentBytes: number;
}

/** The largest content, in bytes of UTF-8. */
const MAX_CONTENT_BYTES: number = 1024 * 1024;

function positive(option: string, value: number, isWhole: boolean = false): number {
  if (value > 0 && (!isWhole || value === Infinity || Number.isInteger(value))) return value;
  const kind = isWhole ? 'a whole number above 0' : 'a number above 0';
  throw new MemoryError(
    'INVALID_OPTION',
    [`${option} must be ${kind}, not ${value}`, 'Use Infinity for no bound, or leave it out for the default.'],
    { option },
  );
}

function lifetime(option: string, value: number): number {
  positive(option, value);
  if (value === Infinity || value <= MAX_TIME_MS) return value;
  const summary = `${option} must be at most ${MAX_TIME_MS}, not ${value}`;
  throw new MemoryError('INVALID_OPTION', [summary, 'Use Infinity for no bound.'], { option });
}

/** @throws {MemoryError} `INVALID_OPTION`. */
export function limitsOf(retention: Retention = {}, maxContentBytes: number = MAX_CONTENT_BYTES): Limits {
  const messageLifetimeMs = lifetime('messageLifetimeMs', retention.messageLifetimeMs ?? 30 * DAY);
  return {
    messages: {
      maxRecords: positive('maxMessages', retention.maxMessages ?? 50, true),
      lifetimeMs: messageLifetimeMs,
      temporaryLifetimeMs: messageLifetimeMs,
    },
    notes: {
      maxRecords: positive('maxNotes', retention.maxNotes ?? 100, true),
      lifetimeMs: lifetime('noteLifetimeMs', retention.noteLifetimeMs ?? 3 * DAY),
      temporaryLifetimeMs: lifetime('temporaryNoteLifetimeMs', retention.temporaryNoteLifetimeMs ?? 30 * MINUTE),
    },
    quarantine: { maxRecords: 1000, lifetimeMs: 30 * DAY, temporaryLifetimeMs: 30 * DAY },
    workflowLifetimeMs: lifetime('workflowLifetimeMs', retention.workflowLifetimeMs ?? 3 * DAY),
    maxContentBytes: positive('maxContentBytes', maxContentBytes),
  };
}

/** The bounds as options, all given. */
export function retentionOf({ messages, notes, workflowLifetimeMs }: Limits): FullRetention {
  return {
    maxMessages: messages.maxRecords,
    messageLifetimeMs: messages.lifetimeMs,
    maxNotes: notes.maxRecords,
    noteLifetimeMs: notes.lifetimeMs,
    temporaryNoteLifetimeMs: notes.temporaryLifetimeMs,
    workflowLifetimeMs,
  };
}

/**
 * Checks a text that is to be kept.
 *
 * @throws {MemoryError} `INVALID_INPUT` when it is none or empty, `TOO_LARGE`.
 */
export function checkContent(content: unknown, what: string, { maxContentBytes }: Limits): string {
  if (typeof content !== 'string' || content === '') {
    const problem = content === '' ? 'is empty' : 'is no text';
    throw new MemoryError('INVALID_INPUT', [`The content of the ${what} ${problem}`, 'Give it some text.']);
  }
  const bytes = Buffer.byteLength(content);
  if (bytes > maxContentBytes) {
    throw new MemoryError('TOO_LARGE', [
      `The content of the ${what} has ${bytes} bytes, more than ${maxContentBytes}`,
      'Store less at once, or raise maxContentBytes. Nothing was stored.',
    ]);
  }
  return content;
}
