import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import process from 'node:process';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { createTool } from './create-tool.ts';
import { succeed, type ToolDefinition } from './definition.ts';
import { ToolError } from './kernel/tool-error.ts';
import { inputSchema } from './input.ts';
import { CALL_CHANNEL, CALL_CONTENTS_CHANNEL, observeCall } from './kernel/observe-call.ts';
import { observeCalls, type CallEvent } from './observer.ts';

const annotations = {
  title: 'Echo',
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const echo: ToolDefinition<{ text: string }, { length: number }> = createTool({
  name: 'echo',
  description: 'Repeats a text.',
  inputSchema: inputSchema({ text: z.string() }),
  annotations,
  run: async ({ text }) => {
    if (text === 'missing') throw new ToolError('NOT_FOUND', ['missing does not exist', 'Name another text.']);
    if (text === 'crash') throw new RangeError('secret detail');
    return succeed(text, { length: text.length });
  },
});

function observe(options?: Parameters<typeof observeCalls>[1]): CallEvent[] {
  const events: CallEvent[] = [];
  onTestFinished(observeCalls((event) => events.push(event), options));
  return events;
}

test('reports the name, the time and the sizes of a call, and no contents', async () => {
  const events = observe();
  await echo.execute({ text: 'größe' });
  expect(events.map(({ kind }) => kind)).toEqual(['call-start', 'call-end']);
  const [start, end] = events;
  expect(start?.call).toEqual({
    id: expect.stringMatching(/^tool-\d+$/u),
    source: 'tool',
    name: 'echo',
    startedAt: expect.any(Number),
    inputBytes: Buffer.byteLength('{"text":"größe"}'),
  });
  expect(end?.call).toMatchObject({ id: start?.call.id, outputBytes: 7, durationMs: expect.any(Number) });
  expect(JSON.stringify(events)).not.toContain('größe');
});

test('an expected failure ends a call with its code', async () => {
  const events = observe();
  await echo.execute({ text: 'missing' });
  expect(events.at(-1)).toMatchObject({ kind: 'call-end', call: { failure: 'NOT_FOUND' } });
});

test('invalid input ends a call with its code', async () => {
  const events = observe();
  await echo.execute({ text: 5 } as never);
  expect(events.at(-1)).toMatchObject({ kind: 'call-end', call: { failure: 'INVALID_INPUT' } });
});

test('an unexpected error and an abort are errors, without their messages', async () => {
  const events = observe();
  await expect(echo.execute({ text: 'crash' })).rejects.toThrow('secret detail');
  await expect(echo.execute({ text: 'a' }, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
  expect(events.map(({ kind, call }) => [kind, call.failure])).toEqual([
    ['call-start', undefined],
    ['call-error', 'RangeError'],
    ['call-start', undefined],
    ['call-error', 'AbortError'],
  ]);
  expect(JSON.stringify(events)).not.toContain('secret detail');
});

test('contents are reported on request', async () => {
  const events = observe({ contents: true });
  const result = await echo.execute({ text: 'abc' });
  await expect(echo.execute({ text: 'crash' })).rejects.toThrow('secret detail');
  expect(events).toMatchObject([
    { kind: 'call-start', input: { text: 'abc' } },
    { kind: 'call-end', result },
    { kind: 'call-start', input: { text: 'crash' } },
    { kind: 'call-error', error: expect.any(RangeError) },
  ]);
});

test('contents for one observer do not reach another', async () => {
  observe({ contents: true });
  const events = observe();
  await echo.execute({ text: 'abc' });
  expect(JSON.stringify(events)).not.toContain('abc');
});

test('simultaneous calls keep their own facts', async () => {
  const events = observe({ contents: true });
  await Promise.all(['a', 'bb', 'ccc'].map((text) => echo.execute({ text })));
  const ends = events.filter(({ kind }) => kind === 'call-end');
  expect(ends.map(({ call }) => call.outputBytes ?? 0).toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
  expect(new Set(events.map(({ call }) => call.id)).size).toBe(3);
});

test('a listener that throws harms neither the call nor other listeners', async () => {
  const errors: unknown[] = [];
  onTestFinished(
    observeCalls(
      () => {
        throw new Error('listener');
      },
      { onError: (error) => errors.push(error) },
    ),
  );
  const events = observe();
  expect(await echo.execute({ text: 'a' })).toMatchObject({ isError: false });
  expect(events).toHaveLength(2);
  expect(errors).toHaveLength(2);
});

test('a stopped observer receives no events, and the channels have no subscriber', async () => {
  const events: CallEvent[] = [];
  const stop = observeCalls((event) => events.push(event));
  stop();
  stop();
  await echo.execute({ text: 'a' });
  expect(events).toEqual([]);
  expect(channel(CALL_CONTENTS_CHANNEL).hasSubscribers).toBe(false);
  expect(channel(`tracing:${CALL_CHANNEL}:start`).hasSubscribers).toBe(false);
});

test('the name of the channel is enough to subscribe', async () => {
  const names: string[] = [];
  const listener = (message: unknown): unknown => names.push((message as { name: string }).name);
  subscribe('tracing:cairn:call:asyncEnd', listener);
  onTestFinished(() => {
    unsubscribe('tracing:cairn:call:asyncEnd', listener);
  });
  await echo.execute({ text: 'a' });
  expect(names).toEqual(['echo']);
});

test('input without a JSON form has no size, and the call continues', async () => {
  const events = observe();
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const call = { source: 'test', name: 'circular', input: circular, outcomeOf: () => ({ results: 3 }) };
  expect(await observeCall(call, async () => 'done')).toBe('done');
  expect(events.at(-1)?.call).toMatchObject({ source: 'test', results: 3 });
  expect(events.at(-1)?.call).not.toHaveProperty('inputBytes');
});

test('an error in outcomeOf does not fail the call', async () => {
  const events = observe();
  const outcomeOf = (): never => {
    throw new Error('outcome');
  };
  expect(await observeCall({ source: 'test', name: 'odd', input: {}, outcomeOf }, async () => 'done')).toBe('done');
  expect(events.map(({ kind }) => kind)).toEqual(['call-start', 'call-end']);
});

test('calls of two copies of the package have ids of their own', async () => {
  const events = observe();
  const copy = async (): Promise<typeof observeCall> => {
    vi.resetModules();
    return (await import('./kernel/observe-call.ts')).observeCall;
  };
  const [first, second] = [await copy(), await copy()];
  expect(first).not.toBe(second);
  const call = { source: 'test', name: 'one', input: {}, outcomeOf: () => ({}) };
  await Promise.all([first(call, async () => 1), second(call, async () => 2)]);
  expect(new Set(events.map(({ call: { id } }) => id)).size).toBe(2);
});

test('a listener that rejects, or whose handler of errors throws, is a warning and harms nothing', async () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
  onTestFinished(() => emitWarning.mockRestore());
  const fail = (): never => {
    throw new Error('thrown');
  };
  // A listener should return nothing, but JavaScript callers may return a promise.
  const reject = (() => Promise.reject(new Error('rejected'))) as () => unknown as () => void;
  onTestFinished(observeCalls(reject));
  onTestFinished(observeCalls(fail, { onError: fail }));
  expect(await echo.execute({ text: 'a' })).toMatchObject({ isError: false });
  await Promise.resolve();
  const warnings = emitWarning.mock.calls.map(([message]) => String(message).split('\n')[0] ?? '');
  expect(warnings.toSorted((a, b) => a.localeCompare(b))).toEqual([
    'A listener of calls failed: Error: rejected',
    'A listener of calls failed: Error: rejected',
    'A listener of calls failed: Error: thrown',
    'A listener of calls failed: Error: thrown',
  ]);
});
