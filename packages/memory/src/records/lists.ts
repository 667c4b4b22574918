/** A key with records in the order of their time: a table whose rows are never changed. */
import { termsIn } from './terms.ts';
import type { CallOptions, Keep, MemoryBackend, Row, RowChange } from './backend.ts';
import { randomName } from './random-name.ts';

/**
 * A record without its time: `before`, the time in milliseconds, and `after` make one JSON object. The store sets the time in the
 * step that writes.
 */
export interface Draft {
  readonly before: string;
  readonly after: string;
  /** The id of its row. When the list has it, the record is not written, and the present one is returned. @default a new one */
  readonly id?: string | undefined;
  /** The time of an imported record, which is placed by it. A record without one is the newest. */
  readonly timeMs?: number | undefined;
  /** Whether it has the shorter lifetime, and is counted apart. @default false */
  readonly isTemporary?: boolean | undefined;
  /** When an imported record expires, whatever the rule. */
  readonly expiresAt?: number | undefined;
  /** What it is found by. @default nothing */
  readonly text?: string | undefined;
}

/** How many records of a list are kept, and for how long. `Infinity` is unlimited. */
export interface ListRule {
  /** The newest records that are kept, without the temporary ones. */
  readonly maxRecords: number;
  /** The newest temporary records that are kept; `Infinity` for a list that has none. */
  readonly maxTemporaryRecords: number;
  /** Counted from the time of the record. */
  readonly lifetimeMs: number;
  readonly temporaryLifetimeMs: number;
  /** See {@link Keep.keepsPresent}. @default false */
  readonly keepsPresent?: boolean | undefined;
}

/** The ids of temporary and of other records start with these, where a rule counts them apart. */
const TEMPORARY_ID = 't ';
const PERMANENT_ID = 'p ';

function isMixed({ maxTemporaryRecords }: ListRule): boolean {
  return maxTemporaryRecords !== Infinity;
}

function keepOf(rule: ListRule): Keep[] {
  const { maxRecords, maxTemporaryRecords, keepsPresent } = rule;
  if (!isMixed(rule)) return [{ idPrefix: '', maxRows: maxRecords, keepsPresent }];
  return [
    { idPrefix: PERMANENT_ID, maxRows: maxRecords, keepsPresent },
    { idPrefix: TEMPORARY_ID, maxRows: maxTemporaryRecords, keepsPresent },
  ];
}

async function rowOf(draft: Draft, rule: ListRule): Promise<RowChange> {
  const { before, after, timeMs, isTemporary = false, expiresAt, text } = draft;
  const own = isTemporary ? rule.temporaryLifetimeMs : rule.lifetimeMs;
  const lifetimeMs = expiresAt === undefined || timeMs === undefined ? own : expiresAt - timeMs;
  const prefix = isMixed(rule) ? (isTemporary ? TEMPORARY_ID : PERMANENT_ID) : '';
  return {
    id: `${prefix}${draft.id ?? randomName()}`,
    next: [before, after],
    timeMs,
    lifetimeMs,
    terms: await termsIn(text),
  };
}

/**
 * Adds records to a list, in this order, the last one newest. Then removes what the rule does not keep.
 *
 * @returns the records as they were written, one for each draft; for one whose id the list had, the present record.
 */
export async function appendRecords(
  backend: MemoryBackend,
  key: string,
  drafts: readonly Draft[],
  { rule, signal }: CallOptions & { readonly rule: ListRule },
): Promise<Row[]> {
  const changes = await Promise.all(drafts.map((draft) => rowOf(draft, rule)));
  const present = new Map<string, Row>();
  for (;;) {
    const rows = [...new Map(changes.map((row) => [row.id, row])).values()].filter(({ id }) => !present.has(id));
    if (rows.length === 0) return changes.flatMap(({ id }) => present.get(id) ?? []);
    const result = await backend.change(key, { rows, keep: keepOf(rule) }, { signal });
    if (result.isDone) {
      for (const row of result.rows) present.set(row.id, row);
      return changes.flatMap(({ id }) => present.get(id) ?? []);
    }
    // It may be gone again when it is read.
    const [row] = await backend.rows(key, [result.id ?? ''], { signal });
    if (row !== undefined) present.set(row.id, row);
  }
}

/** Removes a table with all that it has. @returns the number of removed rows. */
export async function removeTable(backend: MemoryBackend, key: string, options?: CallOptions): Promise<number> {
  const result = await backend.change(key, { removes: 'all' }, options);
  return result.isDone ? result.removed : 0;
}

/** Removes rows by their ids. @returns the number of removed rows. */
export async function removeRows(
  backend: MemoryBackend,
  key: string,
  ids: readonly string[],
  options?: CallOptions,
): Promise<number> {
  if (ids.length === 0) return 0;
  const result = await backend.change(key, { removes: ids }, options);
  return result.isDone ? result.removed : 0;
}
