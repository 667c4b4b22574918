/**
 * Uses every function of the `@cairn/natives` that is installed next to it, on the main thread and in a worker, and prints
 * the version of the Node that ran it.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import * as natives from '@cairn/natives';

/** @param {string} root */
const useEverything = async (root) => {
  const paths = async () => (await natives.glob({ pattern: '*.ts', path: root })).matches.map(({ path }) => path);
  assert.deepEqual(await paths(), ['src/main.ts']);

  const found = await natives.fuzzyFind({ query: 'srmai', path: root });
  assert.equal(found.matches[0]?.path, 'src/main.ts');

  const { matches, complete } = await natives.grep({ pattern: 'hello', path: root });
  assert.deepEqual(
    matches.map(({ path, lineNumber }) => [path, lineNumber]),
    [['src/main.ts', 2]],
  );
  assert.equal(complete, true);

  writeFileSync(join(root, 'src/new.ts'), '');
  natives.invalidateFsScanCache(join(root, 'src/new.ts'));
  assert.deepEqual(await paths(), ['src/main.ts', 'src/new.ts']);

  await assert.rejects(natives.glob({ pattern: '*', path: join(root, 'missing') }), { code: 'PATH_NOT_FOUND' });
  await assert.rejects(natives.glob({ pattern: '*', path: root, signal: AbortSignal.abort() }), { name: 'AbortError' });
  assert.equal(typeof natives.fsScanCacheStats().hits, 'number');
};

const smoke = async () => {
  const root = mkdtempSync(join(tmpdir(), 'cairn-smoke-'));
  try {
    mkdirSync(join(root, 'src'));
    writeFileSync(join(root, 'src/main.ts'), '// first\n// hello\n');
    await useEverything(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

/** @param {{ leave: boolean }} options `leave` stops the worker while its calls are under way */
const smokeInWorker = ({ leave }) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { leave } });
    if (leave) worker.once('message', () => void worker.terminate());
    worker.once('error', reject);
    worker.once('exit', (code) => {
      if (code === (leave ? 1 : 0)) resolve(undefined);
      else reject(new Error(`a worker ended with exit code ${code}`));
    });
  });

if (isMainThread) {
  await smoke();
  await smokeInWorker({ leave: false });
  await smokeInWorker({ leave: true });
  // The addon must serve this thread after workers that had loaded it are gone.
  await smoke();
  process.stdout.write(`${process.version}\n`);
} else if (workerData.leave) {
  const calls = Array.from({ length: 8 }, () => natives.fuzzyFind({ query: 'a', path: '.', cache: false }));
  const { parentPort } = await import('node:worker_threads');
  parentPort?.postMessage('started');
  await Promise.all(calls);
  await new Promise(() => setInterval(() => {}, 1000));
} else {
  await smoke();
}
