/** A process that changes tables, removes, erases and backs up is killed at random moments. */
import { listsOf } from '@cairn/memory/testing';
import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqlite } from '@cairn/memory/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { filesWith, problemsOf, startProcess } from './sqlite-files.ts';

const KILLS = Number(process.env['CAIRN_MEMORY_KILLS'] ?? 6);

/** The texts that a line of the process names, by what it did. */
function named(lines: readonly string[], what: string): string[] {
  return lines.filter((line) => line.startsWith(`${what} `)).map((line) => line.slice(what.length + 1));
}

test(
  `after each of ${KILLS} kills every acknowledged change is present, whole and erased as stated`,
  async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    const acknowledged: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const one = startProcess('write', path, `run${kill}`);
      await one.printed(2 + Math.floor(Math.random() * 40));
      // A random moment during the current call.
      const timer = setTimeout(() => one.child.kill('SIGKILL'), Math.random() * 30);
      await one.ended;
      clearTimeout(timer);
      expect(one.child.signalCode).toBe('SIGKILL');
      acknowledged.push(...one.lines);

      expect(problemsOf(path)).toEqual([]);
      const before = new DatabaseSync(path);
      const mark = before.prepare('SELECT erasure FROM state').get()?.['erasure'];
      before.close();
      const backend = sqlite({ path });
      onTestFinished(() => backend.close());
      const { rows } = await backend.page('ai:table', { order: 'written', limit: 1_000_000 });
      const ids = new Set(rows.map(({ id }) => id));
      for (const id of named(acknowledged, 'row'))
        expect([...'ab'].every((half) => ids.has(`${id}-${half}`))).toBe(true);
      // Both rows of a change, or none.
      for (const id of ids) expect(ids.has(id.replace(/-[ab]$/u, (half) => (half === '-a' ? '-b' : '-a')))).toBe(true);
      for (let run = 0; run <= kill; run++) {
        const records = await listsOf(backend).list(`ai:list:run${run}`);
        const texts = new Set(records.map((record) => (JSON.parse(record) as { text: string }).text));
        const written = named(acknowledged, 'record').filter((id) => id.startsWith(`run${run}-`));
        expect(written.filter((id) => !texts.has(id))).toEqual([]);
        const removed = named(acknowledged, 'removed').filter((text) => text.startsWith(`REMOVED-run${run}-`));
        expect(removed.filter((text) => records.some((record) => record.includes(text)))).toEqual([]);
      }
      // The opening has finished the erasure that was killed.
      const last = named(one.lines, 'removed').slice(-1);
      const isErased = mark !== null || last.some((text) => one.lines.includes(`erased ${text}`));
      expect(last.flatMap((text) => (isErased ? filesWith(path, text) : []))).toEqual([]);
      await backend.close();
      for (const backup of named(one.lines, 'backup')) {
        expect(existsSync(backup)).toBe(true);
      }
      for (const name of readdirSync(dirname(path)).filter((file) => file.endsWith('.backup'))) {
        expect(problemsOf(`${dirname(path)}/${name}`)).toEqual([]);
      }
    }
  },
  KILLS * 30_000,
);

test('two processes that write, erase and back up at once lose nothing, and leave no erased text', async () => {
  const path = `${temporaryDirectory()}/memory.db`;
  const processes = ['one', 'two'].map((name) => startProcess('write', path, name));
  for (const { printed } of processes) await printed(80);
  for (const { child, ended } of processes) {
    child.kill('SIGKILL');
    await ended;
  }
  const lines = processes.flatMap((one) => one.lines);
  expect(problemsOf(path)).toEqual([]);
  const backend = sqlite({ path });
  onTestFinished(() => backend.close());
  const { rows } = await backend.page('ai:table', { order: 'written', limit: Infinity });
  const ids = new Set(rows.map(({ id }) => id));
  expect(named(lines, 'row').filter((id) => !ids.has(`${id}-a`) || !ids.has(`${id}-b`))).toEqual([]);
  expect(named(lines, 'erased').length).toBeGreaterThan(4);
  expect(named(lines, 'erased').flatMap((text) => filesWith(path, text))).toEqual([]);
  for (const backup of named(lines, 'backup')) expect(problemsOf(backup)).toEqual([]);
});
