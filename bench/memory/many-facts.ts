/**
 * What a page of facts, the start block and `forget` cost with few and with many facts of up to 2 KB.
 *
 *     node bench/memory/many-facts.ts [--counts 100,100000] [--redis-url redis://127.0.0.1:6379/5]
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { createMemory } from '@cairn/memory';
import type { MemoryBackend } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { redis } from '@cairn/memory/redis';
import { sqlite } from '@cairn/memory/sqlite';
import { median, time } from './texts.ts';

const { values } = parseArgs({
  options: { counts: { type: 'string', default: '100,100000' }, 'redis-url': { type: 'string' } },
});
const ROUNDS = 15;
const PROJECT = 'p';
const START_MS = Date.parse('2026-01-01');

function textOf(index: number): string {
  const words = Array.from({ length: 10 + (index % 280) }, (_, at) => `word${(index * 31 + at * 17) % 5000}`);
  return `fact ${index}: ${words.join(' ')}`.slice(0, 2048);
}

function* linesOf(count: number): Generator<string> {
  yield JSON.stringify({ kind: 'header', version: 2 });
  for (let index = 0; index < count; index++) {
    const fact = {
      id: `fact_${index}`,
      text: textOf(index),
      tags: [`tag-${index % 50}`],
      ...(index % 1000 === 1 && { pinned: true }),
      shared: true,
      createdAt: START_MS + index,
    };
    yield JSON.stringify({ kind: 'fact', scope: 'project', project: PROJECT, fact });
  }
}

async function measure(name: string, open: () => MemoryBackend, count: number): Promise<string> {
  const memory = createMemory({ backend: open(), project: PROJECT });
  const { facts } = memory;
  const [header = ''] = await first(memory.export());
  const lines = [header, ...[...linesOf(count)].slice(1)];
  const imported = await time(() => memory.import(lines));
  const rounds = async (run: (round: number) => Promise<unknown>): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await time(() => run(round)));
    return median(times);
  };
  const list = await rounds(() => facts.list({ limit: 20 }));
  const tag = await rounds(() => facts.list({ limit: 20, tags: ['tag-7'] }));
  const archived = await rounds(() => facts.list({ limit: 20, archived: true }));
  // Another size is another block: one that is kept costs less.
  const start = await rounds((round) => facts.startBlock({ maxCharacters: 2000 + round }));
  const forget = await rounds((round) => facts.forget(`fact_${round + 5}`));
  await memory.close();
  const cells = [list, tag, archived, start, forget].map((ms) => `${ms.toFixed(1)} ms`);
  return `| ${[name, count, ...cells, `${(imported / 1000).toFixed(0)} s`].join(' | ')} |`;
}

async function first(lines: AsyncIterable<string>): Promise<string[]> {
  for await (const line of lines) return [line];
  return [];
}

const directory = mkdtempSync(join(tmpdir(), 'cairn-bench-facts-'));
try {
  const head = ['store', 'facts', 'list of 20', 'of a tag', 'archived', 'start block', '`forget`', 'import'];
  process.stdout.write(`| ${head.join(' | ')} |\n|${head.map(() => ' --- |').join('')}\n`);
  for (const count of values.counts.split(',').map(Number)) {
    process.stdout.write(`${await measure('in process', () => inProcess(), count)}\n`);
    const path = join(directory, `${count}.db`);
    process.stdout.write(`${await measure('SQLite', () => sqlite({ path }), count)}\n`);
    process.stdout.write(`<!-- ${(statSync(path).size / 1024 / 1024).toFixed(0)} MiB -->\n`);
    const url = values['redis-url'];
    if (url !== undefined) {
      const open = (): MemoryBackend => redis({ url, timeoutMs: 60_000 });
      const clear = createMemory({ backend: open(), project: PROJECT });
      for (const { key } of await clear.backend.keys('')) await clear.backend.change(key, { removes: 'all' });
      await clear.close();
      process.stdout.write(`${await measure('Redis', open, count)}\n`);
    }
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
