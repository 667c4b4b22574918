import type { Draft, ListRule } from './backend.ts';

/** What decides how long a record lives. */
export interface Life {
  readonly timeMs: number;
  readonly temporary: boolean;
}

/** Records are written with their time last, so that it is found without reading the whole. */
const tail = /"time":(\d{1,16})(?:,"temporary":(true|false))?\}$/u;
const TAIL_LENGTH = 64;

/** The fields of a text that is a JSON object; `undefined` when it is none. */
export function parseFields(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/** What a record says of its life; `undefined` when it says nothing that can be read. */
export function lifeOf(record: string): Life | undefined {
  const found = tail.exec(record.slice(-TAIL_LENGTH));
  if (found) return { timeMs: Number(found[1]), temporary: found[2] === 'true' };
  // Written by another program, whose keys stand in another order.
  const { time, temporary } = parseFields(record) ?? {};
  return typeof time === 'number' ? { timeMs: time, temporary: temporary === true } : undefined;
}

/** The record that a draft becomes. */
export function recordOf(draft: Draft, nowMs: number): string {
  return `${draft.before}${Math.trunc(draft.timeMs ?? nowMs)}${draft.after}`;
}

/** When a record ends to live; `undefined` when its time cannot be read. */
function expiryOf(life: Life | undefined, rule: ListRule): number | undefined {
  if (life === undefined) return undefined;
  return life.timeMs + (life.temporary ? rule.temporaryLifetimeMs : rule.lifetimeMs);
}

/** Whether a record is kept now. One whose time cannot be read is: what it is, is for others to say. */
export function isLive(record: string, rule: ListRule, nowMs: number): boolean {
  if (rule.lifetimeMs === Infinity && rule.temporaryLifetimeMs === Infinity) return true;
  const expiry = expiryOf(lifeOf(record), rule);
  return expiry === undefined || expiry > nowMs;
}

/** Where a record of a time of its own stands among others, newest first. */
function placeOf(records: readonly string[], timeMs: number): number {
  const older = records.findIndex((record) => (lifeOf(record)?.timeMs ?? Infinity) <= timeMs);
  return older === -1 ? records.length : older;
}

/** A draft and the record that it became. */
export interface Added {
  readonly draft: Draft;
  readonly record: string;
}

/** Adds records to others, newest first, and drops what the rule does not keep. */
export function arrange(before: readonly string[], added: readonly Added[], rule: ListRule, nowMs: number): string[] {
  const records = [...before];
  for (const { record, draft } of added) {
    records.splice(draft.timeMs === undefined ? 0 : placeOf(records, draft.timeMs), 0, record);
  }
  return records.filter((record) => isLive(record, rule, nowMs)).slice(0, rule.maxRecords);
}

/** The end of the longest-lived of these records; `undefined` when none says it. */
export function longestLife(records: readonly string[], rule: ListRule): number | undefined {
  let longest: number | undefined;
  for (const record of records) {
    const expiry = expiryOf(lifeOf(record), rule);
    if (expiry !== undefined && (longest === undefined || expiry > longest)) longest = expiry;
  }
  return longest;
}
