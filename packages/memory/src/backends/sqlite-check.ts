/** Whether a file is damaged: a short check when it is opened, and a thorough one that reads everything. */
import type { Damage } from '../records/backend.ts';
import { isCorrupt } from './sqlite-errors.ts';
import type { OpenFile } from './sqlite-open.ts';
import { pragma } from './sqlite-schema.ts';
import { isDamaged } from './sqlite-table.ts';
import { runInWorker } from './sqlite-worker.ts';

/** A file of up to this size is checked when it is opened, which takes about 2 ms for each megabyte. */
const MAX_CHECKED_BYTES = 4 * 1024 * 1024;
/** Of a file of up to this size only the indexes are not compared, which takes half as long. */
const MAX_READ_BYTES = 16 * 1024 * 1024;
/** The problems that a check reports. One damaged page can cause hundreds. */
const MAX_PROBLEMS = 20;

/** The condition that a column is a JSON list of strings. */
export function isList(column: string): string {
  return `(typeof(${column}) = 'text' AND CASE WHEN json_valid(${column}) THEN json_type(${column}) = 'array' ELSE false END)`;
}

/** Compares what no check of the structure does: the row of `state`, the ids of keys, and the index of dropped keys. */
const BASICS = `SELECT
  (SELECT count(*) = 1 AND total(typeof(created_ms) = 'integer' AND json_valid(forgotten)) = 1
    AND total(coalesce(typeof(trusted_ms), 'null') NOT IN ('integer', 'null')) = 0 FROM state)
  AND (SELECT count(*) FROM sqlite_sequence) <= 1
  AND (SELECT coalesce(max(id), 0) FROM keys) <= (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'keys')
  AND (SELECT count(*) FROM keys WHERE is_dropped = 1) >= 0 AS are_sound`;
const BASICS_PROBLEM = 'the state of the store is not valid';

/** Keys that do not have the entries that they count. */
const WRONG_KEYS = `SELECT key, records, (SELECT count(*) FROM entries WHERE key_id = keys.id) AS found FROM keys
  WHERE records <> found LIMIT ${MAX_PROBLEMS}`;
/** Keys whose rows have other labels than the index of labels, or than it counts. */
const WRONG_LABELS = `SELECT key,
    coalesce((SELECT sum(json_array_length(CASE WHEN json_valid(labels) THEN labels ELSE '[]' END))
      FROM entries WHERE key_id = keys.id), 0) AS named,
    (SELECT count(*) FROM labels WHERE owner = keys.id) AS listed,
    coalesce((SELECT sum(records) FROM label_counts WHERE owner = keys.id), 0) AS counted
  FROM keys WHERE is_dropped = 0 AND (named <> listed OR named <> counted) LIMIT ${MAX_PROBLEMS}`;
/** Rows whose lists of terms or labels cannot be read. */
const WRONG_LISTS = `SELECT key, entries.id FROM entries LEFT JOIN keys ON keys.id = key_id
  WHERE NOT (${['terms', 'labels'].map((name) => `(${name} IS NULL OR ${isList(name)})`).join(' AND ')}) LIMIT ${MAX_PROBLEMS}`;
/** Keys whose rows have more or fewer terms than the index of terms. */
const WRONG_TERMS = `SELECT key,
    coalesce((SELECT sum(json_array_length(CASE WHEN ${isList('terms')} THEN terms ELSE '[]' END))
      FROM entries WHERE key_id = keys.id), 0) AS named,
    coalesce((SELECT sum(length(body) - length(replace(body, ',', ''))) FROM postings WHERE key_id = keys.id), 0) AS listed
  FROM keys WHERE is_dropped = 0 AND named <> listed LIMIT ${MAX_PROBLEMS}`;
/** Rows with pages of their own, whose contents the structure does not show. */
const LONG_ROWS = 'SELECT id, checksum, body FROM entries WHERE octet_length(body) > 2048';
const ROWS = 'SELECT key, entries.id, checksum, body FROM entries LEFT JOIN keys ON keys.id = key_id';

/** A problem that is found when a file is opened. */
interface OpeningProblem {
  readonly problem: string;
  /** Whether pages are where others belong, so that a write may destroy what is still readable. */
  readonly isBroken: boolean;
}

/** Returns the problem of an open file. The structure of a larger file, and the text of short records, are not checked. */
export function problemAtOpening({ database, statements }: OpenFile): OpeningProblem | undefined {
  try {
    const [pages = 0, size = 0] = ['page_count', 'page_size'].map((name) => Number(pragma(database, name)));
    const check = pages * size > MAX_CHECKED_BYTES ? 'quick_check(1)' : 'integrity_check(1)';
    const found = pages * size > MAX_READ_BYTES ? 'ok' : String(pragma(database, check));
    if (found !== 'ok') return { problem: oneLine(found), isBroken: true };
    if (statements.get(BASICS)?.['are_sound'] !== 1) return { problem: BASICS_PROBLEM, isBroken: true };
    if (pages * size > MAX_CHECKED_BYTES) return undefined;
    for (const row of statements.each(LONG_ROWS)) {
      if (isDamaged(row)) return { problem: `the text of ${String(row['id'])} is damaged`, isBroken: false };
    }
    return undefined;
  } catch (error) {
    // Of another failure, such as a lock, the call itself reports what concerns it.
    return isCorrupt(error) && error instanceof Error ? { problem: error.message, isBroken: true } : undefined;
  }
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/gu, ': ');
}

/** Returns the notice of a damaged file, with the commands that save its records. */
export function damageMessage(path: string, problem: string): string {
  return (
    `[memory:sqlite] ${path} is damaged (${oneLine(problem)}), so answers may lack records; ` +
    `'cairn memory backup <file> --store ${path}' saves every readable record, 'cairn memory restore --store ${path}' lists backups`
  );
}

export interface CheckOptions {
  /** What SQLite opens: the path, or a URI. */
  readonly name: string;
  readonly readOnly: boolean;
  readonly timeoutMs: number;
}

/** Reads the whole file in another thread: its structure, its indexes, the counts of its keys, and the checksum of each row. */
export async function checkFile(path: string, { name, ...how }: CheckOptions): Promise<Damage[]> {
  const statements = [
    `PRAGMA integrity_check(${MAX_PROBLEMS})`,
    BASICS,
    WRONG_KEYS,
    WRONG_LABELS,
    WRONG_LISTS,
    WRONG_TERMS,
  ];
  const [structure = [], [basics] = [], counts = [], labels = [], lists = [], terms = [], rows = []] =
    await runInWorker(name, {
      statements,
      checked: ROWS,
      ...how,
    });
  const problems = structure.map((row) => oneLine(String(row['integrity_check']))).filter((text) => text !== 'ok');
  if (basics?.['are_sound'] !== 1) problems.push(BASICS_PROBLEM);
  return [
    ...problems.map((message) => ({ key: '', message: `${path}: ${message}` })),
    ...counts.map(({ key, records, found }) => {
      return { key: String(key), message: `${String(key)} has ${String(found)} of ${String(records)} records` };
    }),
    ...labels.map(({ key }) => ({ key: String(key), message: `the labels of ${String(key)} are damaged` })),
    ...lists.map(({ key, id }) => {
      return { key: String(key), message: `the terms or labels of ${String(id)} in ${String(key)} are damaged` };
    }),
    ...terms.map(({ key }) => ({ key: String(key), message: `the index of the terms of ${String(key)} is damaged` })),
    ...rows.slice(0, MAX_PROBLEMS).map(({ key, id }) => {
      return { key: String(key), message: `the text of ${String(id)} in ${String(key)} is damaged` };
    }),
  ];
}
