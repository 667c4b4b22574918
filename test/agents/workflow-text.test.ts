/** Models that answer as text, because their server rejects tools. */
import { expect, test } from 'vitest';
import { startWorkflows, textOf } from './workflow-harness.ts';

test.each([
  [400, 'library/gemma does not support tools'],
  [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  [404, 'No endpoints found that support tool use'],
  [400, 'this model does not support Function Calling'],
])('a model whose server rejects tools (%i %s) works as text', async (status, message) => {
  const made: unknown[] = [];
  const { workflows, server, onEvent, events } = await startWorkflows({
    script: (request) => {
      if (request.chat.tools !== undefined) return { status, message };
      const prompt = textOf(request, -1);
      if (!prompt.includes('# Current task')) return { text: 'Decision: complex\nTODO list:\n1. create the file' };
      return { text: 'Completion: 1\nAction: [create:a.txt]\nNext step: None\nNote: a.txt is there.' };
    },
    functions: [
      {
        name: 'create_file',
        description: 'creates a file',
        aliases: ['create'],
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
    .process({ group: 'g' }, 'make a.txt', { mergeStreams: ['desktop'], onEvent });
  expect(response).toMatchObject({ status: 'done', text: 'a.txt is there.' });
  expect(made).toEqual([{ name: 'a.txt' }]);
  // Only the first request had tools, and the user is informed.
  expect(server.requests.map(({ chat }) => chat.tools !== undefined)).toEqual([true, false, false]);
  const notices = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  expect(notices).toEqual([expect.stringContaining(message)]);
});

test('a request that is rejected for another reason is an error', async () => {
  const { workflows, server } = await startWorkflows({ script: () => ({ status: 400, message: 'unknown model' }) });
  await expect(workflows.stream('chat').process({ group: 'g' }, 'hello')).rejects.toThrow('unknown model');
  expect(server.requests).toHaveLength(1);
});

test('a call by a name that servers reject does not end the workflow', async () => {
  const { workflows, server } = await startWorkflows({
    script: [{ toolCalls: [{ name: 'functions.create file', input: {} }] }, { text: 'I go without.' }],
  });
  const response = await workflows.stream('chat').process({ group: 'g' }, 'make a.txt');
  expect(response.text).toBe('I go without.');
  expect(server.refusals).toEqual([]);
});
