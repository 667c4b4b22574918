import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqlite } from '@cairn/memory/sqlite';
import { peekSqlite } from '@cairn/memory/sqlite-peek';
import { afterEach, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

function open(path: string): ReturnType<typeof sqlite> {
  const backend = sqlite({ path });
  closing.push(backend.close);
  return backend;
}

function newPath(): string {
  return join(temporaryDirectory(), 'store.db');
}

test('the state of a table is that of the store, after every write, open and closed', async () => {
  const path = newPath();
  for (let round = 0; round < 3; round++) {
    const backend = open(path);
    await backend.change('ai:a', { rows: [{ id: `row ${round}`, expected: undefined, next: 'text' }] });
    const { epoch, sequence } = await backend.changes('ai:a');
    const expected = [
      { epoch, sequence },
      { epoch: '', sequence: 0 },
    ];
    await expect(peekSqlite(path, ['ai:a', 'ai:b'])).resolves.toEqual(expected);
    await backend.close();
    await expect(peekSqlite(path, ['ai:a', 'ai:b'])).resolves.toEqual(expected);
  }
});

test('the states have the order of the keys', async () => {
  const path = newPath();
  const backend = open(path);
  for (const [key, count] of [
    ['ai:b', 2],
    ['ai:a', 1],
  ] as const) {
    const rows = Array.from({ length: count }, (_, index) => ({ id: `${index}`, expected: undefined, next: '' }));
    await backend.change(key, { rows });
  }
  const states = await peekSqlite(path, ['ai:b', 'ai:a']);
  expect(states?.map(({ sequence }) => sequence)).toEqual([2, 1]);
});

test('removing a row changes the state', async () => {
  const path = newPath();
  const backend = open(path);
  const rows = ['1', '2'].map((id) => ({ id, expected: undefined, next: 'text' }));
  await backend.change('ai:a', { rows });
  const before = await peekSqlite(path, ['ai:a']);
  await backend.change('ai:a', { rows: [{ id: '1', expected: 'text', next: undefined }] });
  await expect(peekSqlite(path, ['ai:a'])).resolves.not.toEqual(before);
});

test('a closed store has no other files and no other bytes afterwards', async () => {
  const path = newPath();
  const backend = open(path);
  await backend.change('ai:a', { rows: [{ id: '1', expected: undefined, next: 'text' }] });
  await backend.close();
  const directory = join(path, '..');
  const before = [readdirSync(directory), statSync(path, { bigint: true }).mtimeNs];
  await peekSqlite(path, ['ai:a']);
  expect([readdirSync(directory), statSync(path, { bigint: true }).mtimeNs]).toEqual(before);
});

test('what cannot be read now has no state', async () => {
  const path = newPath();
  await expect(peekSqlite(path, ['ai:a'])).resolves.toBeUndefined();
  mkdirSync(path);
  await expect(peekSqlite(path, ['ai:a'])).resolves.toBeUndefined();
  const text = newPath();
  writeFileSync(text, 'not a database, but long enough to be one '.repeat(100));
  await expect(peekSqlite(text, ['ai:a'])).resolves.toBeUndefined();
  const other = newPath();
  const database = new DatabaseSync(other);
  database.exec('CREATE TABLE keys (key, epoch, sequence); PRAGMA user_version = 3');
  database.close();
  await expect(peekSqlite(other, ['ai:a'])).resolves.toBeUndefined();
});

test('a store that another process locks has no state, at once', async () => {
  const path = newPath();
  const backend = open(path);
  await backend.change('ai:a', { rows: [{ id: '1', expected: undefined, next: 'text' }] });
  await backend.close();
  const owner = new DatabaseSync(path);
  // The log is locked, too.
  owner.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; PRAGMA user_version = 2');
  owner.exec(
    "INSERT INTO keys (key, kind, epoch, sequence, records, temporary, bytes) VALUES ('x', '', '', 0, 0, 0, 0)",
  );
  owner.exec('COMMIT');
  await expect(peekSqlite(path, ['ai:a'])).resolves.toBeUndefined();
  owner.close();
});
