/** Answers of models that are odd, and must neither do what they do not say nor lose what they say. */
import { createMemory } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { memoryToolSet } from '@cairn/memory/tools';
import { describe, expect, test } from 'vitest';
import type { ModelReply } from '../support/model-server.ts';
import { attach, report, startWorkflows, textOf, todos } from './workflow-harness.ts';
import type { Harness, HarnessOptions } from './workflow-harness.ts';

const ALL_DONE = { text: 'Completion: 1\nAction: None\nNext step: None\nNote: None' };

interface Started extends Harness {
  readonly made: unknown[];
}

async function start(script: readonly ModelReply[], options: Partial<HarnessOptions> = {}): Promise<Started> {
  const made: unknown[] = [];
  const chatFunctions = [
    {
      name: 'create',
      description: 'makes a file',
      parameters: { filename: 'its name' },
      aliases: ['生成文件'],
      execute: (input: never) => {
        made.push(input);
        return '';
      },
    },
    { name: 'list', description: 'lists the files', readOnly: true, execute: () => 'a.txt' },
  ];
  const harness = await startWorkflows({ script, chatFunctions, ...options });
  return { ...harness, made };
}

describe('an answer to the user', () => {
  test.each([
    'To make a file, write `[create:a.txt]` in an answer.',
    'An example:\n```\n[create:a.txt]\n```\nThat is all.',
    '你可以写“[生成文件:a.txt]”来生成文件。',
    'I did not call [create:a.txt] because you rejected.',
    'Done. [create:a.txt] was called before.',
    '```\n[list]\n[create:a.txt]\n```',
  ])('does not make a call that it only quotes, and states that: %j', async (text) => {
    const { workflows, made, events, onEvent } = await start([{ text }]);
    const response = await workflows.stream('chat').process({ group: 'g' }, 'go', { onEvent });
    expect(made).toEqual([]);
    expect(response.text).toBe(text);
    expect(events).toContainEqual({ type: 'notice', text: expect.stringContaining('a.txt]') as string });
  });

  test.each([
    'Here it is. [create:a.txt]',
    '- [create:a.txt]',
    'Action: [create:a.txt]',
    'I make it.\n[create:a.txt]\nDone.',
    '[create:a.txt].',
    '```\ncode\n```\n[create:a.txt]',
    '> [create:a.txt]',
    '[list] [create:a.txt]',
  ])('makes the call of %j', async (text) => {
    const { workflows, made } = await start([{ text }]);
    await workflows.stream('chat').process({ group: 'g' }, 'go');
    expect(made).toEqual([{ filename: 'a.txt' }]);
  });

  test('that is only a call of a function without a result says that', async () => {
    const { workflows } = await start([{ text: '[create:a.txt]' }]);
    const response = await workflows.stream('chat').process({ group: 'g' }, 'go');
    expect(response).toMatchObject({ status: 'done', text: 'The function returned no value.' });
  });

  test('shows what its calls have looked up', async () => {
    const { workflows } = await start([{ text: 'Let me see. [list]' }]);
    const response = await workflows.stream('chat').process({ group: 'g' }, 'go');
    expect(response.text).toBe('Let me see.\n\na.txt');
  });
});

