/** Daily backups: made once, verified, bounded, and restored. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, relative } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createMemory } from '@cairn/memory';
import type { Memory } from '@cairn/memory';
import { listBackups, restoreBackup, sqlite } from '@cairn/memory/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { childEnv } from './child-process.ts';
import { problemsOf, startProcess } from './sqlite-files.ts';

const DAY_MS = 86_400_000;
const script = fileURLToPath(new URL('../../packages/memory/src/backends/sqlite-daily.ts', import.meta.url));

function open(path: string, backups = false): Memory {
  const memory = createMemory({ backend: sqlite({ path, backups }), project: 'p' });
  onTestFinished(() => memory.close());
  return memory;
}

/** Runs the process of the daily backup. @returns its exit code. */
async function runDaily(path: string): Promise<number | null> {
  const child = spawn(process.execPath, ['--no-warnings', script, path], { env: childEnv, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

/** Lets time go by for a store: it was created earlier, and its backups were made earlier. */
function age(path: string, days: number): void {
  const database = new DatabaseSync(path);
  const row = database.prepare('SELECT created_ms, forgotten FROM state').get();
  const forgotten = (JSON.parse(String(row?.['forgotten'])) as number[]).map((time) => time - days * DAY_MS);
  database
    .prepare('UPDATE state SET created_ms = ?, forgotten = ?')
    .run(Number(row?.['created_ms']) - days * DAY_MS, JSON.stringify(forgotten));
  database.close();
  const copied = `${path}-backups/forgotten.json`;
  if (existsSync(copied)) {
    const times = JSON.parse(readFileSync(copied, 'utf8')) as number[];
    writeFileSync(copied, JSON.stringify(times.map((time) => time - days * DAY_MS)));
  }
  // The oldest first, so that none takes the name of another.
  for (const backup of listBackups(path).toReversed()) {
    const time = backup.time - days * DAY_MS;
    const name = `${new Date(time).toISOString().slice(0, 19).replaceAll(':', '-')}Z${backup.isReplaced ? '-replaced' : ''}`;
    const renamed = backup.path.replace(backup.name, name);
    renameSync(backup.path, renamed);
    utimesSync(renamed, time / 1000, time / 1000);
  }
}

async function filled(texts: readonly string[] = ['redis is in use']): Promise<string> {
  const path = `${temporaryDirectory()}/memory.db`;
  const memory = open(path);
  for (const text of texts) await memory.facts.remember(text);
  await memory.close();
  return path;
}

const files = (path: string): string[] => readdirSync(`${path}-backups`).toSorted();

/** Waits until the backups of a store are as a test expects. */
async function untilBackups(path: string, count: number): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    if (listBackups(path).length === count && !files(path).some((name) => name.endsWith('.tmp'))) return;
    await delay(20);
  }
  throw new Error(`${listBackups(path).length} backups instead of ${count}`);
}

test('a store has a backup a day after it was created, and then a day after each', async () => {
  const path = await filled();
  expect(await runDaily(path)).toBe(0);
  expect(listBackups(path)).toEqual([]);
  age(path, 1);
  expect(await runDaily(path)).toBe(0);
  const [backup] = listBackups(path);
  expect(backup).toMatchObject({ isReplaced: false, bytes: statSync(backup?.path ?? '').size });
  expect(statSync(backup?.path ?? '').mode & 0o777).toBe(0o600);
  expect(statSync(`${path}-backups`).mode & 0o777).toBe(0o700);
  expect(problemsOf(backup?.path ?? '')).toEqual([]);
  expect(await runDaily(path)).toBe(0);
  expect(listBackups(path)).toHaveLength(1);
});

test('an open store starts the backup by itself, and does not wait for it', async () => {
  const path = await filled();
  age(path, 1);
  const memory = open(path, true);
  await memory.facts.recall({ query: 'redis' });
  await untilBackups(path, 1);
  expect(memory.backend.notices?.()).toEqual([]);
});

test('a store that did not change has no other backup, and keeps the one that it has', async () => {
  const path = await filled();
  age(path, 1);
  await runDaily(path);
  const [first] = listBackups(path);
  age(path, 2);
  const [aged] = listBackups(path);
  utimesSync(path, 1, 1);
  await runDaily(path);
  expect(listBackups(path)).toMatchObject([{ name: aged?.name }]);
  expect(first?.name).not.toBe(aged?.name);
  const memory = open(path);
  await memory.facts.remember('a change');
  await memory.close();
  await runDaily(path);
  expect(listBackups(path)).toHaveLength(2);
});

test('the newest 7 are kept', async () => {
  const path = await filled();
  for (let day = 0; day < 10; day++) {
    age(path, 1);
    const memory = open(path);
    await memory.facts.remember(`day ${day}`);
    await memory.close();
    await runDaily(path);
  }
  const backups = listBackups(path);
  expect(backups).toHaveLength(7);
  const [newest, oldest] = [backups.at(0), backups.at(-1)];
  const days = Math.round(((newest?.time ?? 0) - (oldest?.time ?? 0)) / DAY_MS);
  expect(days).toBe(6);
  expect(files(path)).toHaveLength(8);
});

test('of processes that start simultaneously, one makes the backup', async () => {
  const path = await filled();
  age(path, 1);
  await Promise.all(Array.from({ length: 4 }, () => runDaily(path)));
  expect(listBackups(path)).toHaveLength(1);
});

test('a process that is killed at any time leaves no incomplete backup, and the next one makes it', async () => {
  const path = await filled(Array.from({ length: 300 }, (_, index) => `fact ${index} ${'x'.repeat(2000)}`));
  age(path, 1);
  for (let round = 0; round < 12; round++) {
    const child = spawn(process.execPath, ['--no-warnings', script, path], { env: childEnv, stdio: 'ignore' });
    const exit = once(child, 'exit');
    // The moments of the kills are spread over the run: after each file that it makes.
    for (let seen = -1; seen < round % 6 && child.exitCode === null;) {
      const now = existsSync(`${path}-backups`) ? files(path).length : 0;
      seen = Math.max(seen, now);
      await delay(1);
    }
    child.kill('SIGKILL');
    await exit;
    for (const backup of listBackups(path)) expect(problemsOf(backup.path)).toEqual([]);
  }
  expect(await runDaily(path)).toBe(0);
  expect(listBackups(path)).toHaveLength(1);
  age(path, 1);
  const memory = open(path);
  await memory.facts.remember('later');
  await memory.close();
  expect(await runDaily(path)).toBe(0);
  expect(files(path).filter((name) => name.includes('.tmp'))).toEqual([]);
}, 60_000);

test('a damaged store has no backup, keeps the earlier ones, and each later process reports it', async () => {
  const path = await filled(Array.from({ length: 50 }, (_, index) => `fact ${index} ${'x'.repeat(6000)}`));
  age(path, 1);
  await runDaily(path);
  age(path, 1);
  // The opening does not compare the text of records.
  const database = new DatabaseSync(path);
  database.exec(`UPDATE entries SET body = replace(body, 'xxx', 'yyy') WHERE body LIKE '%fact 7 %'`);
  database.close();
  expect(await runDaily(path)).toBe(3);
  expect(listBackups(path)).toHaveLength(1);
  const memory = open(path);
  await memory.facts.list({ limit: 1 });
  expect(memory.backend.notices?.()).toMatchObject([{ code: 'DAMAGED', message: expect.stringContaining('damaged') }]);
  await memory.close();
  const [backup] = listBackups(path);
  await restoreBackup(path, backup?.name ?? '');
  const restored = open(path);
  expect((await restored.facts.list()).total).toBe(50);
  expect(restored.backend.notices?.()).toEqual([]);
});

test('a backup that cannot be written is one notice', async () => {
  const path = await filled();
  age(path, 1);
  writeFileSync(`${path}-backups`, '');
  const memory = open(path, true);
  await memory.facts.recall({ query: 'redis' });
  const notices = async (): Promise<readonly { readonly code: string }[]> => {
    for (const end = Date.now() + 60_000; Date.now() < end; await delay(10)) {
      const found = memory.backend.notices?.() ?? [];
      if (found.length > 0) return found;
    }
    return [];
  };
  expect(await notices()).toMatchObject([{ code: 'BACKUP_FAILED', message: expect.stringContaining(path) }]);
  expect(memory.backend.notices?.()).toEqual([]);
});

test.each([
  ['is as it was', () => undefined],
  [
    'is damaged',
    (path: string) => writeFileSync(path, Buffer.concat([Buffer.alloc(4096, 0x55), readFileSync(path).subarray(4096)])),
  ],
  ['is gone', (path: string) => renameSync(path, `${path}.gone`)],
])('a backup is restored when the store %s, and what was there is kept', async (_, harm) => {
  const path = await filled(['the first fact']);
  age(path, 1);
  await runDaily(path);
  const [backup] = listBackups(path);
  const memory = open(path);
  await memory.facts.remember('a later fact');
  await memory.close();
  harm(path);
  const before = existsSync(path) ? readFileSync(path) : undefined;
  const { replaced, isAlone } = await restoreBackup(path, backup?.name ?? '');
  expect(isAlone).toBe(true);
  const restored = open(path);
  expect((await restored.facts.list()).facts.map(({ text }) => text)).toEqual(['the first fact']);
  await restored.facts.remember('after the backup');
  await restored.close();
  expect(problemsOf(path)).toEqual([]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const kept = listBackups(path).filter(({ name }) => name === replaced);
  // The first page of a sound file says whether it has a log.
  const pages = kept.map((one) => readFileSync(one.path).subarray(4096));
  expect(pages).toEqual(before === undefined ? [] : [before.subarray(4096)]);
  expect(readdirSync(dirname(path)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('a replaced store can be restored too', async () => {
  const path = await filled(['the first fact']);
  age(path, 1);
  await runDaily(path);
  const memory = open(path);
  await memory.facts.remember('a later fact');
  await memory.close();
  const { replaced } = await restoreBackup(path, listBackups(path)[0]?.name ?? '');
  await restoreBackup(path, replaced ?? '');
  expect((await open(path).facts.list()).total).toBe(2);
});

test('two restores at once keep both replaced stores', async () => {
  const path = await filled(['the first fact']);
  age(path, 1);
  await runDaily(path);
  const [backup] = listBackups(path);
  const memory = open(path);
  await memory.facts.remember('a later fact');
  await memory.close();
  const first = await restoreBackup(path, backup?.name ?? '');
  const second = await restoreBackup(path, backup?.name ?? '');
  expect(second.replaced).not.toBe(first.replaced);
  await restoreBackup(path, first.replaced ?? '');
  expect((await open(path).facts.list()).total).toBe(2);
});

test('the log of a store that is gone is not written into the restored one', async () => {
  const path = await filled(['the first fact']);
  age(path, 1);
  await runDaily(path);
  const other = startProcess('watch', path);
  await other.printed(1);
  const memory = open(path);
  await memory.facts.remember('only in the log');
  // The other process keeps the log when this one closes.
  const log = readFileSync(`${path}-wal`);
  await memory.close();
  await other.end();
  rmSync(path);
  writeFileSync(`${path}-wal`, log);
  const { replaced } = await restoreBackup(path, listBackups(path)[0]?.name ?? '');
  expect(readFileSync(`${path}-backups/${replaced}.db-wal`)).toEqual(log);
  expect((await open(path).facts.list()).facts.map(({ text }) => text)).toEqual(['the first fact']);
});

test('an empty file is not restored', async () => {
  const path = await filled(['the first fact']);
  const empty = `${temporaryDirectory()}/empty.db`;
  writeFileSync(empty, '');
  await expect(restoreBackup(path, empty)).rejects.toMatchObject({ code: 'CORRUPT_STORE' });
  expect(statSync(empty).size).toBe(0);
  expect((await open(path).facts.list()).total).toBe(1);
});

test.each([
  ['a sound store', () => undefined],
  [
    'a damaged one',
    (path: string) => writeFileSync(path, Buffer.concat([Buffer.alloc(4096, 0x55), readFileSync(path).subarray(4096)])),
  ],
])('%s that another process has open is not replaced', async (_, harm) => {
  const path = await filled(['the first fact']);
  age(path, 1);
  await runDaily(path);
  const other = startProcess('watch', path);
  await other.printed(1);
  harm(path);
  const before = readFileSync(path);
  await expect(restoreBackup(path, listBackups(path)[0]?.name ?? '')).rejects.toMatchObject({ code: 'STORE_LOCKED' });
  expect(readFileSync(path)).toEqual(before);
  await other.end();
});

test('a damaged backup, an unknown name and the file of another program are not restored', async () => {
  const path = await filled(['the first fact']);
  age(path, 1);
  await runDaily(path);
  const [backup] = listBackups(path);
  const bytes = readFileSync(backup?.path ?? '');
  bytes.fill(0x55, 6 * 4096, 7 * 4096);
  writeFileSync(backup?.path ?? '', bytes);
  const text = `${temporaryDirectory()}/notes.txt`;
  writeFileSync(text, 'no memory '.repeat(1000));
  const before = readFileSync(path);
  await expect(restoreBackup(path, backup?.name ?? '')).rejects.toMatchObject({ code: 'CORRUPT_STORE' });
  await expect(restoreBackup(path, text)).rejects.toMatchObject({ code: 'CORRUPT_STORE' });
  await expect(restoreBackup(path, '2020-01-01T00-00-00Z')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect(readFileSync(path)).toEqual(before);
});

test('forgotten text stays in backups until the date of the answer, and goes with the first backup after it', async () => {
  const path = await filled(['the REMOVED fact', 'another fact']);
  const holders = (): string[] =>
    listBackups(path).flatMap(({ name, path: file }) => (readFileSync(file).includes('REMOVED') ? [name] : []));
  const change = async (text: string): Promise<void> => {
    const memory = open(path);
    await memory.facts.remember(text);
    await memory.close();
  };
  for (const text of ['first', 'second', 'third']) {
    age(path, 1);
    await change(text);
    await runDaily(path);
  }
  expect(holders()).toHaveLength(3);
  age(path, 1);
  const memory = open(path);
  const { facts } = await memory.facts.recall({ query: 'REMOVED' });
  const { erased, backups } = await memory.facts.forget(facts[0]?.id ?? '');
  await memory.close();
  const until = new Date((Math.floor(Date.now() / DAY_MS) + 8) * DAY_MS).toISOString().slice(0, 10);
  expect({ erased, backups }).toEqual({ erased: 'done', backups: `until ${until}` });
  await runDaily(path);
  expect(listBackups(path)).toHaveLength(4);
  // Before the date, the earlier backups are useful.
  age(path, 5);
  await runDaily(path);
  expect(holders()).toHaveLength(3);
  age(path, 3);
  await runDaily(path);
  expect(holders()).toEqual([]);
  expect(listBackups(path).length).toBeGreaterThan(0);
  const last = open(path);
  const { facts: others } = await last.facts.list();
  // Of this fact there are backups too, and the date is a later one.
  expect((await last.facts.forget(others[0]?.id ?? '')).backups).toBe(`until ${until}`);
});

test('without backups the answer of a removal has no date', async () => {
  const path = await filled(['a fact']);
  const memory = open(path);
  const { facts } = await memory.facts.list();
  expect(await memory.facts.forget(facts[0]?.id ?? '')).toEqual({ forgotten: true, erased: 'done' });
  expect(await memory.forget({ everything: true })).toEqual({ removed: 0, erased: 'done', problems: [] });
});

/** A store with a backup that has a forgotten text, and the files in its directory of backups that have it. */
async function forgotten(): Promise<{ readonly path: string; readonly holders: () => string[] }> {
  const path = await filled(['the REMOVED fact', 'another fact']);
  age(path, 1);
  await runDaily(path);
  const memory = open(path);
  const { facts } = await memory.facts.recall({ query: 'REMOVED' });
  expect((await memory.facts.forget(facts[0]?.id ?? '')).backups).toMatch(/^until /u);
  await memory.close();
  const holders = (): string[] =>
    files(path).filter((name) => readFileSync(`${path}-backups/${name}`).includes('REMOVED'));
  expect(holders()).toHaveLength(1);
  return { path, holders };
}

/** Overwrites the pages of records, so that no copy of the store is made. */
function damagePages(path: string): void {
  const bytes = readFileSync(path);
  bytes.fill(0x55, 4096 * 4);
  writeFileSync(path, bytes);
}

test.each<readonly [what: string, change: (path: string) => unknown, code: number]>([
  ['the store is damaged', damagePages, 3],
  ['the damage was noted within a day', async (path) => (damagePages(path), runDaily(path)), 3],
  ['no page of the store can be read', (path) => writeFileSync(path, Buffer.alloc(20_000, 0x55)), 3],
  [
    'the store has no times, as one from a salvaged copy',
    (path) => {
      const database = new DatabaseSync(path);
      database.exec(`UPDATE state SET forgotten = '[]'`);
      database.close();
    },
    0,
  ],
  ['an earlier backup was restored', async (path) => restoreBackup(path, listBackups(path)[0]?.name ?? ''), 0],
])('backups with forgotten text go on the date of the answer when %s', async (_, change, code) => {
  const { path } = await forgotten();
  const times = JSON.parse(readFileSync(`${path}-backups/forgotten.json`, 'utf8')) as number[];
  await change(path);
  for (const backup of listBackups(path).toReversed()) {
    renameSync(backup.path, backup.path.replace(backup.name, nameDaysBefore(backup.time)));
  }
  writeFileSync(`${path}-backups/forgotten.json`, JSON.stringify(times.map((time) => time - 9 * DAY_MS)));
  // What a restore replaced is from after the removal.
  const isOld = ({ time }: { readonly time: number }): boolean => time <= Math.max(...times) - 9 * DAY_MS;
  expect(listBackups(path).some(isOld)).toBe(true);
  expect(await runDaily(path)).toBe(code);
  expect(listBackups(path).some(isOld)).toBe(false);
});

function nameDaysBefore(time: number): string {
  return `${new Date(time - 9 * DAY_MS).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

test('the answer has a date as long as a backup from before is left, however old it is', async () => {
  const { path, holders } = await forgotten();
  age(path, 30);
  const memory = open(path);
  const { facts } = await memory.facts.list();
  await memory.facts.forget(facts[0]?.id ?? '');
  await memory.close();
  await runDaily(path);
  expect(holders()).toEqual([]);
});

test('a backup that was made while the clock was ahead has a date, too', async () => {
  const path = await filled(['the REMOVED fact']);
  age(path, 1);
  await runDaily(path);
  age(path, -3);
  const memory = open(path);
  const { facts } = await memory.facts.list();
  const { backups = '' } = await memory.facts.forget(facts[0]?.id ?? '');
  expect(Date.parse(backups.replace('until ', ''))).toBeGreaterThan(Date.now() + 10 * DAY_MS);
});

test('what a killed restore left is in the directory of the backups, counts as a backup, and goes', async () => {
  const path = await filled(['the REMOVED fact', 'another fact']);
  age(path, 1);
  await runDaily(path);
  const [backup] = listBackups(path);
  const left = `${path}-backups/restored.abc.tmp`;
  renameSync(backup?.path ?? '', left);
  const memory = open(path);
  const { facts } = await memory.facts.recall({ query: 'REMOVED' });
  expect((await memory.facts.forget(facts[0]?.id ?? '')).backups).toMatch(/^until /u);
  await memory.close();
  age(path, 9);
  // No other reason to run: there are backups of today, in each second in which the next one can begin.
  const later = open(path);
  const nowMs = Date.now();
  const pathOf = (seconds: number): string => {
    const time = new Date(nowMs + seconds * 1000).toISOString().slice(0, 19).replaceAll(':', '-');
    return `${path}-backups/${time}Z.db`;
  };
  await later.backup(pathOf(0));
  await later.close();
  for (let seconds = 1; seconds < 7; seconds++) copyFileSync(pathOf(0), pathOf(seconds));
  expect(await runDaily(path)).toBe(0);
  expect(existsSync(left)).toBe(false);
});

test('while a backup is restored, nothing next to the store has a copy', async () => {
  const path = await filled(Array.from({ length: 300 }, (_, index) => `fact ${index} ${'x'.repeat(2000)}`));
  age(path, 1);
  await runDaily(path);
  const seen = new Set<string>();
  let isRunning = true;
  const watch = async (): Promise<void> => {
    while (isRunning) {
      for (const name of readdirSync(dirname(path))) seen.add(name);
      await delay(1);
    }
  };
  const watching = watch();
  await restoreBackup(path, listBackups(path)[0]?.name ?? '');
  isRunning = false;
  await watching;
  expect([...seen].filter((name) => name.includes('.tmp'))).toEqual([]);
});

test('a restore returns the number of records that the store did not have anymore', async () => {
  const { path } = await forgotten();
  const [backup] = listBackups(path);
  expect(await restoreBackup(path, backup?.name ?? '')).toMatchObject({ returned: 1, isDamaged: false });
  expect(await restoreBackup(path, backup?.name ?? '')).toMatchObject({ returned: 0 });
  damagePages(path);
  expect(await restoreBackup(path, backup?.name ?? '')).toMatchObject({ isDamaged: true });
});

test('a store that a relative link names is restored, and its backups are next to the file', async () => {
  const path = await filled(['the first fact']);
  age(path, 1);
  await runDaily(path);
  const root = temporaryDirectory();
  symlinkSync(relative(root, path), `${root}/link.db`);
  const memory = open(`${root}/link.db`);
  await memory.facts.remember('a later fact');
  await memory.close();
  expect(listBackups(`${root}/link.db`)).toHaveLength(1);
  await restoreBackup(`${root}/link.db`, listBackups(path)[0]?.name ?? '');
  expect(readdirSync(root)).toEqual(['link.db']);
  expect(lstatSync(`${root}/link.db`).isSymbolicLink()).toBe(true);
  expect((await open(path).facts.list()).total).toBe(1);
});

test('a damage note is about the file that was damaged, and not about one that replaced it', async () => {
  const path = await filled(Array.from({ length: 50 }, (_, index) => `fact ${index} ${'x'.repeat(600)}`));
  const copy = readFileSync(path);
  age(path, 1);
  const database = new DatabaseSync(path);
  database.exec(`UPDATE entries SET body = replace(body, 'xxx', 'yyy') WHERE body LIKE '%fact 7 %'`);
  database.close();
  expect(await runDaily(path)).toBe(3);
  const notices = async (): Promise<unknown> => {
    const memory = open(path);
    await memory.facts.list({ limit: 1 });
    const found = memory.backend.notices?.();
    await memory.close();
    return found;
  };
  expect(await notices()).toMatchObject([{ code: 'DAMAGED', message: expect.stringContaining('found damage on 20') }]);
  writeFileSync(`${path}.new`, copy, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  expect(await notices()).toEqual([]);
});

test('a backup that is opened as a store gets no backups and no reserve', async () => {
  const path = await filled();
  age(path, 1);
  await runDaily(path);
  age(path, 3);
  const [backup] = listBackups(path);
  const memory = open(backup?.path ?? '', true);
  await memory.facts.list();
  await memory.close();
  expect(files(path)).toEqual([`${backup?.name}.db`, 'lock']);
});
