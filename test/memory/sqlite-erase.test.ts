/** Erased text is in no file of the store: the bytes of the file and its log are searched. */
import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { createMemory } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import { sqlite } from '@cairn/memory/sqlite';
import type { MemoryBackend } from '@cairn/memory';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { filesWith, problemsOf, startProcess } from './sqlite-files.ts';
import { draft, forever as rule } from './records.ts';

function open(path: string): MemoryBackend {
  const backend = sqlite({ path });
  onTestFinished(() => backend.close());
  return backend;
}

function markOf(path: string): unknown {
  const database = new DatabaseSync(path);
  const mark = database.prepare('SELECT erasure FROM state').get()?.['erasure'];
  database.close();
  return mark;
}

test.each([
  ['a record', (backend: MemoryBackend, record: string) => listsOf(backend).remove('ai:list', [record])],
  ['a list', (backend: MemoryBackend) => listsOf(backend).remove('ai:list', 'all')],
])('%s that was removed is in the log until it is erased', async (_, remove) => {
  const path = `${temporaryDirectory()}/memory.db`;
  const backend = open(path);
  const [record = ''] = await listsOf(backend).append('ai:list', [draft('REMOVED'), draft('kept')], { rule });
  await remove(backend, record);
  // Otherwise the search finds nothing whatever the store does.
  expect(filesWith(path, 'REMOVED')).toEqual(['-wal']);
  expect(await backend.erase()).toBe('done');
  expect(filesWith(path, 'REMOVED')).toEqual([]);
});

test('text that a rule removes is overwritten when the log is written to the file, without erasing', async () => {
  const path = `${temporaryDirectory()}/memory.db`;
  const backend = open(path);
  const drafts = Array.from({ length: 30 }, (_, index) => draft(`REMOVED ${index} ${'x'.repeat(300)}`));
  await listsOf(backend).append('ai:list', drafts, { rule });
  await listsOf(backend).append('ai:list', [draft('kept')], { rule: { ...rule, maxRecords: 1 } });
  await backend.close();
  expect(filesWith(path, 'kept')).toEqual(['']);
  expect(filesWith(path, 'REMOVED')).toEqual([]);
});

test('an earlier text of a row with its terms, a removed row and a replaced document are erased', async () => {
  const path = `${temporaryDirectory()}/memory.db`;
  const backend = open(path);
  await listsOf(backend).swap('ai:document', { expected: undefined, next: 'REMOVED 1' });
  await listsOf(backend).swap('ai:document', { expected: 'REMOVED 1', next: 'kept' });
  const terms = new Map([['REMOVED 6', 1]]);
  await backend.change('ai:table', { rows: [{ id: 'a', next: 'REMOVED 2', unique: 'REMOVED 3', terms }] });
  await backend.change('ai:table', {
    rows: [
      { id: 'REMOVED 4', expected: undefined, next: 'REMOVED 5' },
      { id: 'a', expected: 'REMOVED 2', next: 'kept', unique: 'kept too' },
    ],
  });
  await backend.change('ai:table', { rows: [{ id: 'REMOVED 4', expected: 'REMOVED 5', next: undefined }] });
  expect(await backend.erase()).toBe('done');
  expect(filesWith(path, 'REMOVED')).toEqual([]);
  expect(filesWith(path, 'kept too')).toEqual(['']);
});

