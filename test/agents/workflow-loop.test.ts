import type { MemoryBackend } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { expect, test } from 'vitest';
import { transcriptOf } from '../support/model-server.ts';
import type { ModelRequest } from '../support/model-server.ts';
import { report, startWorkflows, textOf, todos } from './workflow-harness.ts';

test('a complex request becomes todos, which are worked on in sequence', async () => {
  const made: unknown[] = [];
  const { memory, workflows, server, events, onEvent } = await startWorkflows({
    script: [
      { toolCalls: [{ name: 'create_todos', input: { todos: ['create the file', 'report'] } }] },
      { toolCalls: [{ name: 'desktop_create_file', input: { name: 'a.txt' } }] },
      report(1, { note: 'a.txt was created' }),
      report(0.9, { result: 'The file a.txt is there.' }),
    ],
    functions: [
      {
        name: 'create_file',
        description: 'creates a file',
        parameters: { name: 'the name' },
        execute: (input: never) => {
          made.push(input);
          return 'created';
        },
      },
    ],
  });
  const response = await workflows
    .stream('chat')
    .process({ group: 'g', user: 'ann' }, 'make a.txt', { mergeStreams: ['desktop'], onEvent });
  expect(server.refusals).toEqual([]);
  expect(response).toMatchObject({ status: 'done', kind: 'complex', text: 'The file a.txt is there.' });
  expect(made).toEqual([{ name: 'a.txt' }]);
  expect(response.todos.map(({ status }) => status)).toEqual(['done', 'done']);
  const record = await workflows.get(response.workflow ?? '');
  expect(record).toMatchObject({ status: 'done', streamName: 'chat-desktop', groupId: 'g', notes: [] });
  expect(record.state).toMatchObject({
    iterations: 2,
    calls: [{ id: 'call_0', todoId: 'todo_0', name: 'desktop.create_file', status: 'done', output: 'created' }],
  });
  const history = await memory.stream('chat-desktop').history('g');
  expect(history.map(({ role, content }) => [role, content])).toEqual([
    ['assistant', 'The file a.txt is there.'],
    ['user', 'make a.txt'],
  ]);
  const [, , , last] = server.requests;
  if (last === undefined) throw new Error('there are 4 requests');
  expect(textOf(last, -1)).toContain('# Current task\nreport\n\n# Workflow goal\nmake a.txt');
  expect(textOf(last, -1)).toContain('1. a.txt was created');
  expect(events.map(({ type }) => type)).toEqual([
    'decision',
    'workflow-start',
    'todo-start',
    'tool-start',
    'tool-end',
    'todo-end',
    'todo-start',
    'todo-end',
    'end',
  ]);
});

test('a simple request is one request to the model, and leaves no record', async () => {
  const { memory, workflows, server } = await startWorkflows({ script: [{ text: 'Hello Ann.' }] });
  const response = await workflows.stream('chat').process({ group: 'g', user: 'ann' }, 'hello');
  expect(response).toMatchObject({ status: 'done', kind: 'simple', text: 'Hello Ann.', todos: [] });
  expect(server.requests).toHaveLength(1);
  expect(await memory.workflows.list()).toEqual([]);
  expect((await memory.stream('chat').history('g')).map(({ content }) => content)).toEqual(['Hello Ann.', 'hello']);
});

test('without enableTodo the answer is one turn, and the model cannot list todos', async () => {
  const { workflows, server } = await startWorkflows({ script: [{ text: 'TODO list:\n1. a\n2. b' }] });
  const response = await workflows.stream('chat').process({ group: 'g' }, 'plan my day', { enableTodo: false });
  expect(response).toMatchObject({ status: 'done', kind: 'simple', text: 'TODO list:\n1. a\n2. b' });
  expect(server.requests).toHaveLength(1);
  const [request] = server.requests;
  expect(request?.chat.tools).toBeUndefined();
  expect(request?.chat.messages.at(-1)).toEqual({ role: 'user', content: 'plan my day' });
});

