import { memory as inProcess } from '@cairn/memory/memory';
import { createMemory } from '@cairn/memory';
import { estimateTokens } from '@cairn/tool/prompt';
import { describe, expect, test } from 'vitest';
import { backendKinds, useBackends } from '../memory/backends.ts';
import { systemPromptOf, transcriptOf } from '../support/model-server.ts';
import type { ModelRequest } from '../support/model-server.ts';
import { attach, report, startWorkflows, textOf, todos } from './workflow-harness.ts';

useBackends();

const event = { group: 'g', user: 'ann' };

/** The messages of a request as bytes, without the last one. */
function prefixOf({ chat }: ModelRequest): string {
  return JSON.stringify(chat.messages.slice(0, -1));
}

describe.each(backendKinds)('what a prompt has of the memory on $name', (kind) => {
  test.skipIf(kind.isSkipped)(
    'is the newest 10 messages of the group, and older ones that the query finds',
    async () => {
      const { backend } = await kind.open();
      const { memory, workflows, server } = await startWorkflows({
        backend,
        script: [todos('print the invoice', 'report'), report(1, { note: 'printed' }), report(1)],
      });
      const stream = memory.stream('chat');
      await stream.addMessage('g', { content: 'the invoice is in the blue folder' });
      await stream.addMessage('g', { content: 'the cat sleeps' });
      for (let index = 0; index < 12; index++) {
        const role = index % 2 === 0 ? 'user' : 'assistant';
        await stream.addMessage('g', { role, content: `message ${index}` });
      }
      await stream.addMessage('other', { content: 'the invoice of another group' });
      await workflows.stream('chat').process(event, 'please print');
      const [decide, first] = server.requests as [ModelRequest, ModelRequest];
      // The request itself is the last message of the decision, and a part of the conversation of each step.
      expect(transcriptOf(decide).slice(0, -1)).toEqual(
        Array.from({ length: 10 }, (_, index) => `${index % 2 === 0 ? 'user' : 'assistant'}: message ${index + 2}`),
      );
      expect(transcriptOf(first).slice(0, -1)).toEqual([
        ...Array.from({ length: 9 }, (_, index) => `${index % 2 === 1 ? 'user' : 'assistant'}: message ${index + 3}`),
        'user: ann: please print',
      ]);
      const prompt = textOf(first, -1);
      expect(prompt).toContain('the invoice is in the blue folder');
      expect(prompt).toMatch(/<recalled-memory [^>]*origin="ai:memory:chat:g"/u);
      expect(prompt).not.toContain('cat sleeps');
      expect(prompt).not.toContain('another group');
      // What the conversation has is not recalled a second time.
      expect(prompt).not.toContain('message 9');
    },
  );

  test.skipIf(kind.isSkipped)('has the facts of the project and the user at its start, in each step', async () => {
    const { backend } = await kind.open();
    const { memory, workflows, server } = await startWorkflows({
      backend,
      script: [todos('a', 'b'), report(1), report(1)],
    });
    const { fact } = await memory.facts.remember('the user wants to be called master', { scope: 'user', pinned: true });
    await workflows.stream('chat').process(event, 'go');
    const systems = server.requests.map(systemPromptOf);
    expect(systems[0]).toContain(`[${fact.id}]`);
    expect(systems[0]).toContain('called master');
    expect(systems).toEqual(Array.from({ length: 3 }, () => systems[0]));
  });

  test.skipIf(kind.isSkipped)(
    'has all notes of earlier steps, none of other workflows, and none is left at the end',
    async () => {
      const { backend } = await kind.open();
      const { memory, workflows, server } = await startWorkflows({
        backend,
        script: [
          todos('a', 'b', 'c'),
          report(1, { note: 'first note' }),
          report(1, { note: 'second note' }),
          report(1),
          { text: 'hello' },
        ],
      });
      await memory.storeNote('workflow_1_other', 'a note of another workflow', 'todo_0');
      const { workflow = '', text } = await workflows.stream('chat').process(event, 'go');
      expect(text).toBe('Done:\n- a\n- b\n- c');
      const prompt = textOf(server.requests[3] as ModelRequest, -1);
      expect(prompt).toContain('1. second note\n2. first note');
      await workflows.stream('chat').process(event, 'first note?');
      expect(JSON.stringify(server.requests.map(({ chat }) => chat))).not.toContain('another workflow');
      expect(JSON.stringify(server.requests[4]?.chat.messages)).not.toContain('second note');
      expect(await memory.getNotes(workflow)).toEqual([]);
      expect(await memory.getNotes('workflow_1_other')).toHaveLength(1);
    },
  );
});

