import { createMemory } from '@cairn/memory';
import { describe, expect, test } from 'vitest';
import { backendKinds, openMemory, START_MS, useBackends } from './backends.ts';

useBackends();

const DAY = 86_400_000;
const goal = { goal: 'make a table', todos: ['ask', 'create', 'fill'], streamName: 'chat' };

describe.each(backendKinds)('workflows on $name', (kind) => {
  test.skipIf(kind.isSkipped)('a record is kept for 3 days after its last update', async () => {
    const { memory, advance } = await openMemory(kind);
    const { id } = await memory.workflows.create(goal);
    await advance(3 * DAY - 10_000);
    const run = await memory.workflows.acquire(id);
    await run.updateTodo('todo_0', { status: 'done' });
    await run.release();
    await advance(3 * DAY - 10_000);
    expect((await memory.workflows.get(id)).todos[0]).toMatchObject({ status: 'done' });
    await advance(10_000);
    await expect(memory.workflows.get(id)).rejects.toMatchObject({ code: 'UNKNOWN_WORKFLOW' });
    expect(await memory.workflows.list()).toEqual([]);
  });

  test.skipIf(kind.isSkipped)(
    'one runner holds it at a time, and the next one continues where it stopped',
    async () => {
      const { memory, advance } = await openMemory(kind);
      const { id } = await memory.workflows.create(goal);
      const first = await memory.workflows.acquire(id, { owner: 'first', leaseMs: 60_000 });
      await expect(memory.workflows.acquire(id)).rejects.toMatchObject({
        code: 'WORKFLOW_BUSY',
        message: expect.stringMatching(/run by first#.* lease expires in 60 s/u),
      });
      await first.updateTodo('todo_0', { status: 'done', result: { rows: 3 } });
      await memory.storeNote(id, 'asked', 'todo_0');
      // The first runner stops without a heartbeat, and its lease lapses.
      await advance(60_000);
      const second = await memory.workflows.acquire(id, { owner: 'second', leaseMs: 60_000 });
      expect(second.record.todos.map(({ status }) => status)).toEqual(['done', 'pending', 'pending']);
      expect((await memory.workflows.get(id)).notes).toMatchObject([{ content: 'asked', source: 'todo_0' }]);
      // It still runs: its updates are refused now.
      await expect(first.updateTodo('todo_1', { status: 'done' })).rejects.toMatchObject({ code: 'LEASE_LOST' });
      expect(first.signal.aborted).toBe(true);
      await expect(first.finish()).rejects.toMatchObject({ code: 'LEASE_LOST' });
      await first.release();
      await second.updateTodo('todo_1', { status: 'done' });
      expect((await memory.workflows.get(id)).todos.map(({ status, result }) => [status, result])).toEqual([
        ['done', { rows: 3 }],
        ['done', undefined],
        ['pending', undefined],
      ]);
      await second.release();
    },
  );

  test.skipIf(kind.isSkipped)('of several simultaneous acquires one succeeds', async () => {
    const { memory } = await openMemory(kind);
    const { id } = await memory.workflows.create(goal);
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => memory.workflows.acquire(id)));
    const runs = all.filter((one) => one.status === 'fulfilled');
    expect(runs).toHaveLength(1);
    const others = all.filter((one) => one.status === 'rejected');
    for (const { reason } of others) expect(reason).toMatchObject({ code: 'WORKFLOW_BUSY' });
    await runs[0]?.value.release();
  });

  test.skipIf(kind.isSkipped)('a heartbeat keeps the lease', async () => {
    const { memory, advance } = await openMemory(kind);
    const { id } = await memory.workflows.create(goal);
    await using run = await memory.workflows.acquire(id, { leaseMs: 300 });
    // Heartbeats follow the real time, three per lease; the lease lapses by the clock of the store.
    for (let heartbeat = 0; heartbeat < 3; heartbeat++) {
      const { revision } = await memory.workflows.get(id);
      await advance(200);
      await expect.poll(async () => (await memory.workflows.get(id)).revision).toBeGreaterThan(revision);
      await expect(memory.workflows.acquire(id)).rejects.toMatchObject({ code: 'WORKFLOW_BUSY' });
    }
    expect(run.signal.aborted).toBe(false);
  });

  test.skipIf(kind.isSkipped)('the signal of a run is aborted when another runner took over', async () => {
    const { memory, advance } = await openMemory(kind);
    const { id } = await memory.workflows.create(goal);
    const first = await memory.workflows.acquire(id, { leaseMs: 600 });
    await advance(3_600_000);
    const second = await memory.workflows.acquire(id).catch(() => undefined);
    // A heartbeat may have come first.
    if (second === undefined) return;
    await expect.poll(() => first.signal.aborted).toBe(true);
    expect(first.signal.reason).toMatchObject({ code: 'LEASE_LOST' });
    await second.release();
  });

  test.skipIf(kind.isSkipped)('a heartbeat that fails in any way ends the run, and not the process', async () => {
    const { memory } = await openMemory(kind);
    const { id } = await memory.workflows.create(goal);
    let isBroken = false;
    const broken = createMemory({
      backend: {
        ...memory.backend,
        read: async (...given) => {
          if (isBroken) throw new TypeError('nobody expected this');
          return memory.backend.read(...given);
        },
      },
    });
    const run = await broken.workflows.acquire(id, { leaseMs: 60 });
    isBroken = true;
    await expect.poll(() => run.signal.aborted).toBe(true);
    expect(run.signal.reason).toMatchObject({
      code: 'LEASE_LOST',
      message: expect.stringContaining('nobody expected'),
    });
    isBroken = false;
    await expect(run.updateTodo('todo_0', { status: 'done' })).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  test.skipIf(kind.isSkipped)('a value of another type under one key does not hide other workflows', async () => {
    const { memory } = await openMemory(kind);
    const { id } = await memory.workflows.create(goal);
    const rule = {
      maxRecords: Infinity,
      maxTemporaryRecords: Infinity,
      lifetimeMs: Infinity,
      temporaryLifetimeMs: Infinity,
    };
    await memory.backend.append('ai:workflow:theirs', [{ before: '{"time":', after: '}' }], { rule });
    expect((await memory.workflows.list()).map((one) => [one.id, one.status])).toEqual([
      [id, 'running'],
      ['theirs', 'corrupt'],
    ]);
    await expect(memory.workflows.get('theirs')).rejects.toMatchObject({ code: 'CORRUPT_RECORD' });
  });

  test.skipIf(kind.isSkipped)('finishing removes the notes, or lets them expire', async () => {
    const { memory, advance } = await openMemory(kind);
    const ids: string[] = [];
    for (const notes of ['remove', 'expire'] as const) {
      const { id } = await memory.workflows.create(goal);
      ids.push(id);
      const run = await memory.workflows.acquire(id);
      await memory.storeNote(id, 'a', 'todo_0');
      await memory.storeNote(id, 'b', 'todo_0', { temporary: false });
      await run.finish({ notes });
      expect(await memory.getNotes(id)).toHaveLength(notes === 'remove' ? 0 : 2);
      await expect(memory.workflows.acquire(id)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
    await advance(1_800_000);
    expect((await memory.getNotes(ids[1] ?? '')).map(({ content }) => content)).toEqual(['b']);
  });

  test.skipIf(kind.isSkipped)(
    'workflows are listed, the last updated first, and removed with their notes',
    async () => {
      const { memory, advance } = await openMemory(kind);
      const one = await memory.workflows.create(goal);
      await advance(1000);
      const two = await memory.workflows.create({ ...goal, groupId: 'g' });
      expect(two).toMatchObject({ groupId: 'g', createdAt: START_MS + 1000 });
      await memory.storeNote(one.id, 'a', 'todo_0');
      expect((await memory.workflows.list()).map(({ id }) => id)).toEqual([two.id, one.id]);
      expect(await memory.workflows.remove(one.id)).toBe(true);
      expect(await memory.workflows.remove(one.id)).toBe(false);
      expect((await memory.workflows.list()).map(({ id }) => id)).toEqual([two.id]);
      expect(await memory.getNotes(one.id)).toEqual([]);
    },
  );

  test.skipIf(kind.isSkipped)('invalid calls fail with their code and reason', async () => {
    const { memory } = await openMemory(kind);
    const { workflows } = memory;
    const unknown = { code: 'UNKNOWN_WORKFLOW', message: expect.stringContaining('Unknown workflow "workflow_0_x"') };
    await expect(workflows.get('workflow_0_x')).rejects.toMatchObject(unknown);
    await expect(workflows.acquire('workflow_0_x')).rejects.toMatchObject(unknown);
    await expect(workflows.create({ ...goal, goal: '' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(workflows.create({ ...goal, todos: ['x'.repeat(2_000_000)] })).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
    await expect(workflows.create({ ...goal, streamName: '' })).rejects.toMatchObject({ code: 'INVALID_NAME' });
    const { id } = await workflows.create(goal);
    const run = await workflows.acquire(id);
    await expect(run.updateTodo('todo_9', { status: 'done' })).rejects.toMatchObject({ code: 'UNKNOWN_TODO' });
    const huge = { status: 'done', result: 'x'.repeat(2_000_000) } as const;
    await expect(run.updateTodo('todo_0', huge)).rejects.toMatchObject({ code: 'TOO_LARGE' });
    const circle: unknown[] = [];
    circle.push(circle);
    for (const result of [5n, circle, () => 5])
      await expect(run.updateTodo('todo_0', { status: 'done', result })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining('todo_0'),
      });
    // The update returns the record as it is stored.
    const dated = await run.updateTodo('todo_0', { status: 'done', result: { at: new Date(0), gap: undefined } });
    expect(dated.todos[0]).toEqual((await workflows.get(id)).todos[0]);
    expect(dated.todos[0]?.result).toEqual({ at: '1970-01-01T00:00:00.000Z' });
    expect((await run.addTodos(['check'])).todos.at(-1)).toEqual({ id: 'todo_3', content: 'check', status: 'pending' });
    await run.finish({ status: 'failed' });
    expect(await workflows.get(id)).toMatchObject({ status: 'failed' });
    await expect(workflows.acquire(id, { leaseMs: 0 })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });
});