test('of texts that were removed while pages were divided and joined, no copy is left', async () => {
  const path = `${temporaryDirectory()}/memory.db`;
  const backend = open(path);
  let seed = 7;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return Math.floor((seed / 0x7f_ff_ff_ff) * below);
  };
  const removed: string[] = [];
  const live: { readonly key: string; readonly record: string; readonly mark: string }[] = [];
  for (let round = 0; round < 40; round++) {
    for (let group = 0; group < 7; group++) {
      const key = `ai:list:${group}`;
      const marks = Array.from({ length: 40 }, (_, index) => `MARK-${round}-${group}-${index}-`);
      const drafts = marks.map((mark, index) => ({
        ...draft(mark + 'x'.repeat(random(600))),
        // Some are placed in the middle, as in an import.
        timeMs: index % 5 === 0 ? Date.now() - random(1_000_000) : undefined,
      }));
      const records = await listsOf(backend).append(key, drafts, { rule });
      live.push(...records.map((record, index) => ({ key, record, mark: marks[index] ?? '' })));
    }
    for (let index = 0; index < 250; index++) {
      const [gone] = live.splice(random(live.length), 1);
      if (gone === undefined) break;
      await listsOf(backend).remove(gone.key, [gone.record]);
      removed.push(gone.mark);
    }
  }
  expect(await backend.erase()).toBe('done');
  await backend.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
  const bytes = readFileSync(path, 'latin1');
  const found = new Set(bytes.match(/MARK-\d+-\d+-\d+-/gu));
  expect(removed.filter((mark) => found.has(mark))).toEqual([]);
  expect(live.filter(({ mark }) => !found.has(mark))).toEqual([]);
  expect(removed.length).toBeGreaterThan(9000);
});

test('while another process reads, erasing is pending, and a later write finishes it', async () => {
  const path = `${temporaryDirectory()}/memory.db`;
  const backend = open(path);
  const [record = ''] = await listsOf(backend).append('ai:list', [draft('REMOVED'), draft('kept')], { rule });
  const reader = startProcess('read', path);
  await reader.printed(1);
  await listsOf(backend).remove('ai:list', [record]);
  expect(await backend.erase()).toBe('pending');
  expect(filesWith(path, 'REMOVED')).not.toEqual([]);
  await listsOf(backend).append('ai:list', [draft('while it reads')], { rule });
  expect(filesWith(path, 'REMOVED')).not.toEqual([]);
  await reader.end();
  await listsOf(backend).append('ai:list', [draft('afterwards')], { rule });
  expect(filesWith(path, 'REMOVED')).toEqual([]);
  expect(await backend.erase()).toBe('done');
  expect(markOf(path)).toBeNull();
});

const finishers: readonly (readonly [string, (backend: MemoryBackend, path: string) => Promise<unknown>])[] = [
  ['closing', (backend) => backend.close()],
  ['the next opening', (_, path) => listsOf(open(path)).list('ai:list')],
];

test.each(finishers)('erasing that is pending is finished by %s', async (_, finish) => {
  const path = `${temporaryDirectory()}/memory.db`;
  const backend = open(path);
  // Otherwise SQLite removes the log when the file is closed.
  await open(path).keys('');
  const [record = ''] = await listsOf(backend).append('ai:list', [draft('REMOVED'), draft('kept')], { rule });
  const reader = startProcess('read', path);
  await reader.printed(1);
  await listsOf(backend).remove('ai:list', [record]);
  expect(await backend.erase()).toBe('pending');
  await reader.end();
  await finish(backend, path);
  expect(filesWith(path, 'REMOVED')).toEqual([]);
  expect(markOf(path)).toBeNull();
});

test('erasing waits for another process that writes', async () => {
  const path = `${temporaryDirectory()}/memory.db`;
  const backend = open(path);
  const [record = ''] = await listsOf(backend).append('ai:list', [draft('REMOVED'), draft('kept')], { rule });
  await listsOf(backend).remove('ai:list', [record]);
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const erasing = backend.erase();
  const impatient = sqlite({ path, busyTimeoutMs: 1 });
  onTestFinished(() => impatient.close());
  await expect(impatient.erase()).rejects.toMatchObject({ code: 'STORE_LOCKED' });
  other.exec('COMMIT');
  other.close();
  expect(await erasing).toBe('done');
  expect(filesWith(path, 'REMOVED')).toEqual([]);
});

