import { codingToolSet } from '@cairn/coding-agent';
import { expect, test } from 'vitest';
import { transcriptOf } from '../support/model-server.ts';
import { createTree } from '../support/tree.ts';
import { helper, startAgents } from './start-agents.ts';

test('a run calls tools, streams its answer, and keeps its turn for the next run', async () => {
  const { server, agents } = await startAgents(
    [
      { text: 'I read it.', toolCalls: [{ name: 'read', input: { path: 'a.txt' } }] },
      { text: 'It says hello.' },
      { text: 'Still hello.' },
    ],
    { root: createTree({ 'a.txt': 'hello\n' }), toolSets: [codingToolSet] },
  );
  const run = agents.run({ agent: helper, prompt: 'Read a.txt.' });
  const types: string[] = [];
  for await (const event of run) types.push(event.type);
  expect(types).toEqual(['start', 'step', 'text', 'tool-start', 'tool-end', 'step', 'text', 'end']);
  expect(await run.result).toMatchObject({
    run: run.run,
    agent: 'helper',
    finishReason: 'stop',
    text: 'It says hello.',
    steps: 2,
    usage: { isComplete: true },
  });
  await agents.run({ agent: helper, prompt: 'And now?' }).result;
  const { requests } = server;
  const last = requests[2];
  if (last === undefined) throw new Error('there is no third request');
  expect(transcriptOf(last)).toEqual([
    'user: Read a.txt.',
    'assistant: I read it. call_1_1=read({"path":"a.txt"})',
    expect.stringMatching(/^tool call_1_1: \[a\.txt: .*\]\nhello$/u),
    'assistant: It says hello.',
    'user: And now?',
  ]);
  expect(server.refusals).toEqual([]);
});

test('a shared run sees the main session and writes to it; an isolated one does neither', async () => {
  const { server, agents, contexts } = await startAgents([{ text: 'React.' }, { text: 'I do not know.' }]);
  await contexts.appendTurn(
    'main',
    [
      { role: 'user', content: 'We use React.' },
      { role: 'assistant', content: 'Noted.' },
    ],
    'shared',
  );
  await agents.run({ agent: helper, prompt: 'Which framework?', mode: 'shared' }).result;
  await agents.run({ agent: helper, prompt: 'Which framework?' }).result;
  expect(server.requests.map(transcriptOf)).toEqual([
    ['user: We use React.', 'assistant: Noted.', 'user: Which framework?'],
    ['user: Which framework?'],
  ]);
  expect(contexts.main.conversationHistory).toHaveLength(4);
});
