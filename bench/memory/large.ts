import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createMemory } from '@cairn/memory';
import type { MemoryBackend } from '@cairn/memory';
import { median, QUERY, textOf, time } from './texts.ts';
import type { Search } from './texts.ts';

const run = promisify(execFile);
const child = fileURLToPath(new URL('search-child.ts', import.meta.url));
const cairn = fileURLToPath(new URL('../../packages/cli/bin/cairn.js', import.meta.url));

/** The figures of one store with many messages. Times in milliseconds. */
export interface Large {
  readonly what: string;
  readonly addEach: number;
  readonly addBatch: number;
  readonly historyNewest: number;
  readonly historyAll: number;
  /** The first search of a process. */
  readonly first: Search;
  /** The median of the searches after it. */
  readonly next: Search;
  /** `cairn memory search` as a process, next to one of an empty store: the fastest of some. */
  readonly commandMs: number;
  readonly emptyCommandMs: number;
  readonly bytes: number;
  readonly textBytes: number;
}

/** A store, and an empty one of its kind: a file or a URL. */
export interface LargeStore {
  readonly place: string;
  readonly emptyPlace: string;
  readonly open: () => MemoryBackend;
  readonly bytesOf: () => Promise<number>;
  readonly messages: number;
}

/** Searches in a new process. */
async function searchElsewhere(kind: string, place: string, rounds: number): Promise<Search[]> {
  const { stdout } = await run(process.execPath, [child, kind, place, `${rounds}`]);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Search);
}

/** Times `cairn memory search` over several stores in turn: the fastest of some, because other work only ever adds. */
async function timeCommands(kind: string, places: readonly string[]): Promise<number[]> {
  const fastest = places.map(() => Infinity);
  for (let round = 0; round < 9; round++) {
    for (const [index, place] of places.entries()) {
      const store =
        kind === 'redis' ? ['--backend', 'redis', '--url', place, '--project', 'bench'] : ['--store', place];
      const search = ['memory', 'search', QUERY, '--stream', 's', ...store];
      const ms = await time(async () => {
        // Nothing found is a failure of the command.
        await run(process.execPath, [cairn, ...search]).catch(() => undefined);
      });
      fastest[index] = Math.min(fastest[index] ?? Infinity, ms);
    }
  }
  return fastest;
}

/** Adds messages to one group without limits, the first tenth one by one, and searches for them. */
export async function measureLarge(
  kind: 'sqlite' | 'redis',
  { place, emptyPlace, open, bytesOf, messages }: LargeStore,
): Promise<Large> {
  const retention = { maxMessages: Infinity, messageLifetimeMs: Infinity };
  const memory = createMemory({ backend: open(), retention });
  const group = { stream: 's', group: 'g' };
  const single = Math.floor(messages / 10);
  await memory.messages.history(group);
  const each = await time(async () => {
    for (let index = 0; index < single; index++) await memory.messages.add(group, { content: textOf(index) });
  });
  const batch = await time(async () => {
    for (let start = single; start < messages; start += 200) {
      const end = Math.min(start + 200, messages);
      await memory.messages.addAll(
        group,
        Array.from({ length: end - start }, (_, offset) => ({ content: textOf(start + offset) })),
      );
    }
  });
  const newest: number[] = [];
  for (let round = 0; round < 20; round++) newest.push(await time(() => memory.messages.history(group, { limit: 50 })));
  const historyAll = await time(async () => {
    const { length } = await memory.messages.history(group);
    if (length !== messages) throw new Error(`${length} messages instead of ${messages}`);
  });
  await memory.close();
  const [first, ...others] = await searchElsewhere(kind, place, 21);
  const next = others.toSorted((left, right) => left.ms - right.ms)[Math.floor(others.length / 2)];
  if (first === undefined || next === undefined) throw new Error('no search was measured');
  const [commandMs = Infinity, emptyCommandMs = Infinity] = await timeCommands(kind, [place, emptyPlace]);
  const textBytes = Array.from({ length: messages }, (_, index) => Buffer.byteLength(textOf(index))).reduce(
    (a, b) => a + b,
    0,
  );
  return {
    what: kind,
    addEach: each / single,
    addBatch: batch / (messages - single),
    historyNewest: median(newest),
    historyAll,
    first,
    next,
    commandMs,
    emptyCommandMs,
    bytes: await bytesOf(),
    textBytes,
  };
}
