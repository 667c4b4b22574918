import type { OptionNames } from '@cairn/tool/errors';
import { refuse } from './checks.ts';
import type { ListRule } from './lists.ts';
import { checkArguments, MemoryError } from '../errors.ts';
import { MAX_TIME_MS } from './time.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** How much is kept, and for how long. `Infinity` is unlimited. Times are in milliseconds. */
export interface Retention {
  /** The newest messages of each group that are kept. @default 50 */
  readonly maxMessages?: number | undefined;
  /** @default 30 days */
  readonly messageLifetimeMs?: number | undefined;
  /** The newest notes of each workflow that are kept, without the temporary ones. @default 100 */
  readonly maxNotes?: number | undefined;
  /** The newest temporary notes of each workflow that are kept. @default 100 */
  readonly maxTemporaryNotes?: number | undefined;
  /** For notes that are not temporary. @default 3 days */
  readonly noteLifetimeMs?: number | undefined;
  /** @default 30 minutes (1,800 s) */
  readonly temporaryNoteLifetimeMs?: number | undefined;
  /** For the record of a workflow, from its last update. @default 3 days (259,200 s) */
  readonly workflowLifetimeMs?: number | undefined;
}

export type FullRetention = { readonly [Name in keyof Retention]-?: number };

export interface Limits {
  readonly retention: FullRetention;
  readonly messages: ListRule;
  readonly notes: ListRule;
  readonly workflowLifetimeMs: number;
  readonly maxContentBytes: number;
}

/** In bytes of UTF-8. */
const MAX_CONTENT_BYTES: number = 1024 * 1024;

function positive(option: string, value: number, isWhole: boolean = false): number {
  if (value > 0 && (!isWhole || value === Infinity || Number.isInteger(value))) return value;
  const kind = isWhole ? 'a whole number above 0' : 'a number above 0';
  throw new MemoryError(
    'INVALID_OPTION',
    [`${option} must be ${kind}, not ${value}`, 'Use Infinity for no limit, or omit it for the default.'],
    { option },
  );
}

function lifetime(option: string, value: number): number {
  positive(option, value);
  if (value === Infinity || value <= MAX_TIME_MS) return value;
  const summary = `${option} must be at most ${MAX_TIME_MS}, not ${value}`;
  throw new MemoryError('INVALID_OPTION', [summary, 'Use Infinity for no limit.'], { option });
}

const DEFAULTS: FullRetention = {
  maxMessages: 50,
  messageLifetimeMs: 30 * DAY,
  maxNotes: 100,
  maxTemporaryNotes: 100,
  noteLifetimeMs: 3 * DAY,
  temporaryNoteLifetimeMs: 30 * MINUTE,
  workflowLifetimeMs: 3 * DAY,
};
const NAMES = Object.keys(DEFAULTS) as (keyof Retention)[];

/** @throws {MemoryError} `INVALID_OPTION`. */
export function limitsOf(given: Retention = {}, maxContentBytes: number = MAX_CONTENT_BYTES): Limits {
  const optional = Object.fromEntries(NAMES.map((name) => [name, 'optional'])) as OptionNames<Retention>;
  checkArguments.options('createMemory retention', given, optional);
  const checked = NAMES.map((name) => {
    const value = given[name] ?? DEFAULTS[name];
    return [name, name.startsWith('max') ? positive(name, value, true) : lifetime(name, value)];
  });
  const retention = Object.fromEntries(checked) as FullRetention;
  const { workflowLifetimeMs, messageLifetimeMs: lifetimeMs } = retention;
  return {
    retention,
    messages: {
      ...listRuleOf({ maxRecords: retention.maxMessages, lifetimeMs }),
      // A writer with the defaults does not know how much another one wanted to keep.
      keepsPresent: given.maxMessages === undefined,
    },
    notes: {
      maxRecords: retention.maxNotes,
      maxTemporaryRecords: retention.maxTemporaryNotes,
      lifetimeMs: retention.noteLifetimeMs,
      temporaryLifetimeMs: retention.temporaryNoteLifetimeMs,
    },
    workflowLifetimeMs,
    maxContentBytes: positive('maxContentBytes', maxContentBytes),
  };
}

/** Returns the rule of lists in which all records live equally long. @throws {MemoryError} `INVALID_OPTION`. */
export function listRuleOf(rule: { readonly [Name in 'maxRecords' | 'lifetimeMs']?: number | undefined }): ListRule {
  const { maxRecords = Infinity, lifetimeMs = Infinity } = rule;
  positive('maxRecords', maxRecords, true);
  lifetime('lifetimeMs', lifetimeMs);
  return { maxRecords, maxTemporaryRecords: Infinity, lifetimeMs, temporaryLifetimeMs: lifetimeMs };
}

/**
 * Checks a string before it is stored.
 *
 * @throws {MemoryError} `INVALID_INPUT` when it is not a string or empty, `TOO_LARGE`.
 */
export function checkContent(content: unknown, kind: string, limits: Limits): string {
  if (typeof content !== 'string' || content === '') {
    const problem = content === '' ? 'is empty' : 'is not a string';
    refuse(`The content of the ${kind} ${problem}`, 'Use a string with at least one character.');
  }
  return checkSize(content, `content of the ${kind}`, limits);
}

/** @throws {MemoryError} `TOO_LARGE`. */
export function checkSize(text: string, subject: string, { maxContentBytes }: Limits): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxContentBytes) return text;
  throw new MemoryError('TOO_LARGE', [
    `The ${subject} has ${bytes} bytes, more than ${maxContentBytes}`,
    'Store a shorter text, or raise maxContentBytes. Nothing was stored.',
  ]);
}
