import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { until } from './until.ts';

test('a promise that rejects after an abort is handled', async () => {
  const seen: unknown[] = [];
  const note = (reason: unknown): void => void seen.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const reason = new Error('enough');
  await expect(until(Promise.reject(new Error('late')), AbortSignal.abort(reason))).rejects.toBe(reason);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(seen).toEqual([]);
});
