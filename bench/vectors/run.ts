/**
 * How long does an exact search of stored vectors take?
 *
 *     npm run bench -- vectors
 *
 * Writes 100,000 vectors of 384 and of 1,024 numbers into a SQLite file, reads them as a new process does, and searches them.
 * Prints the median and the longest of 30 searches, the time of the processor, the longest time in which no other
 * work ran, and the memory of the vectors.
 */
import { rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers';
/* eslint-disable no-restricted-imports -- no entry exports the search that this measures apart from the ranking */
import { sqlite } from '../../packages/memory/src/backends/sqlite.ts';
import { unitNumbers } from '../../packages/memory/src/vectors/numbers.ts';
import { VectorIndex } from '../../packages/memory/src/vectors/vector-index.ts';
import { formatVectors, vectorIdOf } from '../../packages/memory/src/vectors/vector-row.ts';
/* eslint-enable no-restricted-imports */

const COUNT = 100_000;
const SEARCHES = 30;
const ROWS_PER_WRITE = 500;
const KEY = 'ai:facts:user';

/** Numbers that are the same in each run. */
class Random {
  #state = 1;

  next(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) | 0;
    return this.#state / 2 ** 31;
  }

  vector(dimension: number): Int16Array {
    const numbers = Float64Array.from({ length: dimension }, () => this.next());
    return unitNumbers(numbers) ?? new Int16Array(dimension);
  }
}

/** Watches how long other work waits. */
async function watched<T>(
  task: () => Promise<T>,
): Promise<{ readonly result: T; readonly ms: number; readonly blockedMs: number }> {
  const start = performance.now();
  const state = { last: start, blockedMs: 0, isDone: false };
  const tick = (): void => {
    const now = performance.now();
    state.blockedMs = Math.max(state.blockedMs, now - state.last);
    state.last = now;
    if (!state.isDone) setImmediate(tick);
  };
  setImmediate(tick);
  const result = await task();
  state.isDone = true;
  const end = performance.now();
  return {
    result,
    ms: end - start,
    blockedMs: Math.max(state.blockedMs, end - state.last),
  };
}

async function fill(path: string, model: string, dimension: number): Promise<void> {
  const backend = sqlite({ path });
  const random = new Random();
  for (let from = 0; from < COUNT; from += ROWS_PER_WRITE) {
    const rows = Array.from({ length: ROWS_PER_WRITE }, (_, index) => {
      const id = vectorIdOf(`fact_${from + index}`);
      return { id, next: formatVectors({ model, hash: `${from + index}`, vectors: [random.vector(dimension)] }) };
    });
    await backend.change(`ai:vectors:${KEY.slice('ai:'.length)}`, { rows });
  }
  await backend.close();
}

async function measure(dimension: number): Promise<string> {
  const path = join(tmpdir(), `cairn-bench-vectors-${process.pid}-${dimension}.db`);
  const model = `bench (${dimension})`;
  try {
    await fill(path, model, dimension);
    const backend = sqlite({ path });
    const index = new VectorIndex(backend, { model, dimension });
    const before = process.memoryUsage();
    const query = new Random().vector(dimension);
    const cold = await watched(() => index.nearest(query, [KEY], {}));
    if (cold.result.known < COUNT - 1 || cold.result.records[0]?.id !== 'fact_0')
      throw new Error('the search is wrong');
    const after = process.memoryUsage();
    const warm = [];
    for (let count = 0; count < SEARCHES; count++) warm.push(await watched(() => index.nearest(query, [KEY], {})));
    // Without the watch, which uses the processor all the time.
    const cpu = process.cpuUsage();
    for (let count = 0; count < SEARCHES; count++) await index.nearest(query, [KEY], {});
    const { user, system } = process.cpuUsage(cpu);
    const cpuMs = (user + system) / 1000;
    const sorted = warm.map(({ ms }) => ms).toSorted((left, right) => left - right);
    const blocked = Math.max(...warm.map(({ blockedMs }) => blockedMs));
    await backend.close();
    const mib = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`;
    return [
      `${COUNT} x ${dimension}`,
      `${(sorted[SEARCHES / 2] ?? 0).toFixed(1)} ms`,
      `${(sorted.at(-1) ?? 0).toFixed(1)} ms`,
      `${(cpuMs / SEARCHES).toFixed(1)} ms`,
      `${blocked.toFixed(1)} ms`,
      `${Math.round(cold.ms)} ms`,
      `${cold.blockedMs.toFixed(1)} ms`,
      mib(COUNT * dimension * 2),
      mib(after.rss - before.rss),
      mib(statSync(path).size),
    ].join(' | ');
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  }
}

process.stdout.write(
  '| vectors | median | longest | CPU | blocked | first search | blocked | numbers | memory | file |\n',
);
process.stdout.write('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n');
for (const dimension of [384, 1024]) process.stdout.write(`| ${await measure(dimension)} |\n`);
