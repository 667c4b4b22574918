import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { recordedContext } from '../testing/context.ts';
import { withProgress } from './progress.ts';
import type { CommandContext } from './command-context.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

function contextOf(
  isTerminal: boolean,
  env: CommandContext['env'] = {},
): { context: CommandContext; shown: () => string } {
  const { context: recorded, texts } = recordedContext({ errIsTerminal: isTerminal, width: 60, env });
  return { context: recorded, shown: () => texts.out + texts.err };
}

/** Work that ends when the clock has been moved on by `durationMs`. */
function lasting(durationMs: number): () => Promise<string> {
  return async () => {
    await vi.advanceTimersByTimeAsync(durationMs);
    return 'done';
  };
}

test('a short call shows nothing', async () => {
  const { context: at, shown } = contextOf(true);
  await expect(withProgress(at, 'searching', lasting(200))).resolves.toBe('done');
  expect(shown()).toBe('');
});

test('a long call shows one line with its time and erases it', async () => {
  const { context: at, shown } = contextOf(true);
  await withProgress(at, 'searching', lasting(500));
  expect(shown()).toBe(
    '\r\u001b[2K⠋ searching, 0.4 s; Ctrl-C stops it\r\u001b[2K⠙ searching, 0.5 s; Ctrl-C stops it\r\u001b[2K',
  );
});

test('the line is erased when the call fails', async () => {
  const { context: at, shown } = contextOf(true);
  const work = async (): Promise<never> => {
    await vi.advanceTimersByTimeAsync(400);
    throw new Error('broken');
  };
  await expect(withProgress(at, 'searching', work)).rejects.toThrow('broken');
  expect(shown().endsWith('\r\u001b[2K')).toBe(true);
});

const silent: readonly (readonly [reason: string, isTerminal: boolean, env: CommandContext['env']])[] = [
  ['a pipe', false, {}],
  ['a terminal that cannot erase a line', true, { TERM: 'dumb' }],
];
test.each(silent)('%s gets no progress line', async (_reason, isTerminal, env) => {
  const { context: at, shown } = contextOf(isTerminal, env);
  await withProgress(at, 'searching', lasting(2000));
  expect(shown()).toBe('');
});
