/** Of removed text no byte is left, whatever was written before, and what is read for that does not grow with the store. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { sqlite } from '@cairn/memory/sqlite';
import type { MemoryBackend } from '@cairn/memory';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { problemsOf } from './sqlite-files.ts';

const SEQUENCES = Number(process.env['CAIRN_TEST_SCRUBS'] ?? 6);
const STEPS = 60;
const PAGE_BYTES = 4096;

function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return Math.floor((state / 0x7f_ff_ff_ff) * below);
  };
}

/** The bytes of a store. Its files stay open, because to close one would end the locks of SQLite. */
function bytesOf(path: string): string {
  return ['', '-wal'].map((suffix) => contents(`${path}${suffix}`)).join('\n');
}

function contents(path: string): string {
  if (!fs.existsSync(path)) return '';
  const handle = fs.openSync(path, 'r');
  onTestFinished(() => fs.closeSync(handle));
  const buffer = Buffer.alloc(fs.fstatSync(handle).size);
  fs.readSync(handle, buffer, 0, buffer.length, 0);
  return buffer.toString('latin1');
}

interface Live {
  readonly key: string;
  readonly id: string;
  readonly next: string;
  readonly mark: string;
}

/** A store that is written at random by two connections. Every part of a text has its mark. */
class Written {
  readonly live: Live[] = [];
  readonly removed = new Set<string>();
  readonly #random: (below: number) => number;
  #marks = 0;

  constructor(seed: number) {
    this.#random = randomOf(seed);
  }

  #row(key: string): Live {
    const mark = `~mark${String(this.#marks++).padStart(5, '0')}~`;
    const length = this.#random(20) === 0 ? this.#random(12_000) : this.#random(900);
    return { key, id: `id${mark}`, next: mark.repeat(1 + Math.ceil(length / mark.length)), mark };
  }

  async #put(backend: MemoryBackend, row: Live, expected?: string): Promise<void> {
    const terms = new Map([[`term${row.mark}`, 1]]);
    const change = { expected, terms, labels: [`label${row.mark}`], unique: `unique${row.mark}` };
    const { key, id, next } = row;
    const timeMs = this.#random(4) === 0 ? { timeMs: this.#random(1_000_000) } : {};
    const { isDone } = await backend.change(key, { rows: [{ ...change, ...timeMs, id, next }] });
    if (!isDone) throw new Error('the row was not written');
    this.live.push(row);
  }

  async step(backend: MemoryBackend): Promise<void> {
    const kind = this.#random(10);
    const key = `ai:table:${this.#random(5)}`;
    if (kind < 5) for (let count = this.#random(30); count >= 0; count--) await this.#put(backend, this.#row(key));
    else if (kind < 9) {
      for (let count = this.#random(20); count >= 0; count--) {
        const [gone] = this.live.splice(this.#random(this.live.length), 1);
        if (gone === undefined) return;
        const { next: _, ...row } = this.#row(gone.key);
        if (this.#random(3) > 0) {
          await backend.change(gone.key, { rows: [{ id: gone.id, expected: gone.next, next: undefined }] });
        } else await this.#put(backend, { ...row, id: gone.id, next: row.mark.repeat(40) }, gone.next);
        this.removed.add(gone.mark);
      }
    } else await this.#drop(backend, key);
  }

  async #drop(backend: MemoryBackend, key: string): Promise<void> {
    if (this.#random(3) > 0) return;
    await backend.change(key, { removes: 'all' });
    for (const { mark } of this.live.filter((row) => row.key === key)) this.removed.add(mark);
    this.live.splice(0, this.live.length, ...this.live.filter((row) => row.key !== key));
  }
}

test.each(Array.from({ length: SEQUENCES }, (_, index) => [index + 1]))(
  'of texts that were removed at random no byte is left after each erasure (%i)',
  async (seed) => {
    const path = `${temporaryDirectory()}/memory.db`;
    const backends = [sqlite({ path }), sqlite({ path })];
    onTestFinished(async () => void (await Promise.all(backends.map((backend) => backend.close()))));
    const random = randomOf(seed * 7919);
    const written = new Written(seed);
    for (let step = 0; step < STEPS; step++) {
      // Mostly one of them, so that it knows what changed; the other keeps pages that it read before.
      const backend = backends[random(5) === 0 ? 1 : 0] as MemoryBackend;
      await written.step(backend);
      if (random(4) > 0) continue;
      expect(await (backends[random(3) === 0 ? 1 : 0] as MemoryBackend).erase()).toBe('done');
      const marks = new Set(bytesOf(path).match(/~mark\d{5}~/gu));
      // The id of a replaced row has the mark of its first text.
      const ids = new Set(written.live.map(({ id }) => id.slice(2)));
      expect([...written.removed].filter((mark) => marks.has(mark) && !ids.has(mark))).toEqual([]);
      expect(written.live.filter(({ mark }) => !marks.has(mark))).toEqual([]);
    }
    expect(written.removed.size).toBeGreaterThan(50);
    expect(problemsOf(path)).toEqual([]);
  },
);

test('what an erasure reads is the pages that changed since the last one of the process', async () => {
  const path = `${temporaryDirectory()}/memory.db`;
  const backend = sqlite({ path });
  onTestFinished(() => backend.close());
  const fill = async (from: number, to: number): Promise<void> => {
    const rows = Array.from({ length: to - from }, (_, index) => ({
      id: `id-${from + index}`,
      next: `text ${from + index} ${'x'.repeat(1500)}`,
      terms: new Map([[`term-${from + index}`, 1]]),
    }));
    await backend.change('ai:table', { rows });
  };
  /** Removes a row, and returns the pages that were read for its erasure. */
  const erase = async (index: number): Promise<number> => {
    const id = `id-${index}`;
    const [row] = await backend.rows('ai:table', [id]);
    await backend.change('ai:table', { rows: [{ id, expected: row?.text, next: undefined }] });
    const read = vi.spyOn(fs, 'readSync');
    syncBuiltinESMExports();
    expect(await backend.erase()).toBe('done');
    const bytes = read.mock.results.reduce((sum, { value }) => sum + Number(value), 0);
    read.mockRestore();
    syncBuiltinESMExports();
    return Math.round(bytes / PAGE_BYTES);
  };
  await fill(0, 200);
  await erase(1);
  const few = await erase(2);
  await fill(200, 6000);
  // All of them once.
  expect(await erase(3)).toBeGreaterThan(2000);
  const many = await erase(4);
  expect(few).toBeGreaterThan(0);
  expect(many).toBeLessThan(40);
  expect(many).toBeLessThan(few + 20);
});
