/** Files of an older format: they are migrated once, as a whole, and a file that cannot be written is read as it is. */
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { createMemory } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import { sqlite } from '@cairn/memory/sqlite';
import type { MemoryBackend } from '@cairn/memory';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import {
  filesWith,
  FORMAT_1_MS,
  problemsOf,
  runAsOther,
  runStore,
  startProcess,
  writeFormat1,
} from './sqlite-files.ts';
import { draft, forever } from './records.ts';

const KILLS = Number(process.env['CAIRN_MEMORY_KILLS'] ?? 6);

interface Content {
  readonly kind: string;
  readonly expiresInMs: number | undefined;
  /** The text of a document, or the records of a list, newest first. */
  readonly texts: readonly string[];
}

/** The contents of a file of format 1, read without Cairn. */
function contentsOfFormat1(path: string): Map<string, Content> {
  const database = new DatabaseSync(path, { readOnly: true });
  const keys = database.prepare('SELECT id, key, expires_at, value FROM keys').all();
  const records = database.prepare(
    "SELECT CASE typeof(body) WHEN 'text' THEN body ELSE quote(body) END AS body FROM records WHERE key_id = ? ORDER BY position DESC",
  );
  const contents = keys.map(({ id, key, expires_at: expiresAt, value }): [string, Content] => {
    const expiresInMs = expiresAt === null ? undefined : Number(expiresAt) - FORMAT_1_MS;
    const texts = value === null ? records.all(Number(id)).map(({ body }) => String(body)) : [String(value)];
    return [String(key), { kind: value === null ? 'list' : 'document', expiresInMs, texts }];
  });
  database.close();
  return new Map(contents);
}

async function contentsOf(backend: MemoryBackend): Promise<Map<string, Content>> {
  const infos = await backend.keys('');
  const contents = infos.map(async ({ key, kind, expiresInMs, records }): Promise<[string, Content]> => {
    const texts = kind === 'list' ? await listsOf(backend).list(key) : [(await listsOf(backend).read(key)) ?? ''];
    expect(records).toBe(texts.length);
    return [key, { kind, expiresInMs, texts }];
  });
  return new Map(await Promise.all(contents));
}

function open(path: string): MemoryBackend {
  const backend = sqlite({ path, clock: () => FORMAT_1_MS });
  onTestFinished(() => backend.close());
  return backend;
}

test('a file of format 1 keeps its contents, and loses the text that was removed before', async () => {
  const path = `${temporaryDirectory()}/memory.db`;
  writeFormat1(path);
  const expected = contentsOfFormat1(path);
  expect(expected.size).toBe(9);
  expect(filesWith(path, 'REMOVED-TEXT')).toEqual(['']);
  const backend = open(path);
  expect(await contentsOf(backend)).toEqual(expected);
  for (const [key, { kind, texts }] of expected) {
    if (kind !== 'list') continue;
    const { records } = await backend.changes(key);
    expect(records.map(({ record }) => record)).toEqual(texts.toReversed());
  }
  // The opening has written the file again.
  expect(filesWith(path, 'REMOVED-TEXT')).toEqual([]);
  expect(filesWith(path, 'imported early')).toContain('');
  const memory = createMemory({ backend });
  expect(await memory.messages.history({ stream: 'chat', group: 'group_0' })).toHaveLength(12);
  await memory.messages.add({ stream: 'chat', group: 'group_0' }, { content: 'new' });
  await memory.close();
  expect(problemsOf(path)).toEqual([]);
});

test.skipIf(process.platform === 'win32')(
  'a file of format 1 that cannot be written is read, and is not changed',
  async () => {
    const root = temporaryDirectory();
    const path = `${root}/memory.db`;
    writeFormat1(path);
    const expected = [...contentsOfFormat1(path)].map(([key, { texts }]) => JSON.stringify([key, texts]));
    const before = [readFileSync(path), readdirSync(root)];
    chmodSync(path, 0o444);
    chmodSync(root, 0o755);
    const lines = await runAsOther('list', path);
    expect(lines.toSorted()).toEqual([...expected, 'STORE_DENIED'].toSorted());
    expect([readFileSync(path), readdirSync(root)]).toEqual(before);
  },
);

