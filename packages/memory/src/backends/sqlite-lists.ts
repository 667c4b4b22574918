/**
 * How records of a list are placed, trimmed and expired.
 *
 * A list is ordered by (anchor, placed, sequence). A record that is added as the newest is an anchor: its anchor is its own
 * sequence, and `placed` is 0. An imported record is placed after the newest record that is not newer than itself: it shares its
 * anchor, 0 when there is none, and `placed` is its time. So records with one anchor are ordered by time, and no other record is
 * written when one is placed.
 */
import type { Draft, ListRule } from '../records/backend.ts';
import { lifeOf, recordOf } from '../records/record.ts';
import { isTime, MAX_TIME_MS } from '../records/time.ts';
import type { Statements } from './sqlite-database.ts';
import { removeEntries } from './sqlite-keys.ts';
import type { KeyRow } from './sqlite-keys.ts';

interface Place {
  readonly anchor: number;
  readonly placed: number;
}

/** Returns the place of the newest record that is not newer than a time, and that is before another place. */
function olderPlace(on: Statements, id: number, timeMs: number, before: Place): Place | undefined {
  const sql = `SELECT anchor, placed FROM entries
    WHERE key_id = ? AND anchor IS NOT NULL AND (anchor, placed) <= (?, ?) AND time <= ?
    ORDER BY anchor DESC, placed DESC, sequence DESC LIMIT 1`;
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

/** Adds records to a list. @returns their texts. */
export function addRecords(on: Statements, row: KeyRow, drafts: readonly Draft[], nowMs: number): string[] {
  const anchors = anchorsOf(on, row.id, drafts);
  // The newest records that this call added before.
  const newest: { readonly anchor: number; readonly timeMs: number }[] = [];
  return drafts.map((draft) => {
    const record = recordOf(draft, nowMs);
    const life = lifeOf(record);
    const time = isTime(life?.timeMs) ? life.timeMs : null;
    const temporary = life?.temporary === true ? 1 : 0;
    row.sequence += 1;
    let anchor = row.sequence;
    if (draft.timeMs === undefined) newest.push({ anchor, timeMs: time ?? Infinity });
    else {
      const after = newest.findLast(({ timeMs }) => timeMs <= (draft.timeMs ?? 0));
      anchor = after?.anchor ?? anchors.get(draft.timeMs) ?? 0;
    }
    const placed = draft.timeMs === undefined ? 0 : MAX_TIME_MS + 1 + Math.trunc(draft.timeMs);
    on.run(
      'INSERT INTO entries (key_id, sequence, anchor, placed, time, temporary, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
      row.id,
      row.sequence,
      anchor,
      placed,
      time,
      temporary,
      record,
    );
    row.records += 1;
    row.temporary += temporary;
    row.bytes += Buffer.byteLength(record);
    return record;
  });
}

/** The lifetimes of the two kinds of records, and how many are kept. */
function kindsOf(
  rule: ListRule,
): readonly { readonly temporary: number; readonly lifetimeMs: number; readonly maxRecords: number }[] {
  return [
    { temporary: 0, lifetimeMs: rule.lifetimeMs, maxRecords: rule.maxRecords },
    { temporary: 1, lifetimeMs: rule.temporaryLifetimeMs, maxRecords: rule.maxTemporaryRecords },
  ];
}

/** Removes the records that the rule does not keep. */
export function trim(on: Statements, row: KeyRow, rule: ListRule, trustedMs: number): void {
  for (const { temporary, lifetimeMs, maxRecords } of kindsOf(rule)) {
    if (lifetimeMs !== Infinity) {
      removeEntries(on, row, ['temporary = ? AND time <= ?', temporary, oldest(trustedMs, lifetimeMs)]);
    }
    const surplus = (temporary ? row.temporary : row.records - row.temporary) - maxRecords;
    if (surplus <= 0) continue;
    const last = `SELECT id FROM entries WHERE key_id = ? AND anchor IS NOT NULL AND temporary = ?
      ORDER BY anchor, placed, sequence LIMIT ?`;
    removeEntries(on, row, [`id IN (${last})`, row.id, temporary, surplus]);
  }
}

/** Returns the time up to which records of a lifetime have expired. */
export function oldest(nowMs: number, lifetimeMs: number): number {
  return Math.max(nowMs - lifetimeMs, Number.MIN_SAFE_INTEGER);
}

/** Returns when the longest-lived record of a key expires; `undefined` when no record has a time. */
export function lastExpiryIn(on: Statements, id: number, rule: ListRule): number | undefined {
  const sql = 'SELECT max(time) AS time FROM entries WHERE key_id = ? AND temporary = ? AND time IS NOT NULL';
  const ends = kindsOf(rule).flatMap(({ temporary, lifetimeMs }) => {
    const time = on.get(sql, id, temporary)?.['time'] ?? null;
    return time === null ? [] : [Number(time) + lifetimeMs];
  });
  return ends.length === 0 ? undefined : Math.max(...ends);
}
