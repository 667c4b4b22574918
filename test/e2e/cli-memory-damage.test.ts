/** Commands on a damaged memory: what is readable is saved, and a backup is restored. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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
