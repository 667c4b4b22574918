import type { FunctionDefinition } from '@cairn/agents';
import { memory as inProcess } from '@cairn/memory/memory';
import { describe, expect, test } from 'vitest';
import { transcriptOf } from '../support/model-server.ts';
import type { ModelRequest } from '../support/model-server.ts';
import { attach, call, report, startWorkflows, textOf, todos } from './workflow-harness.ts';

const event = { group: 'g', user: 'ann' };
const merged = { mergeStreams: ['desktop'] };

/** A function that keeps what it is called with. */
function recorder(): { readonly calls: unknown[]; readonly functions: FunctionDefinition[] } {
  const calls: unknown[] = [];
  const remove: FunctionDefinition = {
    name: 'remove',
    description: 'removes a file',
    parameters: { path: 'the file' },
    execute: (input: never) => {
      calls.push(input);
      return 'removed';
    },
  };
  return { calls, functions: [remove] };
}

describe('a question to the user', () => {
  const ask = { toolCalls: [{ name: 'ask_user', input: { question: 'which file?' } }] };
  const script = [todos('remove a file', 'report'), ask, report(1, { result: 'removed a.txt' }), report(1)];

  test('lets the workflow wait without a lease, and the next message of the group resumes it in another process', async () => {
    const { server, backend, workflows, events, onEvent } = await startWorkflows({ script });
    const asked = await workflows.stream('chat').process(event, 'remove it', { onEvent });
    expect(asked).toMatchObject({ status: 'waiting', text: 'which file?', waitsFor: { kind: 'answer' } });
    const id = asked.workflow ?? '';
    const record = await workflows.get(id);
    expect(record).toMatchObject({ status: 'waiting', todos: [{ status: 'waiting' }, { status: 'pending' }] });
    expect(record.lease).toBeUndefined();
    expect(events.at(-2)).toEqual({ type: 'question', workflow: id, text: 'which file?' });

    const other = attach(server, backend, {});
    const response = await other.workflows.stream('chat').process(event, 'a.txt, please');
    expect(server.refusals).toEqual([]);
    expect(response).toMatchObject({ status: 'done', workflow: id, text: 'removed a.txt' });
    const resumed = server.requests[2] as ModelRequest;
    expect(transcriptOf(resumed).slice(0, -1)).toEqual([
      'user: ann: remove it',
      'assistant: which file?',
      'user: ann: a.txt, please',
    ]);
    expect(textOf(resumed, -1)).toMatch(/ask_user.*which file\?.*a\.txt, please/u);
    // A step that asked is not a try that failed, and goes on after the answer.
    const { state } = await other.workflows.get(id);
    expect(state).toHaveProperty('iterations', 2);
    expect(state).toHaveProperty('tries', {});
  });

  test('keeps the note of a report in the same answer, and nothing else of it', async () => {
    const both = {
      toolCalls: [
        ...ask.toolCalls,
        {
          name: 'finish_step',
          input: { completion: 1, note: 'a.txt and b.txt exist', result: 'removed all', next_step: 'x' },
        },
      ],
    };
    const { server, workflows } = await startWorkflows({ script: [todos('remove a file'), both, report(1)] });
    const { workflow = '', todos: open } = await workflows.stream('chat').process(event, 'remove it');
    expect(open).toMatchObject([{ status: 'waiting' }]);
    await workflows.resume(workflow, { answer: 'a.txt' });
    expect(server.refusals).toEqual([]);
    const prompt = textOf(server.requests[2] as ModelRequest, -1);
    expect(prompt).toContain('a.txt and b.txt exist');
    expect(prompt).not.toContain('removed all');
  });

  test('is answered by a message that other code stored', async () => {
    const { memory, server, workflows } = await startWorkflows({ script });
    const { workflow = '' } = await workflows.stream('chat').process(event, 'remove it');
    // There is no answer yet.
    expect(await workflows.resume(workflow)).toMatchObject({ status: 'waiting', text: 'which file?' });
    expect(server.requests).toHaveLength(2);
    const { resumes } = await memory.stream('chat').addMessage('g', { content: 'b.txt' });
    expect(resumes).toBe(workflow);
    expect(await workflows.resume(workflow)).toMatchObject({ status: 'done' });
    expect(textOf(server.requests[2] as ModelRequest, -1)).toMatch(/ask_user.*b\.txt/u);
  });

  test('is answered by the one who resumes', async () => {
    const { memory, workflows } = await startWorkflows({ script });
    const { workflow = '' } = await workflows.stream('chat').process(event, 'remove it');
    expect(await workflows.resume(workflow, { answer: 'c.txt' })).toMatchObject({ status: 'done' });
    expect((await memory.stream('chat').history('g')).map(({ content }) => content)).toEqual([
      'removed a.txt',
      'c.txt',
      'which file?',
      'remove it',
    ]);
  });

  test('can be asked without a memory, and is answered in this process', async () => {
    const { memory, server, workflows } = await startWorkflows({ script });
    const { workflow = '' } = await workflows.stream('chat').process(event, 'remove it', { enableMemory: false });
    expect(await workflows.resume(workflow)).toMatchObject({ status: 'waiting', text: 'which file?' });
    expect(await workflows.resume(workflow, { answer: 'd.txt' })).toMatchObject({ status: 'done' });
    expect(textOf(server.requests[2] as ModelRequest, -1)).toMatch(/ask_user.*d\.txt/u);
    expect(await memory.listGroups()).toEqual([]);
    await expect(workflows.resume(workflow)).rejects.toMatchObject({ code: 'UNKNOWN_WORKFLOW' });
  });

  test('todos can be edited while it is open', async () => {
    const { server, workflows } = await startWorkflows({ script });
    const { workflow = '' } = await workflows.stream('chat').process(event, 'remove it');
    await workflows.editTodos(workflow, [{ id: 'todo_0', content: 'remove two files' }, { content: 'send a mail' }]);
    const response = await workflows.stream('chat').process(event, 'a and b');
    expect(response.todos.map(({ id, content, status }) => [id, content, status])).toEqual([
      ['todo_0', 'remove two files', 'done'],
      ['todo_2', 'send a mail', 'done'],
    ]);
    expect(textOf(server.requests[2] as ModelRequest, -1)).toContain('# Current task\nremove two files');
  });
});

