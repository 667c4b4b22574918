import { MemoryError } from '@cairn/memory';
import type { MemoryBackend } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { redis } from '@cairn/memory/redis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasRedis, startRedis } from '../support/redis-server.ts';
import { attach, call, report, startWorkflows, textOf, todos } from './workflow-harness.ts';
import type { ModelRequest } from '../support/model-server.ts';

const event = { group: 'g', user: 'ann' };
const merged = { mergeStreams: ['desktop'] };

/** A promise with its end. */
function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** A function of `desktop` that ends when its signal is aborted, or never. */
function waiting(ends: boolean): { readonly began: Promise<void>; readonly functions: [never] } {
  const began = gate();
  const fn = {
    name: 'wait',
    description: 'waits',
    execute: (_: never, { signal }: { readonly signal: AbortSignal }) => {
      began.open();
      return new Promise((_resolve, reject) => {
        if (ends) signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    },
  };
  return { began: began.passed, functions: [fn as never] };
}

describe('an abort', () => {
  test('while the model answers leaves a workflow that can be resumed at once', async () => {
    const { memory, server, workflows } = await startWorkflows({
      script: async ({ number, signal }) => {
        if (number === 1) return todos('a');
        if (number === 2) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return report(1, { result: 'ok' });
      },
    });
    const abort = new AbortController();
    const work = workflows.stream('chat').process(event, 'go', { signal: abort.signal });
    await server.arrived(2);
    const reason = new Error('enough');
    abort.abort(reason);
    await expect(work).rejects.toBe(reason);
    const [one] = await memory.workflows.list();
    const id = one?.id ?? '';
    expect((await workflows.get(id)).lease).toBeUndefined();
    expect(await workflows.resume(id)).toMatchObject({ status: 'done', text: 'ok' });
  });

  test.each([true, false])('in a function records that its outcome is unknown (it ends: %s)', async (ends) => {
    const { began, functions } = waiting(ends);
    const { memory, server, workflows } = await startWorkflows({
      script: [todos('a'), call('wait'), report(1, { result: 'ok' })],
      functions,
    });
    const abort = new AbortController();
    const work = workflows.stream('chat').process(event, 'go', { ...merged, signal: abort.signal });
    await began;
    abort.abort();
    await expect(work).rejects.toMatchObject({ name: 'AbortError' });
    const [one] = await memory.workflows.list();
    const id = one?.id ?? '';
    expect(await workflows.get(id)).toMatchObject({ status: 'running', state: { calls: [{ status: 'unknown' }] } });
    expect(await workflows.resume(id)).toMatchObject({ status: 'done', text: 'ok' });
    expect(textOf(server.requests[2] as ModelRequest, -1)).toContain('outcome unknown');
  });

  test('before the start does nothing', async () => {
    const { memory, server, workflows } = await startWorkflows({ script: [] });
    const signal = AbortSignal.abort();
    await expect(workflows.stream('chat').process(event, 'go', { signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(server.requests).toEqual([]);
    expect(await memory.listGroups()).toEqual([]);
  });
});

test('a function that takes too long is stopped, and the model reads that its outcome is unknown', async () => {
  const { functions } = waiting(false);
  const { server, workflows } = await startWorkflows({
    script: [todos('a'), call('wait'), report(1, { result: 'ok' })],
    functions,
    functionTimeoutMs: 20,
  });
  expect(await workflows.stream('chat').process(event, 'go', merged)).toMatchObject({ status: 'done' });
  expect(JSON.stringify(server.requests[2]?.chat.messages.at(-1))).toContain('outcome unknown');
});

test('a runner that lost its lease makes no further call and changes nothing', async () => {
  let nowMs = 1_703_123_456_789;
  const backend = inProcess({ clock: () => nowMs });
  const calls: string[] = [];
  const asked = gate();
  const answered = gate();
  const functions = [{ name: 'act', description: 'acts', execute: () => calls.push('act') }];
  const first = await startWorkflows({
    backend,
    functions,
    leaseMs: 60_000,
    script: async ({ number }) => {
      if (number === 1) return todos('a');
      if (number === 2) {
        asked.open();
        await answered.passed;
        return call('act');
      }
      return report(1, { result: 'by the second' });
    },
  });
  const late = first.workflows.stream('chat').process(event, 'go', merged);
  await asked.passed;
  nowMs += 60_001;
  const other = attach(first.server, backend, { functions });
  const [one] = await other.memory.workflows.list();
  const id = one?.id ?? '';
  expect(await other.workflows.resume(id)).toMatchObject({ status: 'done', text: 'by the second' });
  const after = await other.workflows.get(id);
  answered.open();
  await expect(late).rejects.toMatchObject({ code: 'LEASE_LOST' });
  expect(calls).toEqual([]);
  expect(await other.workflows.get(id)).toEqual(after);
});

describe('errors of the model', () => {
  test('that every request would meet reach the caller, and the workflow can be resumed', async () => {
    const { memory, workflows } = await startWorkflows({
      script: ({ number }) => {
        if (number === 1) return todos('a');
        return number === 2 ? { status: 401, message: 'wrong key' } : report(1, { result: 'ok' });
      },
    });
    await expect(workflows.stream('chat').process(event, 'go')).rejects.toMatchObject({ code: 'MODEL_DENIED' });
    const [one] = await memory.workflows.list();
    expect(one).toMatchObject({ status: 'running' });
    expect(await workflows.resume(one?.id ?? '')).toMatchObject({ status: 'done', text: 'ok' });
  });

  test('of its server become notes, and the step is repeated', async () => {
    const { server, workflows } = await startWorkflows({
      script: ({ number }) => {
        if (number === 1) return todos('a');
        return number === 2 ? { status: 503, message: 'overloaded' } : report(1, { result: 'ok' });
      },
    });
    expect(await workflows.stream('chat').process(event, 'go')).toMatchObject({ status: 'done', text: 'ok' });
    expect(textOf(server.requests[2] as ModelRequest, -1)).toMatch(/1\. Error: .*overloaded/u);
  });

  test('of its server that do not end stop the workflow, because no later step would do better', async () => {
    const { server, workflows } = await startWorkflows({
      script: ({ number }) => (number === 1 ? todos('a', 'b', 'c') : { status: 503, message: 'overloaded' }),
    });
    const response = await workflows.stream('chat').process(event, 'go');
    expect(server.requests).toHaveLength(5);
    expect(response).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('overloaded'),
      todos: [{ status: 'failed' }, { status: 'pending' }, { status: 'pending' }],
    });
    expect(response.text).toContain('Not done:\n- b\n- c');
  });

  test('in the first turn reach the caller', async () => {
    const { memory, workflows } = await startWorkflows({ script: [{ status: 503, message: 'overloaded' }] });
    await expect(workflows.stream('chat').process(event, 'go')).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    expect(await memory.workflows.list()).toEqual([]);
  });

  test('a model that is not configured is stated before anything is stored', async () => {
    const { memory, workflows } = await startWorkflows({ script: [], baseUrl: '' });
    await expect(workflows.stream('chat').process(event, 'go')).rejects.toMatchObject({ code: 'NO_MODEL' });
    expect(await memory.listGroups()).toEqual([]);
  });

  test('a cut answer is not read as a whole one', async () => {
    const { workflows, server } = await startWorkflows({
      script: [
        todos('a'),
        { text: 'Completion: 1\nAction: [desktop.act', finishReason: 'length' },
        report(1, { result: 'ok' }),
      ],
      functions: [{ name: 'act', description: 'acts', execute: () => 'acted' }],
    });
    expect(await workflows.stream('chat').process(event, 'go', merged)).toMatchObject({ status: 'done', text: 'ok' });
    expect(textOf(server.requests[2] as ModelRequest, -1)).toContain('Error: The answer was cut');
  });

  test('a cut answer for the user states that it is cut', async () => {
    const { workflows } = await startWorkflows({ script: [{ text: 'The first half', finishReason: 'length' }] });
    const { text } = await workflows.stream('chat').process(event, 'go');
    expect(text).toMatch(/^The first half\n\n\(The answer was cut/u);
  });

  test('an empty answer is asked for again, and stated when it stays empty', async () => {
    const { server, workflows } = await startWorkflows({ script: () => ({ text: '' }) });
    const response = await workflows.stream('chat').process(event, 'go');
    expect(server.requests).toHaveLength(4);
    expect(response).toMatchObject({ status: 'failed', text: 'The model answered with nothing.' });
  });
});

describe('a store that goes away', () => {
  /** A store that rejects while it is away. */
  function failing(): { readonly backend: MemoryBackend; readonly set: (isAway: boolean) => void } {
    const store = inProcess();
    let isAway = false;
    const backend = {
      ...store,
      change: async (...given: Parameters<MemoryBackend['change']>) => {
        if (isAway && given[1].rows?.[0]?.id === 'document')
          throw new MemoryError('STORE_UNAVAILABLE', ['The store is away', 'Start it.']);
        return store.change(...given);
      },
    };
    return { backend, set: (next) => (isAway = next) };
  }

  test('before a call prevents the call', async () => {
    const { backend, set } = failing();
    const calls: string[] = [];
    const { workflows, memory } = await startWorkflows({
      backend,
      functions: [{ name: 'act', description: 'acts', execute: () => calls.push('act') }],
      script: ({ number }) => {
        if (number === 1) return todos('a');
        set(number === 2);
        return number === 2 ? call('act') : report(1, { result: 'ok' });
      },
    });
    await expect(workflows.stream('chat').process(event, 'go', merged)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    expect(calls).toEqual([]);
    set(false);
    const [one] = await memory.workflows.list();
    expect((await workflows.get(one?.id ?? '')).state).toMatchObject({ calls: [] });
  });

  test('during a call is an error when the lease has expired', async () => {
    const { backend, set } = failing();
    const { workflows, memory } = await startWorkflows({
      backend,
      leaseMs: 300,
      functions: [{ name: 'act', description: 'acts', execute: () => set(true) }],
      script: [todos('a'), call('act'), report(1, { result: 'ok' })],
    });
    await expect(workflows.stream('chat').process(event, 'go', merged)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    set(false);
    const [one] = await memory.workflows.list();
    const id = one?.id ?? '';
    expect((await workflows.get(id)).state).toMatchObject({ calls: [{ status: 'running' }] });
    expect(await workflows.resume(id)).toMatchObject({ status: 'done' });
    expect((await workflows.get(id)).state).toMatchObject({ calls: [{ status: 'unknown' }] });
  });

  test.skipIf(!hasRedis)('during a call and comes back has the outcome of the call', async () => {
    const server = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    onTestFinished(() => server.stop());
    const began = gate();
    const end = gate();
    const { workflows } = await startWorkflows({
      backend: redis({ url: server.url, timeoutMs: 500 }),
      functions: [
        {
          name: 'act',
          description: 'acts',
          execute: async () => {
            began.open();
            await end.passed;
            return 'acted';
          },
        },
      ],
      script: [todos('a'), call('act'), report(1, { result: 'ok' })],
    });
    const ended = gate();
    const work = workflows.stream('chat').process(event, 'go', {
      ...merged,
      onEvent: ({ type }) => {
        if (type === 'tool-end') ended.open();
      },
    });
    await began.passed;
    await server.halt();
    end.open();
    // The engine has the outcome now, and nowhere to put it.
    await ended.passed;
    await server.restart();
    const response = await work;
    expect(response).toMatchObject({ status: 'done', text: 'ok' });
    expect((await workflows.get(response.workflow ?? '')).state).toMatchObject({
      calls: [{ status: 'done', output: 'acted' }],
    });
  });
});
