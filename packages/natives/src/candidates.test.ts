import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const TEXT_BYTES = 1_500_000;

/**
 * Uses a list in a process of its own. V8 prints the memory that was reported to it with every collection, and nowhere else: the
 * text here, which stays, and the list.
 */
const program = `
  import { setImmediate } from 'node:timers/promises';
  import { NativePathList } from ${JSON.stringify(import.meta.resolve('../binding/index.js'))};
  globalThis.text = Buffer.from('directory/file\\0'.repeat(${TEXT_BYTES / 15}));
  let list = new NativePathList();
  list.add(text);
  gc();
  list = undefined;
  gc();
  // The finalizer runs in a turn of the event loop after the collection.
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  gc();`;

test('a list reports four bytes for each byte of its paths to Node until it is collected', () => {
  const args = ['--expose-gc', '--trace-gc-verbose', '--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  const reported = Array.from(
    stdout.matchAll(/External memory reported: +(-?\d+) KB/g),
    ([, kib]) => Number(kib) * 1024,
  );
  expect(Math.max(...reported)).toBeGreaterThan(5 * TEXT_BYTES);
  const last = reported.at(-1);
  expect(last).toBeGreaterThan(TEXT_BYTES);
  expect(last).toBeLessThan(2 * TEXT_BYTES);
});
