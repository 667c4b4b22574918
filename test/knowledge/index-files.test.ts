/** The index of a real store: multiple processes, kills, a full disk, and an older copy of the store. */
import { createKnowledge, parseLine } from '@cairn/knowledge';
import { headOf } from '@cairn/knowledge/internal';
import type { Knowledge } from '@cairn/knowledge';
import { memory } from '@cairn/memory/memory';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { childEnv, startScript } from '../memory/child-process.ts';

const KILLS = Number(process.env['CAIRN_KNOWLEDGE_KILLS'] ?? 10);
const PROCESSES = 3;
const ASSETS = 15;
const script = fileURLToPath(new URL('index-child.ts', import.meta.url));

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-index-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

function open(directory: string): Knowledge {
  const knowledge = createKnowledge({ directory, env: {} });
  onTestFinished(() => knowledge.close());
  return knowledge;
}

/** Returns the ids of the assets in `AGENTS-INDEX.md`, and checks that it is whole. */
function readIds(directory: string): string[] | undefined {
  const path = join(directory, 'AGENTS-INDEX.md');
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  const lines = text.split('\n');
  const [start, end] = ['<!-- INDEX_START -->', '<!-- INDEX_END -->'].map((mark) => lines.indexOf(mark));
  const ids = lines.slice((start ?? 0) + 1, end).map((line) => {
    const parsed = parseLine(line);
    return `${parsed?.productLine}/${parsed?.name}`;
  });
  expect(text).toContain(`Total assets: ${ids.length} (L1: ${ids.length}, L2: 0)\n`);
  expect(text).toMatch(/- \*\*skill\*\*: [^\n]+\n$/u);
  return ids.toSorted();
}

const draft = { name: 'redis', type: 'reference', title: 'Redis', body: 'Use it.' } as const;

test('a removed asset is in no file when the knowledge is closed', async () => {
  const directory = makeDirectory();
  const knowledge = open(directory);
  await knowledge.store.add({ ...draft, title: 'Needle in the title', tags: ['needle-tag'], body: 'needle body' });
  await knowledge.index.flush();
  const files = (): string =>
    readdirSync(directory)
      .map((name) => readFileSync(join(directory, name), 'latin1'))
      .join('');
  expect(files()).toMatch(/needle/iu);
  await knowledge.store.remove('general/redis');
  await knowledge.close();
  expect(readIds(directory)).toEqual([]);
  expect(files()).not.toMatch(/needle/iu);
});

test('a full disk fails the writing of the index, which stays valid, and is written when there is room', async (context) => {
  const root = makeDirectory();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', root], { encoding: 'utf8' });
  if (mounted.status !== 0) return context.skip('a file system can be mounted only by its administrator');
  onTestFinished(() => void spawnSync('umount', ['--lazy', root]));
  // The store is elsewhere: its full disk has tests of its own.
  const backend = memory();
  const open = (): Knowledge => createKnowledge({ directory: join(root, 'knowledge'), backend, env: {} });
  const knowledge = open();
  await knowledge.store.add(draft);
  await knowledge.index.flush();
  const directory = join(root, 'knowledge');
  const before = readFileSync(join(directory, 'AGENTS-INDEX.md'), 'utf8');
  const filler = join(root, 'filler');
  expect(() => writeFileSync(filler, Buffer.alloc(4 * 1024 * 1024))).toThrow('ENOSPC');
  await knowledge.store.add({ ...draft, name: 'valkey', body: 'Use that.' });
  await expect(knowledge.index.flush()).rejects.toMatchObject({ code: 'STORE_FAILED', cause: { code: 'ENOSPC' } });
  expect(readFileSync(join(directory, 'AGENTS-INDEX.md'), 'utf8')).toBe(before);
  expect(readdirSync(directory)).toEqual(['AGENTS-INDEX.md']);
  // The store has it, and so have all answers.
  expect((await knowledge.index.list()).total).toBe(2);
  rmSync(filler);
  await knowledge.index.close();
  expect(readIds(directory)).toEqual(['general/redis', 'general/valkey']);
  await knowledge.close();
});

test(`${PROCESSES} processes add assets at once: the index has all of them when the last one has written`, async () => {
  const directory = makeDirectory();
  const writers = Array.from({ length: PROCESSES }, (_, number) =>
    startScript(script, [directory, `writer-${number}`, `${ASSETS}`], { env: { ...childEnv, CAIRN_WAIT: '1' } }),
  );
  for (const writer of writers) await writer.printed(1);
  for (const { child } of writers) child.stdin?.end('go\n');
  for (const { ended } of writers) expect(await ended).toMatchObject({ code: 0, stderr: '' });
  const added = writers.flatMap(({ lines }) => lines.slice(1));
  expect(added).toHaveLength(PROCESSES * ASSETS);
  expect(readIds(directory)).toEqual(added.toSorted());
  expect(readdirSync(directory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test(`a process that is killed ${KILLS} times leaves a whole index, and the next one completes it`, async () => {
  const directory = makeDirectory();
  const added: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const writer = startScript(script, [directory, `writer-${kill}`]);
    // A different number of assets each time, and some time within the next one.
    await writer.printed(2 + (kill % 3));
    for (let turn = 0; turn < kill * 7; turn++) await new Promise((resolve) => setImmediate(resolve));
    writer.child.kill('SIGKILL');
    await writer.ended;
    added.push(...writer.lines.slice(1));
    const ids = new Set(readIds(directory));
    for (const id of added) expect(ids).toContain(id);
  }
  const knowledge = open(directory);
  await knowledge.index.flush();
  const stored = (await knowledge.store.changes()).changed.map(({ asset }) => asset.id).toSorted();
  expect(readIds(directory)).toEqual(stored);
});

test.each([
  ['other assets', (knowledge: Knowledge) => knowledge.store.add({ ...draft, name: 'kafka', body: 'Two.' })],
  ['the same asset', (knowledge: Knowledge) => knowledge.store.change('general/redis', { body: 'It has three.' })],
  ['nothing', () => Promise.resolve()],
] as const)(
  'an older copy of the store is put back, and %s changed as often: the index follows it',
  async (_, change) => {
    const directory = makeDirectory();
    const copy = join(makeDirectory(), 'knowledge.db');
    const first = createKnowledge({ directory, env: {} });
    await first.store.add(draft);
    await first.close();
    copyFileSync(join(directory, 'knowledge.db'), copy);
    const second = createKnowledge({ directory, env: {} });
    await second.store.change('general/redis', { body: 'It has one.', fields: { title: 'Redis of the future' } });
    await second.close();
    copyFileSync(copy, join(directory, 'knowledge.db'));
    const third = open(directory);
    await change(third);
    await third.index.flush();
    const { changed } = await third.store.changes();
    const heads = changed.map(({ asset }) => headOf(asset));
    expect(third.index.heads()).toEqual(expect.arrayContaining(heads));
    expect(third.index.heads()).toHaveLength(heads.length);
    expect(readIds(directory)).toEqual(heads.map(({ id }) => id).toSorted());
    expect(readFileSync(join(directory, 'AGENTS-INDEX.md'), 'utf8')).not.toContain('future');
  },
);
