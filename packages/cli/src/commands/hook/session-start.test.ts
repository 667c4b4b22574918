import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { INPUT_WAIT_MS, startSession } from './session-start.ts';

/** The rest of 200 ms is for the start of the process and the payload. */
test('a standard input that stays open and empty is waited for at most 50 ms', async () => {
  expect(INPUT_WAIT_MS).toBeLessThanOrEqual(50);
  const input = new PassThrough();
  const settings = { host: 'generic', language: 'en', directory: 'none', timeout: 60_000 } as const;
  const { signal } = new AbortController();
  const output = await startSession(settings, { env: {}, cwd: import.meta.dirname, input, signal });
  expect(output).toContain('had no asset');
  expect(input.readableEnded).toBe(false);
});
