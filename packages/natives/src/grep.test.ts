import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type * as Binding from '../binding/index.js';
import { grep, grepStream } from './grep.ts';

/** Runs when a batch has left the addon and was not delivered yet. */
const { afterPart } = vi.hoisted(() => ({ afterPart: { run: (): void => undefined } }));

vi.mock(import('../binding/index.js'), async (importOriginal) => {
  const binding = await importOriginal();
  const grepStream = (...args: Parameters<typeof Binding.grepStream>): Binding.GrepStream => {
    const stream = binding.grepStream(...args);
    const next = async (): ReturnType<Binding.GrepStream['next']> => {
      const part = await stream.next();
      afterPart.run();
      return part;
    };
    return { next };
  };
  return { ...binding, grepStream };
});

let root = '';

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cairn-grep-'));
  writeFileSync(join(root, 'a.txt'), 'needle\n');
});

afterAll(() => rmSync(root, { recursive: true }));

test.each(['grepStream', 'grep'] as const)('%s delivers nothing that arrives after an abort', async (name) => {
  const controller = new AbortController();
  afterPart.run = () => controller.abort(new Error('gone'));
  const delivered = vi.fn<() => void>();
  const options = { pattern: 'needle', path: root, signal: controller.signal };
  const call = name === 'grep' ? grep(options, delivered) : grepStream(options, delivered);
  await expect(call).rejects.toThrow('gone');
  await new Promise(setImmediate);
  expect(delivered).not.toHaveBeenCalled();
});
