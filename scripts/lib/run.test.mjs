import { expect, test, vi } from 'vitest';

import { keepOutput } from './kept-output.mjs';
import { runStep } from './run.mjs';

test.each([
  ['short text', ['ab', 'cd'], 'abcd'],
  ['text of just the length', ['abcdefgh'], 'abcdefgh'],
  ['long text', ['abcdefghijklmnopqrstuvwxyz'], 'abcd\n[... 18 characters left out ...]\nwxyz'],
  ['long text in pieces', [...'abcdefghijklmnopqrstuvwxyz'], 'abcd\n[... 18 characters left out ...]\nwxyz'],
])('keeps the beginning and the end of %s', (_reason, pieces, expected) => {
  const kept = keepOutput({ headLength: 4, tailLength: 4 });
  for (const piece of pieces) kept.add(piece);
  expect(kept.text()).toBe(expected);
});

test('a step that prints more than a string can hold ends with its exit code and the end of its output', async () => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const script = `
    const { writeSync } = require('node:fs');
    const piece = Buffer.alloc(1024 * 1024, 'x');
    for (let index = 0; index < 600; index++) for (let at = 0; at < piece.length; ) at += writeSync(1, piece, at);
    process.stderr.write('the last line');
    process.exitCode = 7;
  `;
  const { code, output } = await runStep({
    command: process.execPath,
    args: ['--eval', script],
    cwd: process.cwd(),
    env: process.env,
    title: 'Flooding',
    done: 'Flooded',
  });
  stderr.mockRestore();
  expect(code).toBe(7);
  expect(output.length).toBeLessThan(3 * 1024 * 1024);
  expect(output).toContain('the last line');
});
