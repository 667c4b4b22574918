/** Files of another format are left as they are, and the error says what to do. */
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { sqlite } from '@cairn/memory/sqlite';
import { listsOf } from '@cairn/memory/testing';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { draft, forever } from './records.ts';
import { problemsOf, startProcess, writeFormat1 } from './sqlite-files.ts';

test('a file of an earlier format is not changed, and the error names the way to export it', async () => {
  const root = temporaryDirectory();
  const path = `${root}/memory.db`;
  writeFormat1(path);
  chmodSync(path, 0o644);
  const before = [readFileSync(path), readdirSync(root)];
  const backend = sqlite({ path });
  onTestFinished(() => backend.close());
  for (const call of [backend.keys(''), backend.change('ai:x', { rows: [{ id: 'a', next: '1' }] })]) {
    await expect(call).rejects.toMatchObject({
      code: 'CORRUPT_STORE',
      message: expect.stringContaining('cairn memory export'),
      path,
    });
  }
  await backend.close();
  expect([readFileSync(path), readdirSync(root)]).toEqual(before);
  expect(statSync(path).mode & 0o777).toBe(0o644);
});

test('several processes that open a new file at once all use it', async () => {
  const path = `${temporaryDirectory()}/memory.db`;
  const processes = Array.from({ length: 6 }, (_, index) => startProcess('open', path, `${index}`));
  for (const one of processes) await one.printed(1);
  for (const one of processes) one.child.stdin?.end();
  for (const one of processes) expect(await one.ended).toMatchObject({ code: 0, stderr: '' });
  const backend = sqlite({ path });
  onTestFinished(() => backend.close());
  expect(await backend.keys('ai:process:')).toHaveLength(6);
  expect(problemsOf(path)).toEqual([]);
});

test('a file whose format changes while it is open is not written', async () => {
  const path = `${temporaryDirectory()}/memory.db`;
  const backend = sqlite({ path });
  onTestFinished(() => backend.close());
  await listsOf(backend).append('ai:list', [draft('a')], { rule: forever });
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  // As a newer version does.
  other.exec('PRAGMA user_version = 6');
  await expect(listsOf(backend).append('ai:list', [draft('b')], { rule: forever })).rejects.toMatchObject({
    code: 'CORRUPT_STORE',
    message: expect.stringContaining('another format'),
  });
  expect(other.prepare('SELECT count(*) AS count FROM entries').get()?.['count']).toBe(1);
});
