/** A full disk: nothing can be remembered, and what is to be forgotten is forgotten. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createMemory } from '@cairn/memory';
import type { Memory } from '@cairn/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import type { TestContext } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { filesWith, problemsOf } from './sqlite-files.ts';

/** Mounts a disk of a few mebibytes. Only some users may. */
function smallDisk(context: TestContext, size: string): string {
  const root = temporaryDirectory();
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', root], {
    encoding: 'utf8',
  });
  context.skip(status !== 0, `no small disk can be mounted here: ${stderr}`);
  onTestFinished(() => {
    spawnSync('umount', ['--lazy', root]);
  });
  return root;
}

/** Fills a disk to its last byte. */
function fill(root: string): void {
  const filler = `${root}/filler`;
  writeFileSync(filler, '');
  for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) appendFileSync(filler, Buffer.alloc(size, 1));
    } catch {
      // It does not fit.
    }
  }
}

function open(path: string): Memory {
  const memory = createMemory({ backend: sqlite({ path }), project: 'p' });
  onTestFinished(() => memory.close());
  return memory;
}

async function filled(path: string, count: number): Promise<string> {
  const memory = open(path);
  const facts = Array.from({ length: count }, (_, index) => {
    const fact = {
      id: `f${index}`,
      text: `fact ${index} of redis ${'x'.repeat(500)}`,
      tags: [],
      createdAt: 1,
      updatedAt: 1,
    };
    return JSON.stringify({ kind: 'fact', scope: 'project', project: 'p', fact });
  });
  await memory.import(facts);
  const { fact } = await memory.facts.remember('the REMOVED fact of redis');
  await memory.close();
  return fact.id;
}

test.for([
  ['a small store', '3m', 5],
  // The whole file would not fit into the reserve.
  ['a larger store', '16m', 1000],
] as const)('%s on a full disk forgets a fact, and remembers none', async ([, size, count], context) => {
  const root = smallDisk(context, size);
  const path = `${root}/memory.db`;
  const id = await filled(path, count);
  fill(root);
  const memory = open(path);
  expect((await memory.facts.list({ limit: 1 })).total).toBe(count + 1);
  await expect(memory.facts.remember(`a new fact ${'y'.repeat(400_000)}`)).rejects.toMatchObject({
    code: 'STORE_FULL',
  });
  expect(await memory.facts.forget(id)).toEqual({ forgotten: true, erased: 'done' });
  await memory.close();
  const again = open(path);
  await expect(again.facts.get(id)).rejects.toMatchObject({ code: 'UNKNOWN_FACT' });
  expect((await again.facts.list({ limit: 1 })).total).toBe(count);
  await again.close();
  rmSync(`${root}/filler`);
  expect(problemsOf(path)).toEqual([]);
  const last = open(path);
  await last.facts.list({ limit: 1 });
  await last.close();
  expect(filesWith(path, 'REMOVED')).toEqual([]);
  expect(existsSync(`${path}-reserve`)).toBe(true);
  expect(statSync(`${path}-reserve`).mode & 0o777).toBe(0o600);
});

test('a store that is only read gets no reserve, and one that was written has it when it is closed', async () => {
  const path = `${temporaryDirectory()}/memory.db`;
  await filled(path, 1000);
  expect(statSync(`${path}-reserve`).size).toBe(1024 * 1024);
  rmSync(`${path}-reserve`);
  const reader = open(path);
  await reader.facts.list();
  await reader.facts.recall({ query: 'redis' });
  await reader.close();
  expect(existsSync(`${path}-reserve`)).toBe(false);
});