test('without enableMemory nothing of the memory is read or written, also by a list of todos', async () => {
  const calls: string[] = [];
  const backend = inProcess();
  const spied = Object.fromEntries(
    Object.entries(backend).map(([name, value]) =>
      typeof value === 'function' && name !== 'close'
        ? [name, (...given: never[]) => (calls.push(name), (value as (...all: never[]) => unknown)(...given))]
        : [name, value],
    ),
  ) as unknown as MemoryBackend;
  const { memory, workflows, server } = await startWorkflows({
    backend: spied,
    script: [
      todos('list', 'report'),
      { toolCalls: [{ name: 'desktop_list', input: {} }] },
      report(1, { note: 'there are 3 files' }),
      report(1, { result: '3 files' }),
    ],
    functions: [{ name: 'list', description: 'lists files', execute: () => 'a b c' }],
  });
  const response = await workflows
    .stream('chat')
    .process({ group: 'g' }, 'which files?', { mergeStreams: ['desktop'], enableMemory: false });
  expect(server.refusals).toEqual([]);
  expect(response).toMatchObject({ status: 'done', text: '3 files' });
  // The notes and the calls of the run are there, from the memory of this process.
  expect(textOf(server.requests[3] as ModelRequest, -1)).toContain('1. there are 3 files');
  expect(textOf(server.requests[3] as ModelRequest, -1)).toContain('desktop.list({})');
  expect(calls).toEqual([]);
  expect(JSON.stringify(server.requests[0]?.chat.messages)).not.toContain('ai:memory:');
  expect(await memory.workflows.list()).toEqual([]);
});

test('a step that stays incomplete is tried 4 times, fails, and the next one reads why', async () => {
  const { workflows, server, events, onEvent } = await startWorkflows({
    script: [todos('find the key', 'open the door'), ...Array.from({ length: 4 }, () => report(0.2)), report(0.9)],
  });
  const response = await workflows.stream('chat').process({ group: 'g' }, 'open it', { onEvent });
  expect(server.requests).toHaveLength(6);
  expect(response).toMatchObject({
    status: 'failed',
    todos: [{ status: 'failed', completion: 0.2 }, { status: 'done' }],
  });
  expect(response.text).toContain('A step failed:\n- find the key: The completion is 0.2, and no next step is stated.');
  expect(textOf(server.requests[5] as ModelRequest, -1)).toContain('Result of todo_0: The completion is 0.2');
  expect(events.flatMap((event) => (event.type === 'todo-start' ? [event.attempt] : []))).toEqual([1, 2, 3, 4, 1]);
});

test('an error becomes a note, and the step is repeated', async () => {
  let failures = 2;
  const { workflows, server } = await startWorkflows({
    script: [
      todos('run it'),
      { text: 'Completion: 1\nAction: [desktop.run:a]\nNext step: None\nNote: ran it' },
      { text: 'Completion: 1\nAction: [fly:a]\nNext step: None\nNote: None' },
      { text: 'I am done.' },
      { text: 'Completion: 1\nAction: [desktop.run:b]\nNext step: None\nNote: ran b' },
    ],
    functions: [
      {
        name: 'run',
        description: 'runs a command',
        parameters: { command: 'the command' },
        execute: () => {
          failures -= 1;
          if (failures > 0) throw new Error('PowerShell is missing');
          return 'ok';
        },
      },
    ],
  });
  const response = await workflows.stream('chat').process({ group: 'g' }, 'run', { mergeStreams: ['desktop'] });
  expect(server.refusals).toEqual([]);
  expect(response).toMatchObject({ status: 'done', text: 'ran b' });
  const last = textOf(server.requests[4] as ModelRequest, -1);
  expect(last).toContain('Error: desktop.run failed: PowerShell is missing');
  expect(last).toMatch(/Error: .*fly/u);
  expect(last).toMatch(/Error: The answer states no completion/u);
});

