/** Steps that were added because an earlier one was unfinished: they run, unless their reason is gone. */
import { expect, test } from 'vitest';
import { call, report, startWorkflows, textOf, todos } from './workflow-harness.ts';
import type { Harness } from './workflow-harness.ts';
import type { ModelReply } from '../support/model-server.ts';

const ask = (question: string): ModelReply => ({ toolCalls: [{ name: 'ask_user', input: { question } }] });

/** A function that fails until it is called the given number of times. */
function flaky(name: string, failures: number): { name: string; description: string; execute: () => string } {
  let calls = 0;
  return {
    name,
    description: name,
    execute: () => {
      calls += 1;
      if (calls <= failures) throw new Error('no paper');
      return 'made';
    },
  };
}

async function begin(
  script: readonly ModelReply[],
  functions = [flaky('print', 0)],
): Promise<Harness & { send: (text: string) => Promise<{ status: string; text: string; ended: string[] }> }> {
  const started = await startWorkflows({ script: [...script], functions });
  const { workflows, onEvent } = started;
  const send = async (text: string): Promise<{ status: string; text: string; ended: string[] }> => {
    const {
      status,
      text: answer,
      todos: all,
    } = await workflows.stream('chat').process({ group: 'g' }, text, { mergeStreams: ['desktop'], onEvent });
    return {
      status,
      text: answer,
      ended: (all ?? []).map((todo) => `${todo.content}: ${todo.closedBy ?? todo.status}`),
    };
  };
  return { ...started, send };
}

test('a call that had failed and was made closes the step that was added for it', async () => {
  const { send, server } = await begin(
    [
      todos('print the list', 'bind the list'),
      call('print'),
      report(0.5, { next_step: 'print again' }),
      call('print'),
      report(1, { result: 'It is bound.' }),
    ],
    [flaky('print', 1)],
  );
  expect(await send('Print it.')).toEqual({
    status: 'done',
    text: 'It is bound.',
    ended: ['print the list: done', 'bind the list: done', 'print again: todo_1'],
  });
  expect(server.requests).toHaveLength(5);
});

test('a next step without a question and without a failed call runs, whatever the others did', async () => {
  const { send, server } = await begin([
    todos('write the list', 'print the list'),
    report(0.5, { next_step: 'publish the list' }),
    call('print'),
    report(1, { result: 'It is printed.' }),
    report(1, { result: 'It is published.' }),
  ]);
  expect(await send('Publish it.')).toEqual({
    status: 'done',
    text: 'It is published.',
    ended: ['write the list: done', 'print the list: done', 'publish the list: done'],
  });
  expect(server.requests).toHaveLength(5);
});

const question: readonly ModelReply[] = [
  todos('ask for the name', 'write the letter'),
  { text: 'Completion: 0.5\nAction: [ask_user:To whom?]\nNext step: add the address\nNote: None' },
];

test('an answer closes the step of the report that asked, when a later step ends without a next one', async () => {
  const { send, server } = await begin([...question, report(1, { result: 'Dear Ann.' })]);
  expect((await send('Write it.')).status).toBe('waiting');
  expect(await send('Ann')).toMatchObject({
    status: 'done',
    ended: ['ask for the name: done', 'write the letter: done', 'add the address: todo_1'],
  });
  expect(textOf(server.requests[2] as never, -1)).toContain(
    '# Steps that were added because earlier ones were unfinished\n- todo_2: add the address\n',
  );
});

test('a step that is still needed stays open when the model states it as the next step', async () => {
  const { send } = await begin([
    ...question,
    report(1, { result: 'Dear Ann.', next_step: 'add the address' }),
    report(1, { result: 'Dear Ann, Oslo.' }),
  ]);
  await send('Write it.');
  expect(await send('Ann')).toEqual({
    status: 'done',
    text: 'Dear Ann, Oslo.',
    ended: ['ask for the name: done', 'write the letter: done', 'add the address: done'],
  });
});

test('a step that a person has edited is not closed', async () => {
  const { send, workflows, memory } = await begin([
    ...question,
    report(1, { result: 'Dear Ann.' }),
    report(1, { result: 'Dear Ann, Oslo.' }),
  ]);
  await send('Write it.');
  const [{ id } = { id: '' }] = await memory.workflows.list();
  await workflows.editTodos(id, [
    { id: 'todo_1', content: 'write the letter' },
    { id: 'todo_2', content: 'add Oslo' },
  ]);
  expect(await send('Ann')).toMatchObject({
    text: 'Dear Ann, Oslo.',
    ended: expect.arrayContaining(['add Oslo: done']) as unknown,
  });
});

test('a question that was answered before the report closes nothing', async () => {
  const { send } = await begin([
    todos('ask for the name', 'write the letter'),
    ask('To whom?'),
    report(0.5, { next_step: 'add the address' }),
    report(1, { result: 'Dear Ann.' }),
    report(1, { result: 'Dear Ann, Oslo.' }),
  ]);
  await send('Write it.');
  expect(await send('Ann')).toMatchObject({
    status: 'done',
    ended: ['ask for the name: done', 'write the letter: done', 'add the address: done'],
  });
});

test('the answer without a result tells which steps are partly done and which were not needed', async () => {
  const { send } = await begin([...question, report(1)]);
  await send('Write it.');
  expect((await send('Ann')).text).toContain(
    'Done:\n- ask for the name (partly done)\n- write the letter\n- add the address (not needed)',
  );
});
