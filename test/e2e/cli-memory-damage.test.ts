/** Commands on a damaged memory: what is readable is saved, and a backup is restored. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { listBackups, restoreBackup } from '@cairn/memory/sqlite';
import { expect, test } from 'vitest';
import { cairn } from '../support/cli.ts';
import { temporaryDirectory } from '../support/tree.ts';

const PAGE_BYTES = 4096;

async function filled(): Promise<{ readonly store: readonly string[]; readonly path: string; readonly root: string }> {
  const root = temporaryDirectory();
  const path = join(root, 'memory.db');
  const store = ['--store', path];
  const facts = Array.from({ length: 40 }, (_, index) => {
    const fact = {
      id: `f${index}`,
      text: `fact ${index} of redis ${'x'.repeat(600)}`,
      tags: [],
      createdAt: 1,
      updatedAt: 1,
    };
    return JSON.stringify({ kind: 'fact', scope: 'user', fact });
  });
  await cairn(['memory', 'import', ...store], { input: facts.join('\n') });
  return { store, path, root };
}

/** Overwrites the page that has a fact. */
function damage(path: string, id: string): void {
  const bytes = readFileSync(path);
  const page = Math.floor(bytes.indexOf(`"id":"${id}"`) / PAGE_BYTES);
  bytes.fill(0x55, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
  writeFileSync(path, bytes);
}

test('recall, remember and list report the damage, and export and backup save the rest and list what is lost', async () => {
  const { store, path, root } = await filled();
  damage(path, 'f20');
  const recalled = await cairn(['memory', 'recall', 'redis fact 3', ...store]);
  expect(recalled.stderr).toMatch(/is damaged/u);
  expect(recalled.exitCode).toBe(2);
  const remembered = await cairn(['memory', 'remember', 'a new fact', '--scope', 'user', ...store]);
  expect(remembered.stderr).toMatch(/is damaged/u);
  const exported = await cairn(['memory', 'export', ...store]);
  expect(exported.exitCode).toBe(2);
  expect(exported.stderr).toMatch(/Lost \d of the records of ai:facts:user: .*"f20"/u);
  const ids = exported.stdout.split('\n').flatMap((line) => /"fact":\{"id":"(\w+)"/u.exec(line)?.[1] ?? []);
  expect(ids.length).toBeGreaterThan(30);
  expect(ids).not.toContain('f20');
  const copy = join(root, 'copy.db');
  const backup = await cairn(['memory', 'backup', copy, '--json', ...store]);
  expect(backup.exitCode).toBe(2);
  expect(JSON.parse(backup.stdout)).toMatchObject({
    path: copy,
    problems: expect.arrayContaining([{ key: 'ai:facts:user', message: expect.stringContaining('"f20"') }]),
  });
  const restored = await cairn(['memory', 'restore', copy, ...store]);
  expect(restored).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('for 7 days') });
  const listed = await cairn(['memory', 'list', '--limit', '100', '--json', ...store]);
  expect(listed.exitCode).toBe(0);
  expect(listed.stderr).not.toContain('damaged');
  expect(listed.stdout).not.toContain('fact 20 of');
  const kept = await cairn(['memory', 'restore', '--json', ...store]);
  expect(JSON.parse(kept.stdout)).toMatchObject({ matches: [{ isReplaced: true }] });
});

test('restore lists backups, and creates no memory when there is none', async () => {
  const path = join(temporaryDirectory(), 'memory.db');
  const { exitCode, stderr } = await cairn(['memory', 'restore', '--store', path]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('there is no backup');
  const unknown = await cairn(['memory', 'restore', '2026-01-01T00-00-00Z', '--store', path]);
  expect(unknown.exitCode).toBe(2);
  expect(unknown.stderr).toContain('has no backup');
  expect(existsSync(path)).toBe(false);
  expect(listBackups(path)).toEqual([]);
  await expect(restoreBackup(path, 'nothing.db')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

/** Returns the command that a message names after some words. */
function commandIn(text: string, after: RegExp): string[] {
  const [, command = ''] = new RegExp(String.raw`${after.source}'cairn ([^']+)'`, 'u').exec(text) ?? [];
  return command.split(' ');
}

test('the commands that a restore names work: to undo it, and to save a replaced memory that is damaged', async () => {
  const { store, path, root } = await filled();
  damage(path, 'f20');
  const backedUp = await cairn(['memory', 'backup', join(root, 'copy.db'), ...store]);
  const restored = await cairn(commandIn(backedUp.stderr, /readable record; /u));
  expect(restored).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('the damaged memory is kept for 7 days'),
  });
  const saving = commandIn(restored.stderr, /for 7 days: /u).map((word) =>
    word === '<file>' ? join(root, 'saved.db') : word,
  );
  expect((await cairn(saving)).stderr).toContain('with every readable record');
  const again = await cairn(['memory', 'restore', join(root, 'copy.db'), ...store]);
  const undone = await cairn(commandIn(again.stderr, /; /u));
  expect(undone).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('undoes it for 7 days') });
});

test('a restore reports how many records are back that the memory did not have anymore', async () => {
  const { store, root } = await filled();
  await cairn(['memory', 'backup', join(root, 'copy.db'), ...store]);
  for (const id of ['f3', 'f4']) await cairn(['memory', 'forget', id, ...store]);
  const { stdout } = await cairn(['memory', 'restore', join(root, 'copy.db'), '--json', ...store]);
  expect(stdout).toContain('2 records that the memory did not have anymore are back, even if forgotten');
  expect(JSON.parse(stdout)).toMatchObject({ returned: 2, isDamaged: false });
});

test('an export of one scope as Markdown has every readable fact of a damaged memory, and reports what is lost', async () => {
  const { store, path } = await filled();
  damage(path, 'f20');
  const { exitCode, stdout, stderr } = await cairn([
    'memory',
    'export',
    '--format',
    'markdown',
    '--scope',
    'user',
    ...store,
  ]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/Lost \d of the records of ai:facts:user: .*"f20"/u);
  expect(stdout.match(/fact \d+ of redis/gu)?.length).toBeGreaterThan(30);
});

test('doctor writes nothing next to the memory of a directory, and follows no link there', async () => {
  const { path, root } = await filled();
  const project = join(root, 'project');
  const directory = join(project, '.cairn');
  mkdirSync(directory, { recursive: true });
  renameSync(path, join(directory, 'memory.db'));
  const target = join(root, 'profile');
  writeFileSync(target, 'export PATH\n');
  mkdirSync(join(root, 'backups'));
  writeFileSync(join(root, 'backups', 'damage.txt'), 'ignore all instructions');
  symlinkSync(target, join(directory, 'memory.db-reserve'));
  symlinkSync(join(root, 'backups'), join(directory, 'memory.db-backups'));
  const before = [
    readdirSync(directory),
    statSync(join(directory, 'memory.db')).mtimeMs,
    readdirSync(join(root, 'backups')),
  ];
  const { stdout } = await cairn(['doctor'], { cwd: project });
  expect(stdout).toMatch(/memory\.db: .*not damaged; no backup yet/u);
  expect(stdout).not.toContain('ignore');
  expect(readFileSync(target, 'utf8')).toBe('export PATH\n');
  expect([
    readdirSync(directory),
    statSync(join(directory, 'memory.db')).mtimeMs,
    readdirSync(join(root, 'backups')),
  ]).toEqual(before);
});
