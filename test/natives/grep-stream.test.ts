import { grep, grepStream } from '@cairn/natives';
import type { GrepMatch } from '@cairn/natives';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';

let root = '';

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cairn-stream-'));
  for (let number = 0; number < 300; number++) {
    const directory = join(root, `d${String(number).padStart(3, '0')}`);
    mkdirSync(directory);
    writeFileSync(join(directory, 'a.txt'), `needle ${number}\n-\n${'needle\n'.repeat(20)}`);
  }
});

afterAll(() => rmSync(root, { recursive: true }));

async function collect(options: Parameters<typeof grepStream>[0]): Promise<{ matches: GrepMatch[]; batches: number }> {
  const matches: GrepMatch[] = [];
  let batches = 0;
  await grepStream(options, (batch) => {
    batches += 1;
    matches.push(...batch);
  });
  return { matches, batches };
}

test.each([
  [{}],
  [{ mode: 'count' as const }],
  [{ mode: 'filesWithMatches' as const, offset: 10, maxCount: 250 }],
  [{ context: 1, maxCountPerFile: 3 }],
  [{ maxCount: 5, offset: 4000 }],
])('the batches have the matches of grep: %j', async (options) => {
  const request = { pattern: 'needle', path: root, ...options };
  const { matches, ...facts } = await grep(request);
  const streamed: GrepMatch[] = [];
  const summary = await grepStream(request, (batch) => void streamed.push(...batch));
  expect(streamed).toEqual(matches);
  expect(summary).toEqual(facts);
  const each: GrepMatch[] = [];
  const { matches: kept } = await grep(request, (_, match) => each.push(match));
  expect(each).toEqual(matches);
  expect(kept).toEqual(matches);
});

test('the next batch comes when the promise of the last one has resolved', async () => {
  let isBusy = false;
  let batches = 0;
  await grepStream({ pattern: 'needle', path: root }, async () => {
    expect(isBusy).toBe(false);
    isBusy = true;
    batches += 1;
    await turn();
    isBusy = false;
  });
  expect(batches).toBeGreaterThan(1);
});

test('an error of the receiver ends the search and rejects the call', async () => {
  let batches = 0;
  const call = grepStream({ pattern: 'needle', path: root }, () => {
    batches += 1;
    throw new Error('enough');
  });
  await expect(call).rejects.toThrow('enough');
  await turn();
  expect(batches).toBe(1);
});

test('after an abort no batch is delivered', async () => {
  const controller = new AbortController();
  let batches = 0;
  const call = grepStream({ pattern: 'needle', path: root, signal: controller.signal }, () => {
    batches += 1;
    controller.abort(new Error('gone'));
  });
  await expect(call).rejects.toThrow('gone');
  await turn();
  expect(batches).toBe(1);
});

test('after an abort no match is passed on, not even one of the same batch', async () => {
  const controller = new AbortController();
  const seen: GrepMatch[] = [];
  const call = grep({ pattern: 'needle', path: root, signal: controller.signal }, (_, match) => {
    seen.push(match);
    controller.abort(new Error('gone'));
  });
  await expect(call).rejects.toThrow('gone');
  await turn();
  expect(seen).toHaveLength(1);
});

test.runIf(process.platform === 'linux')('a search that its receiver ended keeps no thread', async () => {
  const threads = (): number => readdirSync('/proc/self/task').length;
  await grep({ pattern: 'needle', path: root });
  const before = threads();
  for (let round = 0; round < 20; round++) {
    const call = grepStream({ pattern: 'needle', path: root }, () => Promise.reject(new Error('enough')));
    await expect(call).rejects.toThrow('enough');
  }
  await expect.poll(threads).toBeLessThanOrEqual(before + 2);
});

test.runIf(process.platform === 'linux').for(['a receiver', 'a text'])(
  'a search of a terminated worker that waits for %s keeps no thread',
  async (what) => {
    const threads = (): number => readdirSync('/proc/self/task').length;
    await grep({ pattern: 'needle', path: root });
    const before = threads();
    const workerData = what === 'a text' ? {} : { path: root };
    for (let round = 0; round < 6; round++) {
      const worker = new Worker(new URL('grep-stream-worker.ts', import.meta.url), { workerData });
      await once(worker, 'message');
      await worker.terminate();
    }
    await expect.poll(threads).toBeLessThanOrEqual(before + 2);
  },
);