describe('a decision in JSON', () => {
  test.each([
    '{"decision":"complex","todos":["a","b"]}',
    '{"决策":"需要TODO工作流","TODO列表":["a","b"]}',
    'I think:\n```json\n{"decision":"complex","todos":[{"id":1,"content":"a"},{"id":2,"content":"b"}]}\n```',
    '{"name":"create_todos","arguments":{"todos":["a","b"]}}',
  ])('is worked on: %j', async (text) => {
    const { workflows } = await start([{ text }, ALL_DONE, ALL_DONE]);
    const response = await workflows.stream('chat').process({ group: 'g' }, 'go');
    expect(response).toMatchObject({ status: 'done', kind: 'complex', todos: [{ content: 'a' }, { content: 'b' }] });
  });

  test.each(['{"todos":["a"]}', '{"decision":"complex","todos":["a",7]}', '{"decision":"perhaps","todos":["a"]}'])(
    'that is unclear is asked for again: %j',
    async (text) => {
      const { workflows, server } = await start([{ text }, { text: 'Hello.' }]);
      const response = await workflows.stream('chat').process({ group: 'g' }, 'go');
      expect(response).toMatchObject({ kind: 'simple', text: 'Hello.' });
      expect(server.requests).toHaveLength(2);
    },
  );

  test.each([
    ['{"decision":"simple","answer":"Hello."}', 'Hello.'],
    ['{"name":"x","decision":{"a":1}}', '{"name":"x","decision":{"a":1}}'],
  ])('for an answer is the answer: %j', async (text, answer) => {
    const { workflows } = await start([{ text }]);
    expect(await workflows.stream('chat').process({ group: 'g' }, 'go')).toMatchObject({
      kind: 'simple',
      text: answer,
    });
  });
});

