/** How the rows of a table are changed. */
import type { RowChange, TableChange, TableResult } from '../records/backend.ts';
import type { Statements } from './sqlite-statements.ts';
import { addKey, BODY, removeEntries, saveKey } from './sqlite-keys.ts';
import type { KeyRow } from './sqlite-keys.ts';

/** Finds why a change cannot be made. */
function conflictOf(
  on: Statements,
  id: number,
  rows: readonly RowChange[],
): Extract<TableResult, { isDone: false }> | undefined {
  const sql = `SELECT ${BODY} FROM entries WHERE key_id = ? AND name = ?`;
  for (const row of rows) {
    const body = on.get(sql, id, row.id)?.['body'];
    if ((body === undefined ? undefined : String(body)) !== row.expected) {
      return { isDone: false, reason: 'changed', id: row.id };
    }
  }
  // A row that the same change rewrites gives its unique text up.
  const rewritten = new Set(rows.map((row) => row.id));
  const taken = new Map<string, string>();
  for (const { unique, next, id: name } of rows) {
    if (unique === undefined || next === undefined) continue;
    const owner = on.get('SELECT name FROM entries WHERE key_id = ? AND identity = ?', id, unique)?.['name'];
    const other =
      taken.get(unique) ?? (owner === undefined || rewritten.has(String(owner)) ? undefined : String(owner));
    if (other !== undefined) return { isDone: false, reason: 'taken', id: other };
    taken.set(unique, name);
  }
  return undefined;
}

function insertRow(on: Statements, table: KeyRow, { id, next, unique }: RowChange & { readonly next: string }): void {
  on.run(
    'INSERT INTO entries (id, key_id, temporary, name, identity, body) VALUES ((?1 << 32) | ?2, ?1, 0, ?3, ?4, ?5)',
    table.id,
    table.sequence,
    id,
    unique ?? null,
    next,
  );
  table.records += 1;
  table.bytes += Buffer.byteLength(next);
}

/** Changes the table under a key; `known` is `undefined` when it has none yet. */
export function changeTable(
  on: Statements,
  key: string,
  { known, change }: { readonly known: KeyRow | undefined; readonly change: TableChange },
): TableResult {
  const { rows, sequence, replaces } = change;
  if (sequence !== undefined && sequence !== (known?.sequence ?? 0)) return { isDone: false, reason: 'changed' };
  // No key has the id 0.
  const conflict = conflictOf(on, known?.id ?? 0, rows);
  if (conflict) return conflict;
  if (known === undefined && replaces === undefined && rows.every(({ next }) => next === undefined)) {
    return { isDone: true, sequence: 0 };
  }
  const table = known ?? addKey(on, key, 'table');
  for (const { id } of rows) removeEntries(on, table, ['name = ?', id]);
  for (const row of rows) {
    table.sequence += 1;
    if (row.next !== undefined) insertRow(on, table, { ...row, next: row.next });
  }
  table.expiresMs = Infinity;
  saveKey(on, table);
  return { isDone: true, sequence: table.sequence };
}
