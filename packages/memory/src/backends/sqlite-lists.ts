/**
 * How records of a list are placed, trimmed and expired.
 *
 * A list is ordered by (anchor, placed, id). A record that is added as the newest is an anchor: its anchor is its own
 * sequence, and `placed` is 0. An imported record is placed after the newest record that is not newer than itself: it shares its
 * anchor, 0 without such a record, and `placed` is its time. Records with one anchor are ordered by time, and no other record is
 * written when one is placed.
 */
import type { CallOptions, Draft, ListRule } from '../records/backend.ts';
import { lifeOf, recordOf } from '../records/record.ts';
import { isTime, MAX_TIME_MS } from '../records/time.ts';
import { visitRecords } from '../records/turns.ts';
import type { Time } from './sqlite-clock.ts';
import type { Statements } from './sqlite-statements.ts';
import { BODY, endOf, IS_OF_KEY, removeEntries } from './sqlite-keys.ts';
import type { KeyRow } from './sqlite-keys.ts';

/** Places of imported records come after 0, the place of their anchor. */
const FIRST_PLACE = MAX_TIME_MS + 1;

interface Listing extends CallOptions {
  readonly rule: ListRule;
  readonly limit: number;
  readonly nowMs: number;
}

interface Place {
  readonly anchor: number;
  readonly placed: number;
}

/** Returns the place of the newest record that is not newer than a time, and that is before another place. */
function olderPlace(on: Statements, id: number, timeMs: number, before: Place): Place | undefined {
  const sql = `SELECT anchor, placed FROM entries
    WHERE key_id = ? AND anchor IS NOT NULL AND (anchor, placed) <= (?, ?) AND time <= ?
    ${NEWEST_FIRST} LIMIT 1`;
  const found = on.get(sql, id, before.anchor, before.placed, timeMs);
  return found && { anchor: Number(found['anchor']), placed: Number(found['placed']) };
}

/** Returns the anchors of imported records, by their times. From the latest, so that all are found in one pass over the list. */
function anchorsOf(on: Statements, id: number, drafts: readonly Draft[]): Map<number, number> {
  const anchors = new Map<number, number>();
  const times = new Set(drafts.flatMap(({ timeMs }) => timeMs ?? []));
  let place: Place | undefined = { anchor: Number.MAX_SAFE_INTEGER, placed: 0 };
  for (const timeMs of [...times].toSorted((a, b) => b - a)) {
    place &&= olderPlace(on, id, timeMs, place);
    anchors.set(timeMs, place?.anchor ?? 0);
  }
  return anchors;
}

const NEWEST_FIRST = 'ORDER BY anchor DESC, placed DESC, id DESC';
/** The condition of a record that has not expired. Its values are {@link lastExpired}. */
const IS_LIVE = '(time IS NULL OR time > CASE temporary WHEN 0 THEN ?2 ELSE ?3 END)';

/** Returns the time up to which permanent records have expired, and that for temporary ones. */
function lastExpired(rule: ListRule, nowMs: number): readonly [number, number] {
  const ends = kindsOf(rule).map(({ lifetimeMs }) => Math.max(nowMs - lifetimeMs, Number.MIN_SAFE_INTEGER));
  return ends as [number, number];
}

/** Returns the records that the rule keeps, newest first. Other work runs meanwhile. */
export async function recordsOf(
  on: Statements,
  id: number,
  { rule, limit, nowMs, signal }: Listing,
): Promise<string[]> {
  const sql = `SELECT ${BODY} FROM entries WHERE key_id = ?1 AND anchor IS NOT NULL AND ${IS_LIVE}
    ${NEWEST_FIRST} LIMIT ?4`;
  const values = [...lastExpired(rule, nowMs), Math.min(limit, Number.MAX_SAFE_INTEGER)];
  const records: string[] = [];
  const add = (record: string): undefined => void records.push(record);
  await visitRecords(textsOf(on.each(sql, id, ...values)), add, { signal });
  return records;
}

function* textsOf(rows: Iterable<Readonly<Record<string, unknown>>>): Generator<string, void, void> {
  for (const { body } of rows) yield String(body);
}

/** Returns the newest record that starts with a text. */
function recordWithStart(on: Statements, id: number, start: string, { rule, time }: Append): string | undefined {
  const sql = `SELECT ${BODY} FROM entries
    WHERE ${IS_OF_KEY} AND body >= ?4 AND body < ${endOf('?4')} AND ${IS_LIVE}
    ${NEWEST_FIRST} LIMIT 1`;
  const found = on.get(sql, id, ...lastExpired(rule, time.trustedMs), start)?.['body'];
  return found === undefined ? undefined : String(found);
}

export interface Append {
  readonly drafts: readonly Draft[];
  readonly rule: ListRule;
  readonly time: Time;
}