describe('a report of a step', () => {
  test.each([
    'None, because [create:a.txt] was called before.',
    'No action needed ([create:a.txt] was called before).',
    '无（已经执行过[生成文件:a.txt]）',
  ])('without an action makes no call that it names: %j', async (action) => {
    const text = `Completion: 0.9\nAction: ${action}\nNext step: None\nNote: None`;
    const { workflows, made } = await start([todos('one'), { text }]);
    const response = await workflows.stream('chat').process({ group: 'g' }, 'go');
    expect(made).toEqual([]);
    expect(response).toMatchObject({ status: 'done', text: action });
  });

  test.each([
    'Completion: 0.9\n[create:a.txt]\nNext step: None\nNote: None',
    '[create:a.txt]\nCompletion: 0.9\nNext step: None',
    '[create:a.txt]\n{"completion":0.9}',
    'Completion: 0.9\nAction: None\n[create:a.txt]\nNext step: None',
  ])('with a call that has no label is not done: %j', async (text) => {
    const { workflows, made, server } = await start([todos('one'), { text }, ALL_DONE]);
    await workflows.stream('chat').process({ group: 'g' }, 'go');
    expect(made).toEqual([]);
    expect(server.requests).toHaveLength(3);
    expect(textOf(server.requests[2] as never, -1)).toMatch(/Error: (?:The call|The action) "[^\n]*\[create:a\.txt\]/u);
  });

  test('that asks the user goes on after the answer with the actions that were left', async () => {
    const text = 'Completion: 0.9\nAction: [ask_user:Which?] [create:a.txt]\nNext step: None\nNote: None';
    const again = { text: text.replace('[ask_user:Which?] ', '') };
    const { workflows, made, server } = await start([todos('one', 'two'), { text }, again, ALL_DONE]);
    const stream = workflows.stream('chat');
    const asked = await stream.process({ group: 'g' }, 'go');
    expect(asked).toMatchObject({ status: 'waiting', todos: [{ status: 'waiting' }, { status: 'pending' }] });
    expect(await stream.process({ group: 'g' }, 'the first')).toMatchObject({ status: 'done' });
    expect(made).toEqual([{ filename: 'a.txt' }]);
    expect(textOf(server.requests[2] as never, -1)).toContain('ask_user({"question":"Which?"}): done: the first');
  });

  test('of the last step that asks the user stays open for the answer', async () => {
    const text = 'Completion: 0.9\nAction: [ask_user:Which?]\nNext step: None\nNote: None';
    const { workflows, server } = await start([todos('one'), { text }, ALL_DONE]);
    const stream = workflows.stream('chat');
    expect(await stream.process({ group: 'g' }, 'go')).toMatchObject({
      status: 'waiting',
      todos: [{ status: 'waiting' }],
    });
    expect(await stream.process({ group: 'g' }, 'the first')).toMatchObject({ status: 'done' });
    expect(server.requests).toHaveLength(3);
  });

  test('keeps what the model says next to it', async () => {
    const { workflows } = await start([todos('one'), { text: 'The answer is 42.', ...report(1) }]);
    const response = await workflows.stream('chat').process({ group: 'g' }, 'go');
    expect(response).toMatchObject({ text: 'The answer is 42.', todos: [{ result: 'The answer is 42.' }] });
  });

  test('that is there twice counts not at all', async () => {
    const twice = [0.9, 0.2].map((completion) => ({ name: 'finish_step', input: { completion } }));
    const { workflows, server } = await start([todos('one'), { toolCalls: twice }, report(1)]);
    const response = await workflows.stream('chat').process({ group: 'g' }, 'go');
    expect(response).toMatchObject({ status: 'done', todos: [{ completion: 1 }] });
    expect(textOf(server.requests[2] as never, -1)).toContain('several calls of finish_step');
  });
});

test('several lists of todos in one answer are asked for as one', async () => {
  const lists = ['a', 'b'].map((one) => ({ name: 'create_todos', input: { todos: [one] } }));
  const { workflows } = await start([{ toolCalls: lists }, todos('a', 'b'), report(1), report(1)]);
  const response = await workflows.stream('chat').process({ group: 'g' }, 'go');
  expect(response.todos).toMatchObject([{ content: 'a' }, { content: 'b' }]);
});

test('an answer to a workflow that another process holds is stored once, by the process that gets it', async () => {
  const ask: ModelReply = { toolCalls: [{ name: 'ask_user', input: { question: 'Which?' } }] };
  const { workflows, memory, server, backend } = await start([todos('one'), ask, report(1)]);
  const { workflow = '' } = await workflows.stream('chat').process({ group: 'g' }, 'go');
  const held = await memory.workflows.acquire(workflow);
  const other = attach(server, backend, {});
  await expect(other.workflows.resume(workflow, { answer: 'the first' })).rejects.toMatchObject({
    code: 'WORKFLOW_BUSY',
  });
  await held.release();
  expect(await other.workflows.resume(workflow, { answer: 'the first' })).toMatchObject({ status: 'done' });
  const history = await memory.stream('chat').history('g');
  expect(history.filter(({ content }) => content === 'the first')).toHaveLength(1);
});

test('a workflow without memory is not offered the tools of the memory', async () => {
  const tools = memoryToolSet({ open: async () => createMemory({ backend: inProcess() }) });
  const { workflows, server } = await start([{ text: 'Hello.' }, { text: 'Hello.' }], { toolSets: [tools], root: '/' });
  for (const enableMemory of [true, false])
    await workflows.stream('chat').process({ group: 'g' }, 'go', { enableMemory });
  const names = server.requests.map(({ chat }) => (chat.tools ?? []).map((one) => one.function.name));
  expect(names[0]).toContain('remember');
  expect(names[1]).toEqual(['create', 'list', 'create_todos']);
});

test('a note with a secret is stored with a notice', async () => {
  // In parts, so that no scanner finds a key in this file.
  const note = ['the key is gh', 'p_', 'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4'].join('');
  const { workflows, events, onEvent } = await start([todos('one'), report(1, { note })]);
  await workflows.stream('chat').process({ group: 'g' }, 'go', { onEvent });
  expect(events).toContainEqual({
    type: 'notice',
    text: expect.stringContaining('A note of todo_0 seems to') as string,
  });
});

test.each([10n, () => 1])('arguments of a person that are not JSON leave the call waiting: %s', async (input) => {
  const call = { toolCalls: [{ name: 'create', input: { filename: 'a.txt' } }] };
  const { workflows, made } = await start([todos('one'), call, report(1)], { needsApproval: ['create'] });
  const { workflow = '' } = await workflows.stream('chat').process({ group: 'g' }, 'go');
  await expect(workflows.approve(workflow, { input })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect(await workflows.get(workflow)).toMatchObject({
    status: 'waiting',
    state: { calls: [{ status: 'approval' }] },
  });
  await workflows.approve(workflow, { input: { filename: 'b.txt' } });
  expect(made).toEqual([{ filename: 'b.txt' }]);
});