test('searches that wait for their receivers leave the workers to other calls', async () => {
  const release = new AbortController();
  let waiting = 0;
  let allWait = (): void => undefined;
  const everyoneWaits = new Promise<void>((resolve) => (allWait = resolve));
  const released = once(release.signal, 'abort');
  const calls = Array.from({ length: 20 }, async () =>
    grepStream({ pattern: 'needle', path: root }, async () => {
      waiting += 1;
      if (waiting === 20) allWait();
      await released;
    }),
  );
  await everyoneWaits;
  expect((await grep({ pattern: 'needle', path: root })).totalMatches).toBe(6300);
  release.abort();
  for (const { totalMatches } of await Promise.all(calls)) expect(totalMatches).toBe(6300);
});

test('a text is searched as it arrives', async () => {
  const input = new PassThrough();
  const seen: string[] = [];
  input.write('one needle\nand ');
  const call = grepStream({ pattern: 'needle', input }, (batch) => {
    for (const { path, lineNumber, line } of batch) seen.push(`${path}:${lineNumber}:${line}`);
    // The next line is written when the first one has been found.
    if (seen.length === 1) input.end('a second needle');
  });
  expect(await call).toMatchObject({ totalMatches: 2, complete: true });
  expect(seen).toEqual(['<stdin>:1:one needle', '<stdin>:2:and a second needle']);
});

test('a callback has the first match of a text before the rest has arrived', async () => {
  const input = new PassThrough();
  input.write('one needle\n');
  const { matches } = await grep({ pattern: 'needle', input }, (_, { lineNumber }) => {
    if (lineNumber === 1) input.end('a second needle\n');
  });
  expect(matches).toHaveLength(2);
});

test('N13: what was found before the time is up is passed on, and the summary states that more may follow', async () => {
  const input = new PassThrough();
  input.write('one needle\n');
  const seen: string[] = [];
  const summary = await grepStream({ pattern: 'needle', input, timeoutMs: 1000, onTimeout: 'partial' }, (batch) => {
    for (const { line } of batch) seen.push(line);
  });
  expect(summary).toMatchObject({ complete: false, stopReason: 'timeout' });
  // A busy machine may not have read the line in time.
  expect(seen).toEqual(['one needle'].slice(0, summary.totalMatches));
});

test('no more of a text is read than the result needs', async () => {
  let chunks = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      chunks += 1;
      yield Buffer.from('needle\n');
    }
  }
  const { matches, limitReached } = await grep({ pattern: 'needle', input: endless(), maxCount: 3 });
  expect(matches).toHaveLength(3);
  expect(limitReached).toBe(true);
  expect(chunks).toBeLessThan(10);
});

test('an abort ends the wait for a text that does not come', async () => {
  const input = new PassThrough();
  const controller = new AbortController();
  const call = grepStream({ pattern: 'needle', input, signal: controller.signal }, () => undefined);
  controller.abort(new Error('gone'));
  await expect(call).rejects.toThrow('gone');
});

test('an error of the text rejects the call', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('needle\n');
    throw new Error('broken');
  }
  await expect(grep({ pattern: 'needle', input: broken() })).rejects.toThrow('broken');
});

test('a chunk that is not bytes, or a path next to the text, is rejected', async () => {
  async function* strings(): AsyncGenerator<Uint8Array> {
    yield 'needle\n' as never;
  }
  await expect(grep({ pattern: 'needle', input: strings() })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    option: 'input',
  });
  await expect(grep({ pattern: 'needle', input: strings(), path: root } as never)).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    option: 'path',
  });
  await expect(grepStream({ pattern: 'needle', path: root }, undefined as never)).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    option: 'onBatch',
  });
});

test('a search for one match has one batch', async () => {
  const { batches } = await collect({ pattern: 'needle', path: root, maxCount: 1 });
  expect(batches).toBe(1);
});