test('notes may be left to expire', async () => {
  const { memory, workflows } = await startWorkflows({
    notes: 'expire',
    script: [todos('a'), report(1, { note: 'kept' })],
  });
  const { workflow = '' } = await workflows.stream('chat').process(event, 'go');
  expect(await memory.getNotes(workflow)).toMatchObject([{ content: 'kept', source: 'todo_0', temporary: true }]);
});

test('the result of a step is in the prompt when its notes have expired', async () => {
  let nowMs = 1_703_123_456_789;
  const { workflows, server } = await startWorkflows({
    backend: inProcess({ clock: () => nowMs }),
    script: [
      todos('measure', 'ask'),
      report(1, { note: 'it has 3 rows', result: 'three rows' }),
      { toolCalls: [{ name: 'ask_user', input: { question: 'go on?' } }] },
      report(1),
    ],
  });
  await workflows.stream('chat').process(event, 'go');
  nowMs += 31 * 60_000;
  await workflows.stream('chat').process(event, 'yes');
  const prompt = textOf(server.requests[3] as ModelRequest, -1);
  expect(prompt).not.toContain('it has 3 rows');
  expect(prompt).toContain('Result of todo_0: three rows');
});

test('a message to the merged stream is in neither parent', async () => {
  const { memory, workflows, server } = await startWorkflows({ script: [{ text: 'yes, master' }, { text: 'who?' }] });
  await workflows.stream('chat').process(event, 'call me master', { mergeStreams: ['desktop'] });
  await workflows.stream('chat').process(event, 'who am I?');
  expect(transcriptOf(server.requests[1] as ModelRequest)).toHaveLength(1);
  expect(await memory.stream('desktop').history('g')).toEqual([]);
  expect((await memory.listGroups()).map(({ stream }) => stream).toSorted()).toEqual(['chat', 'chat-desktop']);
});

test('prompts share their bytes from step to step: the system prompt, the tools and the conversation', async () => {
  const { workflows, server } = await startWorkflows({
    script: [todos('a', 'b', 'c'), report(1, { note: 'n' }), report(0.5, { next_step: 'd' }), report(1), report(1)],
  });
  await workflows.stream('chat').process(event, 'go');
  const [, ...steps] = server.requests as [ModelRequest, ...ModelRequest[]];
  expect(new Set(steps.map(prefixOf)).size).toBe(1);
  expect(new Set(server.requests.map(systemPromptOf)).size).toBe(1);
  expect(new Set(steps.map(({ chat }) => JSON.stringify(chat.tools))).size).toBe(1);
  // Nothing of a run is in a prompt: a second run of the same request sends the same bytes.
  const again = await startWorkflows({
    script: [todos('a', 'b', 'c'), report(1, { note: 'n' }), report(0.5, { next_step: 'd' }), report(1), report(1)],
  });
  await again.workflows.stream('chat').process(event, 'go');
  const bodies = (requests: readonly ModelRequest[]): string[] => requests.map(({ body }) => body.toString());
  expect(bodies(again.server.requests)).toEqual(bodies(server.requests));
});

