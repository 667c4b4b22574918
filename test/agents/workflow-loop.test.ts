import { expect, test } from 'vitest';
import { report, startWorkflows, textOf } from './workflow-harness.ts';

test('a complex request becomes todos, which are worked on one after another', async () => {
  const made: unknown[] = [];
  const { memory, workflows, server, events, onEvent } = await startWorkflows({
    script: [
      { toolCalls: [{ name: 'create_todos', input: { todos: ['create the file', 'report'] } }] },
      { toolCalls: [{ name: 'desktop_create_file', input: { name: 'a.txt' } }] },
      report(1, { note: 'a.txt was created' }) as never,
      report(0.9, { result: 'The file a.txt is there.' }) as never,
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
