/**
 * How fast are the tree of a workspace and the contents of its files?
 *
 *     npm run bench -- workspace [--tree <directory>] [--rounds 15]
 *
 * The first tree is compared with an uncached `glob` that visits every entry and returns none. The tree after a write is made
 * after the `write` tool changed one file of a directory, and after it made a new one; the write itself is not timed. Reads of the content cache check each
 * file by its attributes. Short calls are repeated within a turn. Which contestant is first changes from round to round. The default
 * tree is the source of Linux; files are created in its `kernel` directory, and removed.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createCodingTools, createWorkspace } from '@cairn/coding-agent';
import { fsScanCacheStats, glob, invalidateFsScanCache } from '@cairn/natives';
import { createWorkspaceCache } from '@cairn/workspace-cache';
import { kernel } from '../lib/corpora/kernel.ts';
import { sample } from '../lib/sample.ts';
import { median } from '../lib/statistics.ts';

const { values } = parseArgs({ options: { tree: { type: 'string' }, rounds: { type: 'string', default: '15' } } });
const root = values.tree === undefined ? await kernel() : resolve(values.tree);
const rounds = Number(values.rounds);

const FILES = 1000;
const LINE_BYTES = 64;
const LINES = 128;
const SETTLE_MS = 3000;

interface Contestant {
  readonly name: string;
  /** Before each run; not timed. */
  readonly prepare?: () => void | Promise<void>;
  readonly run: () => Promise<unknown>;
}

interface Times {
  readonly median: number;
  readonly minimum: number;
}

/** Times contestants in turn. The first round warms up. */
async function race<const Contestants extends readonly Contestant[]>(
  contestants: Contestants,
): Promise<{ [Index in keyof Contestants]: Times }> {
  const times = new Map(contestants.map(({ name }) => [name, [] as number[]]));
  for (let round = -1; round < rounds; round++) {
    for (const { name, prepare, run } of round % 2 === 0 ? contestants : contestants.toReversed()) {
      const trial = {
        arm: async () => prepare?.(),
        run: async () => {
          await run();
          return { count: 1 };
        },
      };
      const { ms } = await sample(trial);
      if (round >= 0) times.get(name)?.push(ms);
    }
  }
  return contestants.map(({ name }) => {
    const own = times.get(name) ?? [];
    return { median: median(own), minimum: Math.min(...own) };
  }) as { [Index in keyof Contestants]: Times };
}

function text({ median, minimum }: Times): string {
  return `median ${median.toFixed(2)} ms, minimum ${minimum.toFixed(2)} ms`;
}

function print(what: string, figures: string, goal: string, isMet: boolean): void {
  process.stdout.write(`${what}: ${figures}; goal ${goal}: ${isMet ? 'met' : 'MISSED'}\n`);
}

async function firstTree(): Promise<void> {
  const [tree, scan] = await race([
    {
      name: 'tree',
      prepare: () => invalidateFsScanCache(),
      run: () => createWorkspaceCache({ root }).tree(),
    },
    {
      name: 'glob',
      prepare: () => invalidateFsScanCache(),
      run: () => glob({ pattern: '**/a name that no file has', path: root, hidden: true }),
    },
  ]);
  const ratio = tree.median / scan.median;
  const figures = `${text(tree)}, glob without a result ${text(scan)}, ratio ${ratio.toFixed(2)}`;
  print('first tree', figures, 'ratio 1.3', ratio <= 1.3);
}

async function laterTrees(directory: string): Promise<void> {
  const workspace = createWorkspace({ root, stateDirectory: join(directory, 'state') });
  const cache = createWorkspaceCache({ root, workspace });
  const { write } = createCodingTools({ workspace });
  let number = 0;
  const made: string[] = [];
  const timeWrites = async (name: string, pathOf: (number: number) => string): Promise<void> => {
    const { rescans } = fsScanCacheStats();
    const prepare = async (): Promise<void> => {
      number += 1;
      const path = pathOf(number);
      made.push(path);
      const result = await write.execute({ path, content: `${number}\n` });
      if (result.isError) throw new Error(`the write failed: ${result.details.reason}`);
    };
    const [written] = await race([{ name, prepare, run: () => cache.tree() }]);
    const scans = fsScanCacheStats().rescans - rescans;
    const figures = `${text(written)}, ${scans} scans of the whole tree`;
    print(`tree after ${name}`, figures, '15 ms', written.median <= 15 && scans === 0);
  };
  try {
    await cache.tree();
    const [warm] = await race([{ name: 'warm', run: () => cache.tree() }]);
    print('warm tree', text(warm), '1 ms', warm.median < 1);
    await timeWrites('a write', () => 'kernel/cairn-bench.txt');
    await timeWrites('a new file', (each) => `kernel/cairn-bench-${each}.txt`);
  } finally {
    for (const path of made) rmSync(join(root, path), { force: true });
    await cache.close();
  }
}

/** Reads of all files, in sequence. */
async function reads(directory: string): Promise<void> {
  const files = join(directory, 'files');
  mkdirSync(files);
  const paths = Array.from({ length: FILES }, (_, number) => join(files, `${number}.txt`));
  for (const path of paths)
    writeFileSync(path, `${'a line of a file that is read'.padEnd(LINE_BYTES - 1)}\n`.repeat(LINES));
  // The attributes of a file that was written just now do not show every later write, so the cache reads it again.
  await setTimeout(SETTLE_MS);
  const cache = createWorkspaceCache({ root: files, stateDirectory: join(directory, 'cache-state') });
  const { read } = createCodingTools({ root: files, stateDirectory: join(directory, 'state') });
  const each = (readOne: (path: string) => Promise<unknown>) => async (): Promise<void> => {
    for (const path of paths) await readOne(path);
  };
  await each((path) => cache.content.read(path))();
  const { misses } = cache.content.stats;
  const [cached, tool] = await race([
    { name: 'content', run: each((path) => cache.content.read(path)) },
    { name: 'tool', run: each((path) => read.execute({ path })) },
  ]);
  const ratio = tool.median / cached.median;
  const again = cache.content.stats.misses - misses;
  const figures = `${text(cached)}, the read tool ${text(tool)}, ratio ${ratio.toFixed(1)}, ${again} files read again`;
  print(`${FILES} reads of 8 KiB`, figures, 'ratio 3', ratio >= 3 && again === 0);
  await cache.close();
}

const directory = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
try {
  await firstTree();
  await laterTrees(directory);
  await reads(directory);
} finally {
  rmSync(directory, { recursive: true });
}
