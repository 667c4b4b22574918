import { createMemory } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import type { Memory } from '@cairn/memory';
import { describe, expect, test } from 'vitest';
import { backendKinds, openMemory, START_MS, useBackends } from './backends.ts';

useBackends();

const DAY = 86_400_000;
const goal = { goal: 'make a table', todos: ['ask', 'create', 'fill'], streamName: 'chat' };

describe.each(backendKinds)('workflows on $name', (kind) => {
  test.skipIf(kind.isSkipped)('an invalid argument is rejected, and changes nothing', async () => {
    const { memory } = await openMemory(kind);
    const refused = { code: 'INVALID_INPUT' };
    for (const todos of [undefined, 'abc', [{ content: 'a' }]]) {
      const created = memory.workflows.create({ goal: 'g', todos: todos as never, streamName: 's' });
      await expect(created).rejects.toMatchObject(refused);
    }
    const { id } = await memory.workflows.create({ goal: 'g', todos: ['a'], streamName: 's' });
    const run = await memory.workflows.acquire(id);
    await expect(run.finish({ status: 'ended' as never })).rejects.toMatchObject(refused);
    await expect(run.finish({ notes: 'keep' as never })).rejects.toMatchObject(refused);
    await expect(memory.workflows.cancel(id, { notes: 'keep' as never })).rejects.toMatchObject(refused);
    expect((await run.finish()).status).toBe('done');
  });

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
      // It still runs: its updates are rejected now.
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
      await advance(200);
      const { revision } = await memory.workflows.get(id);
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
        rows: async (...given) => {
          if (isBroken) throw new TypeError('nobody expected this');
          return memory.backend.rows(...given);
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
    await listsOf(memory.backend).swap('ai:workflow:theirs', { expected: undefined, next: 'text' });
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
    const huge = { status: 'done', result: { text: 'x'.repeat(2000) } } as const;
    await expect(run.updateTodo('todo_0', huge)).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringContaining('The result of todo_0 has 2011 characters, more than 2000'),
    });
    await expect(run.wait({ todoId: 'todo_9' })).rejects.toMatchObject({ code: 'UNKNOWN_TODO' });
    await expect(run.wait({ question: '' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(run.setState(() => 5)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(workflows.cancel('workflow_0_x')).rejects.toMatchObject(unknown);
    await expect(workflows.waiting({ stream: '', group: 'g' })).rejects.toMatchObject({ code: 'INVALID_NAME' });
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

  /** Another process with the same store: it shares nothing else. */
  const elsewhere = (memory: Memory): Memory =>
    createMemory({ backend: { ...memory.backend, close: async () => undefined } });

  test.skipIf(kind.isSkipped)(
    'a workflow waits for the user without its lease, and the next user message of the group resumes it',
    async () => {
      const { memory, advance } = await openMemory(kind);
      const stream = memory.defineStream({ name: 'chat' });
      const place = { stream: 'chat', group: 'g' };
      const { id } = await memory.workflows.create({ ...goal, groupId: 'g' });
      const run = await memory.workflows.acquire(id);
      await run.setState({ iterations: 1 });
      expect(await stream.addMessage('g', { content: 'early' })).not.toHaveProperty('resumes');
      const asked = await run.wait({ todoId: 'todo_0', question: 'how many rows?' });
      expect(asked).toMatchObject({
        status: 'waiting',
        todos: [{ id: 'todo_0', status: 'waiting' }, { status: 'pending' }, { status: 'pending' }],
        question: { todoId: 'todo_0', text: 'how many rows?', time: START_MS },
      });
      expect(asked).not.toHaveProperty('lease');
      await expect(run.updateTodo('todo_0', { status: 'done' })).rejects.toMatchObject({ code: 'LEASE_LOST' });
      expect(run.signal.aborted).toBe(false);
      await run.release();
      expect(await memory.workflows.waiting(place)).toEqual([await memory.workflows.get(id)]);
      expect(await memory.workflows.waiting({ stream: 'chat' })).toHaveLength(1);
      for (const other of [{ ...place, group: 'h' }, { ...place, stream: 'cha' }, { stream: 'cha' }]) {
        expect(await memory.workflows.waiting(other)).toEqual([]);
      }

      // Only a message of the user of this group resumes it, in any process.
      await advance(1000);
      const other = elsewhere(memory);
      const there = other.defineStream({ name: 'chat' });
      expect(await there.addMessage('g', { role: 'assistant', content: 'how many?' })).not.toHaveProperty('resumes');
      expect(await there.addMessage('h', { content: 'three' })).not.toHaveProperty('resumes');
      expect(await there.addMessage('g', { content: 'three' })).toMatchObject({ content: 'three', resumes: id });
      const resumed = await other.workflows.acquire(id);
      expect(resumed.record).toMatchObject({
        status: 'running',
        todos: [{ id: 'todo_0', status: 'pending' }, {}, {}],
        question: { todoId: 'todo_0', text: 'how many rows?', time: START_MS },
        state: { iterations: 1 },
      });
      expect(await stream.addMessage('g', { content: 'later' })).not.toHaveProperty('resumes');
      expect(await memory.backend.keys('ai:waiting:')).toEqual([]);
      // It can wait again, and acquire does not need a message.
      await resumed.wait();
      expect(await stream.addMessage('g', { content: 'again' })).toMatchObject({ resumes: id });
      await using last = await memory.workflows.acquire(id);
      expect(last.record.status).toBe('running');
    },
  );

  test.skipIf(kind.isSkipped)('of several workflows that wait, a message resumes the one that asked last', async () => {
    const { memory, advance } = await openMemory(kind);
    const stream = memory.defineStream({ name: 'chat' });
    const ids: string[] = [];
    for (let index = 0; index < 3; index++) {
      const { id } = await memory.workflows.create({ ...goal, groupId: 'g' });
      ids.push(id);
      await (await memory.workflows.acquire(id)).wait();
      await advance(1000);
    }
    const [first = '', second = '', third = ''] = ids;
    await (await memory.workflows.acquire(first)).wait();
    const waiting = async (): Promise<string[]> =>
      (await memory.workflows.waiting({ stream: 'chat', group: 'g' })).map(({ id }) => id);
    expect(await waiting()).toEqual([first, third, second]);
    expect(await stream.addMessage('g', { content: 'yes' })).toMatchObject({ resumes: first });
    await memory.workflows.cancel(first);
    await memory.workflows.remove(third);
    expect(await waiting()).toEqual([second]);
    await memory.workflows.remove(second);
    expect(await memory.backend.keys('ai:waiting:')).toEqual([]);
  });

  test.skipIf(kind.isSkipped)('a workflow that waits is kept for 3 days, and survives an export', async () => {
    const { memory, advance } = await openMemory(kind);
    const { id } = await memory.workflows.create({ ...goal, groupId: 'g' });
    await (await memory.workflows.acquire(id)).wait({ todoId: 'todo_1', question: 'which?' });
    await advance(3 * DAY - 10_000);
    const place = { stream: 'chat', group: 'g' };
    expect(await memory.workflows.waiting(place)).toHaveLength(1);
    const record = await memory.workflows.get(id);
    await memory.workflows.remove(id);
    expect(await memory.workflows.restore(record)).toBe(true);
    expect(await memory.workflows.waiting(place)).toMatchObject([{ id, question: { text: 'which?' } }]);
    await advance(3 * DAY);
    expect(await memory.workflows.waiting(place)).toEqual([]);
    await advance(DAY);
    expect(await memory.backend.keys('')).toEqual([]);
  });

  test.skipIf(kind.isSkipped)(
    'a value of another program does not hide a workflow that waits, nor reject a message',
    async () => {
      const { memory } = await openMemory(kind);
      const stream = memory.defineStream({ name: 'chat' });
      const ids = [];
      for (let index = 0; index < 2; index++) {
        const { id } = await memory.workflows.create({ ...goal, groupId: 'g' });
        await (await memory.workflows.acquire(id)).wait();
        ids.push(id);
      }
      const [first = '', second = ''] = ids;
      await memory.workflows.remove(second);
      await listsOf(memory.backend).swap(`ai:workflow:${second}`, { expected: undefined, next: 'text' });
      await memory.backend.change('ai:waiting:chat:g', { rows: [{ id: 'again', next: second }] });
      expect(await stream.addMessage('g', { content: 'a' })).toMatchObject({ resumes: first });
      await memory.backend.change('ai:waiting:chat:h', { rows: [{ id: 'x', next: 'unknown' }] });
      expect(await stream.addMessage('h', { content: 'a' })).not.toHaveProperty('resumes');
      expect(await memory.workflows.waiting({ stream: 'chat' })).toMatchObject([{ id: first }]);
    },
  );

  test.skipIf(kind.isSkipped)('a workflow without a group waits for an acquire', async () => {
    const { memory } = await openMemory(kind);
    const { id } = await memory.workflows.create(goal);
    await (await memory.workflows.acquire(id)).wait();
    expect(await memory.workflows.waiting({ stream: 'chat' })).toEqual([]);
    expect(await memory.workflows.list()).toMatchObject([{ id, status: 'waiting' }]);
    await using run = await memory.workflows.acquire(id);
    expect(run.record.status).toBe('running');
  });

  test.skipIf(kind.isSkipped)('cancelling ends a workflow that runs or waits, and its runner', async () => {
    const { memory } = await openMemory(kind);
    const { id } = await memory.workflows.create(goal);
    const run = await memory.workflows.acquire(id);
    await memory.storeNote(id, 'a', 'todo_0');
    const other = elsewhere(memory);
    const cancelled = await other.workflows.cancel(id, { reason: 'not needed' });
    expect(cancelled).toMatchObject({ status: 'cancelled', reason: 'not needed' });
    expect(cancelled).not.toHaveProperty('lease');
    expect(await memory.getNotes(id)).toEqual([]);
    await expect(run.updateTodo('todo_0', { status: 'done' })).rejects.toMatchObject({
      code: 'LEASE_LOST',
      message: expect.stringContaining('it is cancelled'),
    });
    expect(run.signal.aborted).toBe(true);
    expect(await other.workflows.cancel(id)).toMatchObject({ status: 'cancelled', reason: 'not needed' });
    await expect(memory.workflows.acquire(id)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('is finished (cancelled)'),
    });
    const done = await memory.workflows.create(goal);
    await memory.storeNote(done.id, 'a', 'todo_0');
    await (await memory.workflows.acquire(done.id)).finish({ status: 'failed', reason: 'no rows', notes: 'expire' });
    expect(await memory.workflows.get(done.id)).toMatchObject({ status: 'failed', reason: 'no rows' });
    await expect(memory.workflows.cancel(done.id)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await memory.getNotes(done.id)).toHaveLength(1);
    const kept = await memory.workflows.create(goal);
    await memory.storeNote(kept.id, 'a', 'todo_0');
    await memory.workflows.cancel(kept.id, { notes: 'expire' });
    expect(await memory.getNotes(kept.id)).toHaveLength(1);
  });

  test.skipIf(kind.isSkipped)('a failed last change keeps the lease and its heartbeat', async () => {
    const { memory, advance } = await openMemory(kind);
    const { id } = await memory.workflows.create(goal);
    await using run = await memory.workflows.acquire(id, { leaseMs: 300 });
    await expect(run.wait({ question: 'x'.repeat(2_000_000) })).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await expect(run.finish({ signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop');
    await advance(200);
    const { revision } = await memory.workflows.get(id);
    await expect.poll(async () => (await memory.workflows.get(id)).revision).toBeGreaterThan(revision);
    await run.updateTodo('todo_0', { status: 'running' });
  });

  test.skipIf(kind.isSkipped)('a long result is cut to 2,000 characters, and states by how much', async () => {
    const { memory } = await openMemory(kind);
    const { id } = await memory.workflows.create(goal);
    await using run = await memory.workflows.acquire(id);
    for (const text of ['x', '😀']) {
      const { todos } = await run.updateTodo('todo_0', { status: 'done', result: text.repeat(5000) });
      const result = todos[0]?.result as string;
      expect(result.length).toBeLessThanOrEqual(2000);
      expect(result.length).toBeGreaterThan(1950);
      const cut = /^(?<kept>.*)… \[(?<left>\d+) more characters\]$/u.exec(result)?.groups;
      expect((cut?.['kept']?.length ?? 0) + Number(cut?.['left'])).toBe(text.length * 5000);
      expect(/\p{Cs}/u.test(result)).toBe(false);
    }
    const exact = 'y'.repeat(2000);
    expect((await run.updateTodo('todo_0', { status: 'done', result: exact })).todos[0]?.result).toBe(exact);
  });

  test.skipIf(kind.isSkipped)('fields and states of a newer version survive the updates of this one', async () => {
    const { memory } = await openMemory(kind);
    const { id } = await memory.workflows.create({ ...goal, groupId: 'g' });
    const key = `ai:workflow:${id}`;
    const edit = async (change: (record: Record<string, unknown>) => unknown): Promise<void> => {
      const expected = await listsOf(memory.backend).read(key);
      const next = JSON.stringify(change(JSON.parse(expected ?? '') as Record<string, unknown>));
      expect(await listsOf(memory.backend).swap(key, { expected, next, ttlMs: DAY })).toBe(true);
    };
    await edit((record) => ({
      ...record,
      budget: { tokens: 5 },
      todos: (record['todos'] as object[]).map((todo, index) => ({ ...todo, tries: index, status: 'skipped' })),
    }));
    const run = await memory.workflows.acquire(id);
    await run.updateTodo('todo_1', { status: 'done' });
    await run.addTodos(['more']);
    await run.wait({ todoId: 'todo_1' });
    const expected = {
      budget: { tokens: 5 },
      todos: [
        { id: 'todo_0', status: 'skipped', tries: 0 },
        { id: 'todo_1', status: 'waiting', tries: 1 },
        { id: 'todo_2', status: 'skipped', tries: 2 },
        { id: 'todo_3', status: 'pending' },
      ],
    };
    expect(await memory.workflows.get(id)).toMatchObject(expected);
    expect(JSON.parse((await listsOf(memory.backend).read(key)) ?? '')).toMatchObject(expected);
    // A state that this version does not know is shown, and not acquired.
    await edit((record) => ({ ...record, status: 'paused' }));
    expect(await memory.workflows.list()).toMatchObject([{ id, status: 'paused' }]);
    await expect(memory.workflows.acquire(id)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('has the status "paused", which this version does not know'),
    });
  });

  test.skipIf(kind.isSkipped)('a record as in the source is read and acquired', async () => {
    const { memory } = await openMemory(kind);
    const id = 'workflow_1234567890_abc123';
    const record = {
      id,
      goal: '帮我做一个表格',
      todos: [{ id: 'todo_0', content: '询问用户表格的具体内容和格式', status: 'pending' }],
      notes: [],
      streamName: 'chat-desktop',
    };
    const swap = { expected: undefined, next: JSON.stringify(record), ttlMs: DAY };
    await listsOf(memory.backend).swap(`ai:workflow:${id}`, swap);
    expect(await memory.workflows.get(id)).toMatchObject({ ...record, status: 'running' });
    await using run = await memory.workflows.acquire(id);
    expect((await run.updateTodo('todo_0', { status: 'done' })).todos).toMatchObject([{ status: 'done' }]);
  });

  test.skipIf(kind.isSkipped)('several changes are made in one step, or none is made', async () => {
    const { memory } = await openMemory(kind);
    const { id } = await memory.workflows.create({ ...goal, state: { iterations: 0 } });
    await using run = await memory.workflows.acquire(id);
    expect(run.record.state).toEqual({ iterations: 0 });
    await expect(memory.workflows.create({ ...goal, state: 1n })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const before = (await memory.workflows.get(id)).revision;
    const record = await run.update({
      todos: { todo_0: { status: 'done', completion: 0.3, result: 'part' }, todo_1: { status: 'running' } },
      addTodos: ['more'],
      state: { iterations: 1 },
    });
    expect(record.revision).toBe(before + 1);
    expect(await memory.workflows.get(id)).toMatchObject({
      todos: [
        { id: 'todo_0', status: 'done', completion: 0.3, result: 'part' },
        { id: 'todo_1', status: 'running' },
        { id: 'todo_2', status: 'pending' },
        { id: 'todo_3', content: 'more', status: 'pending' },
      ],
      state: { iterations: 1 },
    });
    const refused = [
      [{ todos: { todo_1: { status: 'done' }, todo_9: { status: 'done' } }, state: 2 }, 'UNKNOWN_TODO'],
      [{ todos: { todo_1: { status: 'done' } }, addTodos: [''] }, 'INVALID_INPUT'],
      [{ todos: { todo_1: { status: 'done', completion: 1.5 } } }, 'INVALID_INPUT'],
      [{ todos: { todo_1: { status: 'done', completion: Number.NaN } } }, 'INVALID_INPUT'],
      [{ todos: { todo_1: null as never } }, 'INVALID_INPUT'],
      [{ addTodos: 'abc' as never }, 'INVALID_INPUT'],
    ] as const;
    for (const [update, code] of refused) await expect(run.update(update)).rejects.toMatchObject({ code });
    expect(await memory.workflows.get(id)).toMatchObject({ revision: before + 1, state: { iterations: 1 } });
  });

  test.skipIf(kind.isSkipped)(
    'a failed or cancelled workflow runs again when it is reopened, a done one does not',
    async () => {
      const { memory } = await openMemory(kind);
      const { id } = await memory.workflows.create(goal);
      const first = await memory.workflows.acquire(id);
      await first.updateTodo('todo_0', { status: 'failed', result: 'no' });
      await first.finish({ status: 'failed', reason: 'todo_0 failed' });
      await expect(memory.workflows.acquire(id)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining('is finished (failed)'),
      });
      const second = await memory.workflows.acquire(id, { reopen: true });
      expect(second.record).toMatchObject({ status: 'running', todos: [{ status: 'failed' }, {}, {}] });
      expect(second.record.reason).toBeUndefined();
      await expect(memory.workflows.acquire(id, { reopen: true })).rejects.toMatchObject({ code: 'WORKFLOW_BUSY' });
      await memory.workflows.cancel(id, { reason: 'stop' });
      const third = await memory.workflows.acquire(id, { reopen: true });
      await third.finish();
      await expect(memory.workflows.acquire(id, { reopen: true })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    },
  );

  test.skipIf(kind.isSkipped)('the open todos of a workflow that waits can be edited', async () => {
    const { memory } = await openMemory(kind);
    const { id } = await memory.workflows.create({ ...goal, groupId: 'g' });
    const run = await memory.workflows.acquire(id);
    const edit = (todos: readonly { id?: string; content: string }[]): Promise<unknown> =>
      memory.workflows.editTodos(id, todos);
    await expect(edit([{ content: 'x' }])).rejects.toMatchObject({ code: 'WORKFLOW_BUSY' });
    await run.updateTodo('todo_0', { status: 'done', result: 'asked' });
    await run.wait({ todoId: 'todo_1', question: 'which?' });
    await edit([{ content: 'check' }, { id: 'todo_1', content: 'create two' }]);
    const { todos, status } = await memory.workflows.get(id);
    expect([status, ...todos]).toEqual([
      'waiting',
      { id: 'todo_0', content: 'ask', status: 'done', result: 'asked' },
      { id: 'todo_3', content: 'check', status: 'pending' },
      { id: 'todo_1', content: 'create two', status: 'waiting' },
    ]);
    await expect(edit([{ id: 'todo_0', content: 'ask' }])).rejects.toMatchObject({
      code: 'UNKNOWN_TODO',
      message: expect.stringContaining('Open todos: todo_3, todo_1.'),
    });
    await expect(edit([1, 2].map(() => ({ id: 'todo_1', content: 'a' })))).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    await expect(edit([{ content: '' }])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const { resumes } = await memory.defineStream({ name: 'chat' }).addMessage('g', { content: 'both' });
    expect(resumes).toBe(id);
    // A removed todo never gives its id to another one.
    const second = await memory.workflows.acquire(id);
    expect((await second.addTodos(['send'])).todos.map((todo) => todo.id)).toEqual([
      'todo_0',
      'todo_3',
      'todo_1',
      'todo_4',
    ]);
    await second.finish();
    await expect(edit([])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
