import { isObject } from '@cairn/tool/kernel';
import type { Draft, ListRule } from './backend.ts';

/** The fields that decide how long a record is kept. */
export interface Life {
  readonly timeMs: number;
  readonly temporary: boolean;
}

/** Records end with their time, so that it is found without parsing the whole record. */
const tail = /"time":(\d{1,16})(?:,"temporary":(true|false))?\}$/u;
const TAIL_LENGTH = 64;

/** Parses a JSON object; `undefined` for another text. */
export function parseFields(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A record of a newer version, or of another program. */
export interface UnknownFields {
  /** The fields that this version does not know. They survive an export and an import. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns the fields of a record that this version does not know, as a part of its value. */
export function unknownFields(fields: Readonly<Record<string, unknown>>): UnknownFields {
  return Object.keys(fields).length === 0 ? {} : { fields };
}

/** Returns time and lifetime of a record; `undefined` when the time is not readable. */
export function lifeOf(record: string): Life | undefined {
  const found = tail.exec(record.slice(-TAIL_LENGTH));
  if (found) return { timeMs: Number(found[1]), temporary: found[2] === 'true' };
  // Another program wrote the fields in another order.
  const { time, temporary } = parseFields(record) ?? {};
  return typeof time === 'number' ? { timeMs: time, temporary: temporary === true } : undefined;
}

/** Returns the record of a draft. */
export function recordOf(draft: Draft, nowMs: number): string {
  return `${draft.before}${Math.trunc(draft.timeMs ?? nowMs)}${draft.after}`;
}

/** Returns when a record expires; `undefined` when its time is not readable. */
function expiryOf(life: Life | undefined, rule: ListRule): number | undefined {
  if (life === undefined) return undefined;
  return life.timeMs + (life.temporary ? rule.temporaryLifetimeMs : rule.lifetimeMs);
}

/** Returns whether a record is kept now. A record without a readable time is kept, so that no data is lost. */
export function isLive(record: string, rule: ListRule, nowMs: number): boolean {
  return isWithinLifetime(endsOf(rule) ? lifeOf(record) : undefined, rule, nowMs);
}

/** Returns whether records of a rule expire. */
function endsOf({ lifetimeMs, temporaryLifetimeMs }: ListRule): boolean {
  return lifetimeMs !== Infinity || temporaryLifetimeMs !== Infinity;
}

/** Returns whether a record with this life is kept now. */
export function isWithinLifetime(life: Life | undefined, rule: ListRule, nowMs: number): boolean {
  const expiry = expiryOf(life, rule);
  return expiry === undefined || expiry > nowMs;
}

/** Returns the rule of a write to a list that has live records with these lives. */
export function ruleOfWrite(lives: readonly (Life | undefined)[], rule: ListRule): ListRule {
  if (rule.keepsPresent !== true) return rule;
  const temporary = lives.filter((life) => life?.temporary === true).length;
  return {
    ...rule,
    maxRecords: Math.max(rule.maxRecords, lives.length - temporary),
    maxTemporaryRecords: Math.max(rule.maxTemporaryRecords, temporary),
  };
}

/** Returns whether each record, newest first, is among the newest of its kind that the rule keeps. */
export function withinCount(lives: readonly (Life | undefined)[], rule: ListRule): boolean[] {
  const left = { permanent: rule.maxRecords, temporary: rule.maxTemporaryRecords };
  return lives.map((life) => left[life?.temporary === true ? 'temporary' : 'permanent']-- > 0);
}

/** Returns when the longest-lived record expires; `undefined` when no time is readable. */
export function lastExpiryOf(lives: readonly (Life | undefined)[], rule: ListRule): number | undefined {
  let last: number | undefined;
  for (const life of lives) {
    const expiry = expiryOf(life, rule);
    if (expiry !== undefined && (last === undefined || expiry > last)) last = expiry;
  }
  return last;
}