test('a step that ends with an error each time is tried 4 times, fails, and each error is a note', async () => {
  const errors = ['no disk', 'no network', 'no paper', 'no ink'];
  const { memory, workflows, server } = await startWorkflows({
    notes: 'expire',
    script: [
      todos('print it', 'tell the user'),
      ...errors.map(() => ({ text: 'Completion: 1\nAction: [desktop.print:a]\nNext step: None\nNote: None' })),
      report(1, { result: 'it could not be printed' }),
    ],
    functions: [
      {
        name: 'print',
        description: 'prints a file',
        parameters: { file: 'the file' },
        execute: () => Promise.reject(new Error(errors.shift())),
      },
    ],
  });
  const response = await workflows.stream('chat').process({ group: 'g' }, 'print', { mergeStreams: ['desktop'] });
  expect(server.requests).toHaveLength(6);
  expect(response).toMatchObject({ status: 'failed', todos: [{ status: 'failed' }, { status: 'done' }] });
  expect(response.text).toMatch(/A step failed:\n- print it: .*no ink/u);
  const notes = await memory.getNotes(response.workflow ?? '');
  expect(notes.map(({ content, source }) => [content, source])).toEqual(
    ['no ink', 'no paper', 'no network', 'no disk'].map((problem) => [
      `Error: desktop.print failed: ${problem}`,
      'todo_0',
    ]),
  );
  expect(textOf(server.requests[5] as ModelRequest, -1)).toContain('1. Error: desktop.print failed: no ink');
});

test('after 20 iterations the workflow is stopped as failed, with the reason and the open steps', async () => {
  let step = 0;
  const { workflows, server } = await startWorkflows({
    script: ({ number }) => (number === 1 ? todos('step 0') : report(0.5, { next_step: `step ${++step}` })),
  });
  const response = await workflows.stream('chat').process({ group: 'g' }, 'go on');
  expect(server.requests).toHaveLength(21);
  expect(response).toMatchObject({
    status: 'failed',
    reason: 'Stopped: 20 steps began, and there are open steps.',
  });
  expect(response.text).toContain('Not done:\n- step 20');
  expect(response.todos).toHaveLength(21);
  expect(response.todos.filter(({ status }) => status === 'done')).toHaveLength(20);
});

test('a call of the first turn creates the record before it runs', async () => {
  const seen: unknown[] = [];
  const { memory, workflows } = await startWorkflows({
    script: [{ toolCalls: [{ name: 'desktop_list', input: {} }] }, { text: 'There are 3 files.' }],
    functions: [
      {
        name: 'list',
        description: 'lists files',
        execute: async () => {
          const [one] = await memory.workflows.list();
          seen.push((await memory.workflows.get(one?.id ?? '')).state);
          return 'a b c';
        },
      },
    ],
  });
  const response = await workflows
    .stream('chat')
    .process({ group: 'g' }, 'which files?', { mergeStreams: ['desktop'] });
  expect(seen).toMatchObject([{ calls: [{ id: 'call_0', name: 'desktop.list', status: 'running' }] }]);
  expect(response).toMatchObject({
    kind: 'simple',
    status: 'done',
    text: 'There are 3 files.',
    todos: [{ content: 'which files?', status: 'done' }],
  });
});

test('a list of todos may follow calls of the first turn', async () => {
  const { workflows, server } = await startWorkflows({
    script: [{ toolCalls: [{ name: 'desktop_list', input: {} }] }, todos('copy them'), report(1, { result: 'copied' })],
    functions: [{ name: 'list', description: 'lists files', execute: () => 'a b c' }],
  });
  const response = await workflows.stream('chat').process({ group: 'g' }, 'copy files', { mergeStreams: ['desktop'] });
  expect(response).toMatchObject({
    kind: 'complex',
    text: 'copied',
    todos: [
      { content: 'copy files', status: 'done' },
      { content: 'copy them', status: 'done' },
    ],
  });
  expect(textOf(server.requests[2] as ModelRequest, -1)).toContain('a b c');
});

test('an answer in text calls functions by their aliases', async () => {
  const made: unknown[] = [];
  const { workflows } = await startWorkflows({
    language: 'zh',
    script: [{ text: '好的，已经生成。[生成文件:a.txt]\n见[附件:1]。' }],
    functions: [
      {
        name: 'make',
        description: '生成',
        parameters: { name: '文件名' },
        aliases: ['生成文件'],
        execute: (input) => made.push(input),
      },
    ],
  });
  const response = await workflows.stream('chat').process({ group: 'g' }, '生成文件', { mergeStreams: ['desktop'] });
  expect(made).toEqual([{ name: 'a.txt' }]);
  expect(response.text).toBe('好的，已经生成。\n见[附件:1]。');
});