/** Adds records to a list, unless it has records with their starts. @returns a record for each draft. */
function addRecords(on: Statements, row: KeyRow, append: Append): string[] {
  const { drafts, time: now } = append;
  const anchors = anchorsOf(on, row.id, drafts);
  // The newest records that this call added before.
  const newest: { readonly anchor: number; readonly timeMs: number }[] = [];
  return drafts.map((draft) => {
    const known = draft.unlessStart === undefined ? undefined : recordWithStart(on, row.id, draft.unlessStart, append);
    if (known !== undefined) return known;
    const record = recordOf(draft, now.nowMs);
    const life = lifeOf(record);
    const time = isTime(life?.timeMs) ? life.timeMs : null;
    const temporary = life?.temporary === true ? 1 : 0;
    row.sequence += 1;
    let anchor = row.sequence;
    let placed = 0;
    if (draft.timeMs === undefined) newest.push({ anchor, timeMs: time ?? Infinity });
    else {
      const { timeMs } = draft;
      anchor = newest.findLast((one) => one.timeMs <= timeMs)?.anchor ?? anchors.get(timeMs) ?? 0;
      placed = FIRST_PLACE + Math.trunc(timeMs);
    }
    const sql = `INSERT INTO entries (id, key_id, anchor, placed, time, temporary, body)
      VALUES ((?1 << 32) | ?2, ?1, ?3, ?4, ?5, ?6, ?7)`;
    on.run(sql, row.id, row.sequence, anchor, placed, time, temporary, record);
    row.records += 1;
    row.temporary += temporary;
    row.bytes += Buffer.byteLength(record);
    return record;
  });
}

interface KindOfRecord {
  /** 1 for temporary records, as in the file. */
  readonly temporary: 0 | 1;
  readonly lifetimeMs: number;
  readonly maxRecords: number;
}

function kindsOf(rule: ListRule): readonly KindOfRecord[] {
  return [
    { temporary: 0, lifetimeMs: rule.lifetimeMs, maxRecords: rule.maxRecords },
    { temporary: 1, lifetimeMs: rule.temporaryLifetimeMs, maxRecords: rule.maxTemporaryRecords },
  ];
}

function countOf({ records, temporary }: KeyRow, kind: KindOfRecord): number {
  return kind.temporary === 1 ? temporary : records - temporary;
}

/** Removes the records that have expired. */
function expire(on: Statements, row: KeyRow, rule: ListRule, trustedMs: number): void {
  for (const kind of kindsOf(rule)) {
    if (kind.lifetimeMs === Infinity || countOf(row, kind) === 0) continue;
    const lastMs = trustedMs - kind.lifetimeMs;
    removeEntries(on, row, ['temporary = ? AND time <= ?', kind.temporary, lastMs]);
  }
}

/** Adds records to a list, and removes those that the rule does not keep. @returns a record for each draft. */
export function appendRecords(on: Statements, row: KeyRow, append: Append): string[] {
  const { drafts, rule, time } = append;
  expire(on, row, rule, time.trustedMs);
  const kinds = kindsOf(rule).map((kind) => {
    const present = rule.keepsPresent === true ? countOf(row, kind) : 0;
    return { ...kind, maxRecords: Math.max(kind.maxRecords, present) };
  });
  const added = addRecords(on, row, append);
  if (drafts.some(({ timeMs }) => timeMs !== undefined)) expire(on, row, rule, time.trustedMs);
  for (const kind of kinds) {
    const surplus = countOf(row, kind) - kind.maxRecords;
    if (surplus <= 0) continue;
    const last = `SELECT id FROM entries WHERE key_id = ?1 AND anchor IS NOT NULL AND temporary = ?
      ORDER BY anchor, placed, id LIMIT ?`;
    removeEntries(on, row, [`id IN (${last})`, kind.temporary, surplus]);
  }
  row.expiresMs = lastExpiryIn(on, row, rule) ?? row.expiresMs;
  return added;
}

/**
 * Removes the records that are equal to these texts. A record is found by its time; one that another program changed has another
 * time than its text, and is found by its text.
 */
export function removeRecords(on: Statements, row: KeyRow, records: readonly string[]): void {
  const same = "?2 IN (body, CASE typeof(body) WHEN 'text' THEN NULL ELSE quote(body) END)";
  const byTime = `SELECT id FROM entries WHERE key_id = ?1 AND temporary IN (0, 1) AND time = ?3 AND ${same}`;
  const byText = `SELECT id FROM entries WHERE ${IS_OF_KEY} AND ${same}`;
  for (const record of records) {
    const timeMs = lifeOf(record)?.timeMs;
    const isRemoved =
      isTime(timeMs) && removeEntries(on, row, [`id = (${byTime} ${NEWEST_FIRST} LIMIT 1)`, record, timeMs]) > 0;
    if (!isRemoved) removeEntries(on, row, [`id = (${byText} ${NEWEST_FIRST} LIMIT 1)`, record]);
  }
}

/** Returns when the longest-lived record of a key expires; `undefined` when no record has a time. */
function lastExpiryIn(on: Statements, row: KeyRow, rule: ListRule): number | undefined {
  const sql = 'SELECT max(time) AS time FROM entries WHERE key_id = ? AND temporary = ? AND time IS NOT NULL';
  const ends = kindsOf(rule).flatMap((kind) => {
    const time = countOf(row, kind) === 0 ? null : (on.get(sql, row.id, kind.temporary)?.['time'] ?? null);
    return time === null ? [] : [Number(time) + kind.lifetimeMs];
  });
  return ends.length === 0 ? undefined : Math.max(...ends);
}