test('a large file is erased without blocking the thread', async () => {
  const path = `${temporaryDirectory()}/memory.db`;
  const backend = open(path);
  for (let batch = 0; batch < 10; batch++) {
    const drafts = Array.from({ length: 500 }, (_, index) => draft(`${batch} ${index} ${'x'.repeat(1000)}`));
    await listsOf(backend).append('ai:list', drafts, { rule });
  }
  const [record = ''] = await listsOf(backend).append('ai:list', [draft('REMOVED')], { rule });
  await listsOf(backend).remove('ai:list', [record]);
  // To write the file again would block the thread.
  const { DatabaseSync: Database } = await import('node:sqlite');
  const statements: string[] = [];
  class Seen extends Database {
    override exec(sql: string): void {
      statements.push(sql);
      super.exec(sql);
    }
  }
  const watched = sqlite({ path, driver: async () => ({ DatabaseSync: Seen, version: '4.0.0' }) });
  onTestFinished(() => watched.close());
  expect(await watched.erase()).toBe('done');
  expect(statements).not.toContain('VACUUM');
  expect(filesWith(path, 'REMOVED')).toEqual([]);
  await backend.close();
  await watched.close();
  expect(problemsOf(path)).toEqual([]);
});

/** What a connection writes: the commits that SQLite syncs to the disk, those that it does not, and the rest of the work. */
class Counted extends DatabaseSync {
  static counts: Record<'synced' | 'unsynced' | 'vacuum' | 'checkpoint', number>;
  #isSynced = true;
  #isWriting = false;

  static reset(): void {
    Counted.counts = { synced: 0, unsynced: 0, vacuum: 0, checkpoint: 0 };
  }

  #note(sql: string): void {
    const statement = sql.trim().toUpperCase();
    if (statement.startsWith('PRAGMA SYNCHRONOUS = ')) this.#isSynced = statement.endsWith('FULL');
    if (statement.includes('WAL_CHECKPOINT')) Counted.counts.checkpoint += 1;
    const changes = /^(?:INSERT|UPDATE|DELETE)/u.test(statement);
    if (changes && this.isTransaction) this.#isWriting = true;
    if (statement === 'VACUUM') Counted.counts.vacuum += 1;
    const commits = statement === 'COMMIT' ? this.#isWriting : changes && !this.isTransaction;
    if (statement === 'COMMIT') this.#isWriting = false;
    if (commits || statement === 'VACUUM') Counted.counts[this.#isSynced ? 'synced' : 'unsynced'] += 1;
  }

  override exec(sql: string): void {
    this.#note(sql);
    super.exec(sql);
  }

  override prepare(sql: string): StatementSync {
    const statement = super.prepare(sql);
    for (const name of ['run', 'all', 'get'] as const) {
      const call = statement[name].bind(statement) as (...values: never[]) => never;
      statement[name] = ((...values: never[]) => {
        this.#note(sql);
        return call(...values);
      }) as never;
    }
    return statement;
  }
}

// Each sync takes milliseconds, whatever the size of the store. The checkpoint syncs the log and the file.
test.each([
  ['a store without an index', 100],
  ['a store with one', 2000],
])('forgetting a fact of %s syncs its removal, and the rest once', async (_, count) => {
  const path = `${temporaryDirectory()}/memory.db`;
  const key = 'ai:facts:project:p';
  Counted.reset();
  const backend = sqlite({ path, driver: async () => ({ DatabaseSync: Counted, version: '4.0.0' }) });
  const memory = createMemory({ backend, project: 'p' });
  onTestFinished(() => memory.close());
  const rows = Array.from({ length: count }, (__, index) => {
    const next = JSON.stringify({ id: `f${index}`, text: `fact ${index} of redis`, shared: true, createdAt: 1 });
    return { id: `f${index}`, expected: undefined, next };
  });
  await backend.change(key, { rows });
  const { fact } = await memory.facts.remember('the REMOVED is here');
  await memory.facts.recall({ query: 'fact 77 of redis' });
  // Among them an old one, which the index has when there is one.
  for (const id of [fact.id, 'f7']) {
    Counted.reset();
    expect(await memory.facts.forget(id)).toMatchObject({ forgotten: true, erased: 'done' });
    expect(Counted.counts).toMatchObject({ synced: 1, vacuum: 0, checkpoint: 1 });
  }
  expect(filesWith(path, 'REMOVED')).toEqual([]);
  expect(markOf(path)).toBeNull();
});