test('neighbouring calls that change nothing run together, the others in sequence', async () => {
  const order: string[] = [];
  let running = 0;
  let meet = (): void => undefined;
  const both = new Promise<void>((resolve) => {
    meet = resolve;
  });
  const list = async (): Promise<string> => {
    running += 1;
    if (running === 2) meet();
    await both;
    return 'listed';
  };
  const call = (name: string): { name: string; input: object } => ({ name: `desktop_${name}`, input: {} });
  const { workflows, server } = await startWorkflows({
    script: [{ toolCalls: ['list', 'list', 'write', 'write'].map(call) }, { text: 'done' }],
    functions: [
      { name: 'list', description: 'lists', readOnly: true, execute: list },
      {
        name: 'write',
        description: 'writes',
        execute: async () => {
          order.push('begin');
          // Another call would begin meanwhile.
          for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
          order.push('end');
        },
      },
    ],
  });
  await workflows.stream('chat').process({ group: 'g' }, 'go', { mergeStreams: ['desktop'] });
  expect(order).toEqual(['begin', 'end', 'begin', 'end']);
  expect(transcriptOf(server.requests[1] as ModelRequest).slice(-4)).toEqual([
    'tool call_1_1: listed',
    'tool call_1_2: listed',
    'tool call_1_3: The function returned no value.',
    'tool call_1_4: The function returned no value.',
  ]);
});

test('a report next to a failed call is not accepted', async () => {
  const { workflows, server } = await startWorkflows({
    script: [
      todos('write it'),
      {
        toolCalls: [
          { name: 'desktop_write', input: {} },
          { name: 'finish_step', input: { completion: 1 } },
        ],
      },
      report(0.9, { result: 'could not write' }),
    ],
    functions: [{ name: 'write', description: 'writes', execute: () => Promise.reject(new Error('disk full')) }],
  });
  const response = await workflows.stream('chat').process({ group: 'g' }, 'write', { mergeStreams: ['desktop'] });
  expect(response.text).toBe('could not write');
  expect(transcriptOf(server.requests[2] as ModelRequest).slice(-2)).toEqual([
    'tool call_2_1: disk full',
    expect.stringMatching(/^tool call_2_2: Not accepted/u),
  ]);
});

test('a decision that contradicts itself is asked for again', async () => {
  const { workflows, server } = await startWorkflows({
    script: [
      { text: 'TODO list:\n1. a\n2. b' },
      { text: 'Decision: complex\nTODO list:\n1. a' },
      report(1, { result: 'ok' }),
    ],
  });
  const response = await workflows.stream('chat').process({ group: 'g' }, 'go');
  expect(response).toMatchObject({ status: 'done', text: 'ok', todos: [{ content: 'a' }] });
  expect(textOf(server.requests[1] as ModelRequest, -1)).toContain(
    '# Problems with the last answer\n- The answer has a TODO list but no decision',
  );
});

test('a call with invalid arguments or an unknown name is not made, and the model reads why', async () => {
  const made: unknown[] = [];
  const name = 'desktop_make';
  const { workflows, server } = await startWorkflows({
    script: [
      todos('make it'),
      { toolCalls: [{ name, input: '{"name":' }] },
      { toolCalls: [{ name, input: { nome: 'a' } }] },
      { toolCalls: [{ name: 'desktop_mak', input: { name: 'a' } }] },
      { toolCalls: [{ name: 'finish_step', input: { completion: 2 } }] },
      report(1, { result: 'gave up' }),
    ],
    functions: [
      { name: 'make', description: 'makes', parameters: { name: 'the name' }, execute: (input) => made.push(input) },
    ],
  });
  const response = await workflows.stream('chat').process({ group: 'g' }, 'make', { mergeStreams: ['desktop'] });
  expect(server.refusals).toEqual([]);
  expect(response).toMatchObject({ status: 'done', text: 'gave up' });
  expect(made).toEqual([]);
  const results = transcriptOf(server.requests[5] as ModelRequest).filter((line) => line.startsWith('tool '));
  expect(results).toEqual([
    expect.stringMatching(/^tool call_2_1: Invalid call of desktop_make\. Nothing was done\. .*JSON/su),
    expect.stringMatching(
      /^tool call_3_1: Invalid call of desktop_make\. Nothing was done\. .*missing parameter name; unknown parameter nome/su,
    ),
    expect.stringMatching(/^tool call_4_1: There is no function "desktop_mak"\..*desktop_make/su),
    expect.stringMatching(/^tool call_5_1: Invalid call of finish_step\..*completion/su),
  ]);
});