describe('an approval', () => {
  const script = [todos('remove a.txt'), call('remove', { path: 'a.txt' }), report(1, { result: 'it is gone' })];
  const needsApproval = ['desktop.remove'];

  test('keeps the todos that the same answer lists, and the request stays open', async () => {
    const { functions } = recorder();
    const first = {
      toolCalls: [...(call('remove', { path: 'a.txt' }).toolCalls ?? []), ...(todos('tell ann').toolCalls ?? [])],
    };
    const { workflows } = await startWorkflows({ script: [first, report(1), report(1)], functions, needsApproval });
    const waits = await workflows.stream('chat').process(event, 'remove a.txt', merged);
    expect(waits.todos.map(({ content, status }) => [content, status])).toEqual([
      ['remove a.txt', 'waiting'],
      ['tell ann', 'pending'],
    ]);
    const { status } = await workflows.approve(waits.workflow ?? '');
    expect(status).toBe('done');
  });

  test('is waited for before the function runs, and given in another process', async () => {
    const { calls, functions } = recorder();
    const first = await startWorkflows({ script, functions, needsApproval });
    const { server, backend, workflows, events, onEvent } = first;
    const waits = await workflows.stream('chat').process(event, 'remove a.txt', { ...merged, onEvent });
    expect(waits).toMatchObject({
      status: 'waiting',
      text: 'May desktop.remove be called with {"path":"a.txt"}? Answer yes or no.',
      waitsFor: { kind: 'approval', call: { id: 'call_0', name: 'desktop.remove', input: { path: 'a.txt' } } },
    });
    expect(calls).toEqual([]);
    expect(events.at(-2)).toMatchObject({ type: 'approval', call: { id: 'call_0', status: 'approval' } });
    const id = waits.workflow ?? '';
    // Resuming it does not approve it.
    expect(await workflows.resume(id)).toMatchObject({ status: 'waiting', waitsFor: { kind: 'approval' } });
    expect(calls).toEqual([]);
    const other = attach(server, backend, { functions, needsApproval });
    expect(await other.workflows.approve(id)).toMatchObject({ status: 'done', text: 'it is gone' });
    expect(calls).toEqual([{ path: 'a.txt' }]);
    expect(textOf(server.requests[2] as ModelRequest, -1)).toMatch(/desktop\.remove\(\{"path":"a\.txt"\}\).*removed/u);
    await expect(other.workflows.approve(id)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('may change the arguments, which the model reads', async () => {
    const { calls, functions } = recorder();
    const { server, workflows } = await startWorkflows({ script, functions, needsApproval });
    const { workflow = '' } = await workflows.stream('chat').process(event, 'remove a.txt', merged);
    expect(await workflows.approve(workflow, { input: { path: 'copy of a.txt' } })).toMatchObject({ status: 'done' });
    expect(calls).toEqual([{ path: 'copy of a.txt' }]);
    expect((await workflows.get(workflow)).state).toMatchObject({
      calls: [{ input: { path: 'copy of a.txt' }, isEdited: true, status: 'done' }],
    });
    expect(textOf(server.requests[2] as ModelRequest, -1)).toContain('copy of a.txt');
  });

  test('with invalid arguments changes nothing, and the model reads why', async () => {
    const { calls, functions } = recorder();
    const { server, workflows } = await startWorkflows({ script, functions, needsApproval });
    const { workflow = '' } = await workflows.stream('chat').process(event, 'remove a.txt', merged);
    await workflows.approve(workflow, { input: { file: 'a.txt' } });
    expect(calls).toEqual([]);
    expect(textOf(server.requests[2] as ModelRequest, -1)).toMatch(/desktop\.remove\(\{"file":"a\.txt"\}\).*path/u);
  });

  test('may be rejected with a reason, which the model reads', async () => {
    const { calls, functions } = recorder();
    const { server, workflows } = await startWorkflows({ script, functions, needsApproval });
    const { workflow = '' } = await workflows.stream('chat').process(event, 'remove a.txt', merged);
    expect(await workflows.refuse(workflow, { reason: 'it is needed' })).toMatchObject({ status: 'done' });
    expect(calls).toEqual([]);
    expect(textOf(server.requests[2] as ModelRequest, -1)).toMatch(/rejected.*it is needed/u);
  });

  test.each([
    ['Yes.', 1, /removed/u],
    ['同意', 1, /removed/u],
    ['no', 0, /rejected/u],
    ['yes, but only on Monday', 0, /rejected.*yes, but only on Monday/u],
  ])('is given by the message %j of the user %i times', async (message, expected, pattern) => {
    const { calls, functions } = recorder();
    const { server, workflows } = await startWorkflows({ script, functions, needsApproval });
    await workflows.stream('chat').process(event, 'remove a.txt', merged);
    expect(await workflows.stream('chat').process(event, message, merged)).toMatchObject({ status: 'done' });
    expect(calls).toHaveLength(expected);
    expect(textOf(server.requests[2] as ModelRequest, -1)).toMatch(pattern);
  });

  test('is not given by another user of the group, whose message is a new request', async () => {
    const { calls, functions } = recorder();
    const { workflows } = await startWorkflows({
      script: [...script.slice(0, 2), { text: 'Hello Bob.' }],
      functions,
      needsApproval,
    });
    const { workflow = '' } = await workflows.stream('chat').process(event, 'remove a.txt', merged);
    const response = await workflows.stream('chat').process({ group: 'g', user: 'bob' }, 'yes', merged);
    expect(response).toMatchObject({ status: 'done', kind: 'simple', text: 'Hello Bob.' });
    expect(calls).toEqual([]);
    expect(await workflows.get(workflow)).toMatchObject({ status: 'waiting' });
  });

  test('is waited for in the first turn and by an action in text too', async () => {
    for (const reply of [call('remove', { path: 'a.txt' }), { text: '[desktop.remove:a.txt]' }]) {
      const { calls, functions } = recorder();
      const { workflows } = await startWorkflows({
        script: [reply, report(1, { result: 'gone' })],
        functions,
        needsApproval,
      });
      const waits = await workflows.stream('chat').process(event, 'remove a.txt', merged);
      expect(waits).toMatchObject({ status: 'waiting', waitsFor: { kind: 'approval' } });
      expect(calls).toEqual([]);
      expect(await workflows.approve(waits.workflow ?? '')).toMatchObject({ status: 'done', text: 'gone' });
      expect(calls).toEqual([{ path: 'a.txt' }]);
    }
  });

  test('is waited for by a step in text, whose report came too early', async () => {
    const { calls, functions } = recorder();
    const { workflows } = await startWorkflows({
      script: [
        todos('remove a.txt'),
        { text: 'Completion: 1\nAction: [desktop.remove:a.txt]\nNext step: None\nNote: None' },
        report(1, { result: 'gone' }),
      ],
      functions,
      needsApproval,
    });
    const { workflow = '', todos: list } = await workflows.stream('chat').process(event, 'remove a.txt', merged);
    expect(list).toMatchObject([{ status: 'waiting' }]);
    expect(await workflows.refuse(workflow)).toMatchObject({ status: 'done', text: 'gone' });
    expect(calls).toEqual([]);
  });

  test('of a function that is not offered here leaves the workflow waiting', async () => {
    const { functions } = recorder();
    const { server, backend, workflows } = await startWorkflows({ script, functions, needsApproval });
    const { workflow = '' } = await workflows.stream('chat').process(event, 'remove a.txt', merged);
    const other = attach(server, backend, {});
    await expect(other.workflows.approve(workflow)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await workflows.get(workflow)).toMatchObject({ status: 'waiting' });
    expect(await workflows.approve(workflow)).toMatchObject({ status: 'done' });
  });

  test('of a function that does not exist is rejected, so that a misspelled name approves nothing', async () => {
    const { workflows } = await startWorkflows({
      script,
      functions: recorder().functions,
      needsApproval: ['desktop.remov'],
    });
    await expect(workflows.stream('chat').process(event, 'go', merged)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('desktop.remov'),
    });
  });
});

describe('cancel and retry', () => {
  test('a cancelled workflow makes no further call, and states the reason', async () => {
    const { calls, functions } = recorder();
    const backend = inProcess();
    const first = await startWorkflows({
      backend,
      functions,
      script: async ({ number }) => {
        if (number === 1) return todos('remove a.txt');
        const [one] = await first.memory.workflows.list();
        await other.workflows.cancel(one?.id ?? '', { reason: 'not needed' });
        return call('remove', { path: 'a.txt' });
      },
    });
    const other = attach(first.server, backend, { functions });
    const response = await first.workflows.stream('chat').process(event, 'remove a.txt', merged);
    expect(response).toMatchObject({ status: 'cancelled', reason: 'not needed' });
    expect(calls).toEqual([]);
    await expect(other.workflows.resume(response.workflow ?? '')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('failed todos are tried again, with new tries and the results of the others', async () => {
    const tries = Array.from({ length: 4 }, () => report(0.1));
    const { server, workflows, memory } = await startWorkflows({
      script: [
        todos('find it', 'use it'),
        ...tries,
        report(1, { result: 'used nothing' }),
        report(1, { result: 'found' }),
      ],
    });
    const failed = await workflows.stream('chat').process(event, 'go');
    expect(failed).toMatchObject({ status: 'failed', todos: [{ status: 'failed' }, { status: 'done' }] });
    const id = failed.workflow ?? '';
    await expect(workflows.resume(id)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(workflows.retry(id, { todo: 'todo_1' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('todo_0 failed, todo_1 done'),
    });
    const retried = await workflows.retry(id);
    expect(retried).toMatchObject({ status: 'done', text: 'found', todos: [{ status: 'done' }, { status: 'done' }] });
    expect(textOf(server.requests[6] as ModelRequest, -1)).toContain('Result of todo_1: used nothing');
    expect((await workflows.get(id)).reason).toBeUndefined();
    // Both answers are in the conversation.
    expect((await memory.stream('chat').history('g')).map(({ role }) => role)).toEqual([
      'assistant',
      'assistant',
      'user',
    ]);
    await expect(workflows.retry(id)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('a workflow that was stopped after 20 iterations goes on when it is retried', async () => {
    let step = 0;
    const { workflows } = await startWorkflows({
      script: ({ number }) => {
        if (number === 1) return todos('step 0');
        return number < 22 ? report(0.5, { next_step: `step ${++step}` }) : report(1, { result: 'all done' });
      },
    });
    const { workflow = '', status } = await workflows.stream('chat').process(event, 'go');
    expect(status).toBe('failed');
    expect(await workflows.retry(workflow)).toMatchObject({ status: 'done', text: 'all done' });
  });

  test('a cancelled workflow can be retried', async () => {
    const { workflows } = await startWorkflows({
      script: [todos('a'), { toolCalls: [{ name: 'ask_user', input: { question: 'which?' } }] }],
    });
    const { workflow = '' } = await workflows.stream('chat').process(event, 'go');
    await workflows.cancel(workflow);
    expect(await workflows.retry(workflow)).toMatchObject({ status: 'waiting', text: 'which?' });
  });
});

test('of two that resume at once one works, and the other states it', async () => {
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const backend = inProcess();
  const first = await startWorkflows({
    backend,
    script: async ({ number }) => {
      if (number === 1) return todos('a');
      if (number === 2) return { toolCalls: [{ name: 'ask_user', input: { question: 'which?' } }] };
      await held;
      return report(1, { result: 'ok' });
    },
  });
  const { workflow = '' } = await first.workflows.stream('chat').process(event, 'go');
  const working = first.workflows.resume(workflow, { answer: 'this' });
  await first.server.arrived(3);
  const other = attach(first.server, backend, {});
  await expect(other.workflows.resume(workflow)).rejects.toMatchObject({ code: 'WORKFLOW_BUSY' });
  answer();
  expect(await working).toMatchObject({ status: 'done', text: 'ok' });
});