test('several processes that open a file of format 1 at once all use it', async () => {
  const path = `${temporaryDirectory()}/memory.db`;
  writeFormat1(path);
  const expected = contentsOfFormat1(path);
  const processes = Array.from({ length: 6 }, (_, index) => startProcess('open', path, `${index}`));
  for (const one of processes) await one.printed(1);
  for (const one of processes) one.child.stdin?.end();
  for (const one of processes) expect(await one.ended).toMatchObject({ code: 0, stderr: '' });
  const contents = await contentsOf(open(path));
  for (const [key, content] of expected) expect(contents.get(key)).toEqual(content);
  expect([...contents.keys()].filter((key) => key.startsWith('ai:process:'))).toHaveLength(6);
  expect(problemsOf(path)).toEqual([]);
  expect(filesWith(path, 'REMOVED-TEXT')).toEqual([]);
});

test('a process that waited while another one migrated the file does not migrate it again', async () => {
  const path = `${temporaryDirectory()}/memory.db`;
  writeFormat1(path);
  const expected = contentsOfFormat1(path);
  let migrations = 0;
  class Waiting extends DatabaseSync {
    override exec(sql: string): void {
      // This connection has read that the file has format 1.
      if (sql === 'BEGIN IMMEDIATE' && migrations++ === 0) runStore('list', path);
      super.exec(sql);
    }
  }
  const driver = async (): Promise<{ DatabaseSync: typeof DatabaseSync; version: string }> => ({
    DatabaseSync: Waiting,
    version: '4.0.0',
  });
  const backend = sqlite({ path, driver, clock: () => FORMAT_1_MS });
  onTestFinished(() => backend.close());
  const contents = await contentsOf(backend);
  expect(migrations).toBeGreaterThan(0);
  expect(contents.delete('ai:new')).toBe(true);
  expect(contents).toEqual(expected);
});

test(
  `after each of ${KILLS} kills during the migration the file has all of its contents`,
  async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    for (let kill = 0; kill < KILLS; kill++) {
      writeFormat1(path);
      const old = new DatabaseSync(path);
      old.exec(`INSERT INTO keys (id, key) VALUES (1000, 'ai:large');
      INSERT INTO records (key_id, position, time, temporary, body)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
        SELECT 1000, i, i, 0, '{"text":"' || i || '","time":' || i || '}' FROM n`);
      old.close();
      const expected = contentsOfFormat1(path);
      const one = startProcess('open', path, 'killed');
      await one.printed(1);
      one.child.stdin?.end();
      // A random moment of the migration, which takes about this long.
      const timer = setTimeout(() => one.child.kill('SIGKILL'), (kill / KILLS) * 400);
      await one.ended;
      clearTimeout(timer);
      const backend = open(path);
      const contents = await contentsOf(backend);
      contents.delete('ai:process:killed');
      expect(contents).toEqual(expected);
      await backend.close();
      expect(problemsOf(path)).toEqual([]);
      expect(filesWith(path, 'REMOVED-TEXT')).toEqual([]);
    }
  },
  KILLS * 30_000,
);

test('a record from the future in a file of format 1 makes no jump of the clock trusted', async () => {
  const path = `${temporaryDirectory()}/memory.db`;
  writeFormat1(path);
  const before = new DatabaseSync(path);
  before.exec('UPDATE records SET time = 4102444800000 WHERE id = (SELECT max(id) FROM records)');
  before.close();
  let nowMs = Date.now();
  const backend = sqlite({ path, clock: () => nowMs });
  onTestFinished(() => backend.close());
  const monthly = { ...forever, lifetimeMs: 30 * 24 * 3_600_000 };
  await listsOf(backend).append('ai:list', [draft('kept')], { rule: monthly });
  nowMs += 10 * 365 * 24 * 3_600_000;
  await listsOf(backend).append('ai:list', [draft('new')], { rule: monthly });
  nowMs -= 10 * 365 * 24 * 3_600_000;
  expect(await listsOf(backend).list('ai:list')).toHaveLength(2);
});