test('a prompt stays within its budget, and states what is left out', async () => {
  const { memory, workflows, server } = await startWorkflows({
    functions: [{ name: 'read', description: 'reads', readOnly: true, execute: () => 'word '.repeat(6000) }],
    script: ({ number, chat }) => {
      if (number === 1) return todos('read all');
      if (number < 12) return { toolCalls: [{ name: 'desktop_read', input: { part: number } }] };
      return report(1, { result: `${chat.messages.length} messages` });
    },
  });
  for (let index = 0; index < 10; index++) {
    await memory.messages.add(
      { stream: 'chat-desktop', group: 'g' },
      { content: `long ${index} ${'x'.repeat(20_000)}` },
    );
  }
  const response = await workflows.stream('chat').process(event, 'read', { mergeStreams: ['desktop'] });
  expect(server.refusals).toEqual([]);
  expect(response.status).toBe('done');
  const tokens = server.requests.map(({ chat }) => estimateTokens(JSON.stringify(chat.messages)));
  for (const one of tokens) expect(one).toBeLessThan(33_000);
  // All ten messages are there, cut, with how much is missing.
  const [first] = server.requests;
  expect(transcriptOf(first as ModelRequest).slice(0, -1)).toHaveLength(9 + 1);
  expect(textOf(first as ModelRequest, 1)).toMatch(/^long \d x+… \[\d+ more characters\]$/u);
  // The turn went on from the record, which has the calls that the transcript no longer has.
  const restarted = server.requests.find(({ chat }, index) => index > 2 && chat.messages.at(-1)?.role === 'user');
  expect(textOf(restarted as ModelRequest, -1)).toContain('desktop.read({"part":2})');
});

test('a request that alone exceeds the budget is rejected before it is sent', async () => {
  const { workflows, server } = await startWorkflows({ script: [], maxTokens: 2000 });
  await expect(workflows.stream('chat').process(event, 'x'.repeat(10_000))).rejects.toMatchObject({
    code: 'TOO_LARGE',
  });
  expect(server.requests).toEqual([]);
});

test('the schemas of the functions count in the budget', async () => {
  const parameters = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`parameter_${index}`, 'x'.repeat(40)]),
  );
  const functions = [{ name: 'act', description: 'acts', parameters, execute: () => 'acted' }];
  const { workflows, server } = await startWorkflows({ script: [{ text: 'hello' }], functions, maxTokens: 8000 });
  const refused = workflows.stream('chat').process(event, 'go', { mergeStreams: ['desktop'] });
  await expect(refused).rejects.toMatchObject({ code: 'TOO_LARGE' });
  expect(server.requests).toEqual([]);
});

test('a model that never ends its turn is stopped, and the step fails with the reason', async () => {
  const { workflows, server } = await startWorkflows({
    maxRequests: 3,
    functions: [{ name: 'read', description: 'reads', readOnly: true, execute: () => 'text' }],
    script: ({ number }) => (number === 1 ? todos('a') : { toolCalls: [{ name: 'desktop_read', input: {} }] }),
  });
  const response = await workflows.stream('chat').process(event, 'go', { mergeStreams: ['desktop'] });
  expect(server.requests).toHaveLength(1 + 4 * 3);
  expect(response).toMatchObject({ status: 'failed', todos: [{ status: 'failed' }] });
  expect(response.text).toContain('The model made 3 requests without ending the step');
});

test('a workflow of another process is continued with its merged stream', async () => {
  const { backend, server, workflows } = await startWorkflows({
    script: [
      todos('a'),
      { toolCalls: [{ name: 'ask_user', input: { question: 'which?' } }] },
      report(1, { result: 'ok' }),
    ],
  });
  const { workflow = '' } = await workflows.stream('chat').process(event, 'go', { mergeStreams: ['desktop'] });
  const other = attach(server, backend, {});
  expect(await other.workflows.resume(workflow, { answer: 'this' })).toMatchObject({ status: 'done', text: 'ok' });
  const without = createMemory({ backend });
  await expect(without.workflows.get(workflow)).resolves.toMatchObject({ streamName: 'chat-desktop' });
});
