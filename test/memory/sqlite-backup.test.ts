/** Backups of a file: made while it is in use, verified, and complete or absent. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { sqlite } from '@cairn/memory/sqlite';
import type { MemoryBackend } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { problemsOf } from './sqlite-files.ts';
import { draft, forever as rule } from './records.ts';

function open(path: string): MemoryBackend {
  const backend = sqlite({ path });
  onTestFinished(() => backend.close());
  return backend;
}

async function backUp(backend: MemoryBackend, path: string, signal?: AbortSignal): Promise<number> {
  if (backend.backup === undefined) throw new Error('no backup');
  const { bytes, problems } = await backend.backup(path, { signal });
  expect(problems).toEqual([]);
  return bytes;
}

async function filled(path: string, count: number): Promise<MemoryBackend> {
  const backend = open(path);
  const drafts = Array.from({ length: count }, (_, index) => draft(`${index} ${'x'.repeat(1000)}`));
  await listsOf(backend).append('ai:list', drafts, { rule });
  await listsOf(backend).swap('ai:document', { expected: undefined, next: 'text', ttlMs: Infinity });
  await backend.change('ai:table', { rows: [{ id: 'a', expected: undefined, next: '1' }] });
  return backend;
}

test('a backup has everything, is private, and is a store of its own', async () => {
  const root = temporaryDirectory();
  const backend = await filled(`${root}/memory.db`, 10);
  expect(await backUp(backend, `${root}/copy.db`)).toBe(statSync(`${root}/copy.db`).size);
  expect(statSync(`${root}/copy.db`).mode & 0o777).toBe(0o600);
  expect(readdirSync(root).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
  const copy = open(`${root}/copy.db`);
  expect(await listsOf(copy).list('ai:list')).toEqual(await listsOf(backend).list('ai:list'));
  expect(await listsOf(copy).read('ai:document')).toBe('text');
  expect(await copy.rows('ai:table', ['a'])).toMatchObject([{ text: '1' }]);
  await listsOf(copy).append('ai:list', [draft('more')], { rule });
  expect(await listsOf(backend).list('ai:list')).toHaveLength(10);
  await copy.close();
  expect(problemsOf(`${root}/copy.db`)).toEqual([]);
});

test('writes during a backup do not wait for it, and are not in it', async () => {
  const root = temporaryDirectory();
  const path = `${root}/memory.db`;
  await (await filled(path, 3000)).close();
  const other = new DatabaseSync(path, { timeout: 1000 });
  onTestFinished(() => other.close());
  let writes = 0;
  class Writing extends DatabaseSync {
    override prepare(sql: string): ReturnType<DatabaseSync['prepare']> {
      const statement = super.prepare(sql);
      // After the counts were read, and before all pages are copied.
      if (sql.includes('AS last FROM keys')) {
        queueMicrotask(() => {
          writes += 1;
          other.exec(
            `INSERT INTO keys SELECT id + 1000, key || 'new', is_dropped, sequence, place, records, bytes, removed FROM keys
               WHERE key = 'ai:document';
             INSERT INTO entries SELECT sequence + 1000 * 134217728, key_id + 1000, id, place, expires_at, identity, terms, labels, checksum, body
               FROM entries WHERE id = 'document'`,
          );
        });
      }
      return statement;
    }
  }
  const backend = sqlite({ path, driver: async () => ({ DatabaseSync: Writing, version: '4.0.0' }) });
  onTestFinished(() => backend.close());
  let isDone = false;
  const running = backUp(backend, `${root}/copy.db`).finally(() => {
    isDone = true;
  });
  await listsOf(backend).append('ai:list', [draft('meanwhile')], { rule });
  expect(isDone).toBe(false);
  await running;
  expect(writes).toBe(1);
  expect((await backend.keys('')).map(({ key }) => key)).toContain('ai:documentnew');
  expect((await open(`${root}/copy.db`).keys('')).map(({ key }) => key)).not.toContain('ai:documentnew');
});

test('closing waits for a backup', async () => {
  const root = temporaryDirectory();
  const backend = await filled(`${root}/memory.db`, 3000);
  const running = backUp(backend, `${root}/copy.db`);
  await listsOf(backend).append('ai:list', [draft('meanwhile')], { rule });
  await backend.close();
  expect(await Promise.race([running, Promise.resolve('not yet')])).toBe(statSync(`${root}/copy.db`).size);
  await expect(backUp(backend, `${root}/other.db`)).rejects.toMatchObject({ code: 'STORE_CLOSED' });
});

test('a file that exists is not replaced', async () => {
  const root = temporaryDirectory();
  const backend = await filled(`${root}/memory.db`, 1);
  writeFileSync(`${root}/mine`, 'mine');
  for (const path of [`${root}/mine`, `${root}/memory.db`]) {
    await expect(backUp(backend, path)).rejects.toMatchObject({ code: 'INVALID_INPUT', path });
  }
  expect(readFileSync(`${root}/mine`, 'utf8')).toBe('mine');
  expect(await listsOf(backend).list('ai:list')).toHaveLength(1);
});

test('a backup that fails or is aborted leaves no file', async () => {
  const root = temporaryDirectory();
  const backend = await filled(`${root}/memory.db`, 3000);
  const before = readdirSync(root);
  await expect(backUp(backend, `${root}/none/copy.db`)).rejects.toMatchObject({ code: 'STORE_FAILED' });
  const controller = new AbortController();
  const running = backUp(backend, `${root}/copy.db`, controller.signal);
  await listsOf(backend).append('ai:list', [draft('meanwhile')], { rule });
  controller.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
  expect(readdirSync(root)).toEqual(before);
});

test('the backup of a store that lost a record has the others, and reports what is lost', async () => {
  const root = temporaryDirectory();
  const path = `${root}/memory.db`;
  const backend = await filled(path, 100);
  await backend.close();
  // A count that is wrong, as after a lost page.
  const database = new DatabaseSync(path);
  database.exec('DELETE FROM entries WHERE sequence & 134217727 = 50');
  database.close();
  const result = await open(path).backup?.(`${root}/copy.db`);
  expect(result).toEqual({
    bytes: statSync(`${root}/copy.db`).size,
    problems: [
      { key: 'ai:list', message: 'ai:list has 99 of 100 records' },
      { key: 'ai:list', message: 'Lost 1 of the records of ai:list: their ids are lost too.' },
    ],
  });
  const copy = open(`${root}/copy.db`);
  expect(await listsOf(copy).list('ai:list')).toHaveLength(99);
  expect(await copy.check?.()).toEqual([]);
});
