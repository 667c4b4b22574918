import { ContextManager, createView, labelOf, textOf, turnsOf } from '@cairn/context';
import type { ContextMode, UnifiedMessage } from '@cairn/context';
import { describe, expect, test } from 'vitest';
import { transcriptOf } from '../support/model-server.ts';
import { helper, startAgents } from './start-agents.ts';
import type { StartedAgents } from './start-agents.ts';
import { makeTool, makeToolSet } from './tools-for-tests.ts';

const mainTurn: readonly UnifiedMessage[] = [
  { role: 'user', content: 'Our project uses React. The key is canary-1.' },
  { role: 'assistant', content: 'Noted. I remember it.' },
];
const agent = { ...helper, sharePatterns: ['project uses *'] };

/** The head message of a mode that shows a part of main. */
const head = (text: RegExp): object => ({ role: 'user', content: expect.stringMatching(text) });
const user = (content: string): object => ({ role: 'user', content });
const assistant = (content: string): object => ({ role: 'assistant', content });
const main = [user('Our project uses React. The key is canary-1.'), assistant('Noted. I remember it.')];

interface Row {
  readonly mode: ContextMode;
  /** The messages of the first and of the second run of the agent, before the prompt. */
  readonly first: readonly object[];
  readonly second: readonly object[];
  /** The texts of main and of the agent's own history after both runs. */
  readonly mainAfter: readonly string[];
  readonly ownAfter: readonly string[];
}

const before = ['Our project uses React. The key is canary-1.', 'Noted. I remember it.'];
const turns = ['Task one', 'Done one.', 'Task two', 'Done two.'];
const own = [user('Task one'), assistant('Done one.')];
const selected = head(/^(?=[^]*Our project uses React\.)(?![^]*canary)/u);
const summarized = head(/Our project uses React\.[^]*I remember it\./u);

const rows: readonly Row[] = [
  { mode: 'isolated', first: [], second: own, mainAfter: before, ownAfter: turns },
  { mode: 'shared', first: main, second: [...main, ...own], mainAfter: [...before, ...turns], ownAfter: [] },
  { mode: 'fork', first: main, second: main, mainAfter: before, ownAfter: turns },
  { mode: 'handback', first: [], second: own, mainAfter: [...before, 'Done one.', 'Done two.'], ownAfter: turns },
  { mode: 'selective', first: [selected], second: [selected, ...own], mainAfter: before, ownAfter: turns },
  { mode: 'summarized', first: [summarized], second: [summarized, ...own], mainAfter: before, ownAfter: turns },
];

async function startWithMain(): Promise<StartedAgents> {
  const contexts = new ContextManager();
  await contexts.appendTurn('main', mainTurn, 'shared');
  return startAgents(({ number }) => ({ text: number === 1 ? 'Done one.' : 'Done two.' }), { contexts });
}

const textsOf = (messages: readonly UnifiedMessage[]): string[] => messages.map(textOf);

test.each(rows)('$mode sends exactly its histories and writes exactly its own', async (row) => {
  const { mode } = row;
  const { server, agents, contexts } = await startWithMain();
  await agents.run({ agent, prompt: 'Task one', mode }).result;
  await agents.run({ agent, prompt: 'Task two', mode }).result;
  const system = (ownMessages: readonly UnifiedMessage[]): object => {
    const { modeText, notice } = createView({
      mode,
      sharePatterns: agent.sharePatterns,
      main: mainTurn,
      own: ownMessages,
    });
    return { role: 'system', content: ['You help.', modeText, notice].filter((text) => text !== '').join('\n\n') };
  };
  const hasOwn = mode !== 'shared';
  const [one, two] = server.requests;
  const rest = { model: 'scripted', stream: true, stream_options: { include_usage: true } };
  expect(one?.chat).toEqual({ ...rest, messages: [system([]), ...row.first, user('Task one')] });
  expect(two?.chat).toEqual({ ...rest, messages: [system(hasOwn ? mainTurn : []), ...row.second, user('Task two')] });
  expect(textsOf(contexts.main.conversationHistory)).toEqual(row.mainAfter);
  expect(textsOf(contexts.getContext('helper', 'isolated').conversationHistory)).toEqual(row.ownAfter);
});

test.each(['fork', 'shared', 'selective', 'summarized'] as const)(
  'a run in the mode %s has main as it was at its start, also when main changes between its steps',
  async (mode) => {
    const contexts = new ContextManager();
    await contexts.appendTurn('main', mainTurn, 'shared');
    const note = makeTool('note', async () => {
      await contexts.appendTurn('main', [{ role: 'user', content: 'Our project uses Vue now.' }], 'shared');
      return 'noted';
    });
    const { server, agents } = await startAgents(
      [{ toolCalls: [{ name: 'note', input: { text: 'a' } }] }, { text: 'Done.' }, { text: 'Done.' }],
      { contexts, toolSets: [makeToolSet(note)] },
    );
    await agents.run({ agent, prompt: 'Go', mode }).result;
    await agents.run({ agent, prompt: 'Again', mode }).result;
    const [first, second, next] = server.requests.map((request) => transcriptOf(request));
    expect(second?.slice(0, first?.length)).toEqual(first);
    expect(second?.join('\n')).not.toContain('Vue');
    expect(next?.join('\n')).toContain('Our project uses Vue now.');
  },
);

test.each(['fork', 'shared'] as const)('an open call of main is closed for a run in the mode %s', async (mode) => {
  const contexts = new ContextManager();
  const open: UnifiedMessage = {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'call_9', toolName: 'grep', input: { pattern: 'React' } }],
  };
  await contexts.appendTurn('main', [...mainTurn.slice(0, 1), open], 'shared');
  const { server, agents } = await startAgents([{ text: 'Done.' }], { contexts });
  await agents.run({ agent, prompt: 'Go', mode }).result;
  expect(server.refusals).toEqual([]);
  expect(server.requests[0] && transcriptOf(server.requests[0])).toEqual([
    'user: Our project uses React. The key is canary-1.',
    'assistant: call_9=grep({"pattern":"React"})',
    expect.stringMatching(/^tool call_9: \S/u),
    'user: Go',
  ]);
  // The history itself stays as it is.
  expect(contexts.main.conversationHistory[1]).toEqual(open);
});

test.each([
  ['aborted', { never: true }, 'aborted'],
  ['failed', { status: 400, message: 'no' }, 'error'],
] as const)(
  'a run in the mode handback that is %s hands nothing to main, and keeps its turn',
  async (_, answer, reason) => {
    const { server, agents, contexts } = await startAgents([answer]);
    const abort = new AbortController();
    const { result } = agents.run({ agent, prompt: 'Go', mode: 'handback', signal: abort.signal });
    await server.arrived(1);
    if (reason === 'aborted') abort.abort();
    expect((await result).finishReason).toBe(reason);
    expect(contexts.main.conversationHistory).toEqual([]);
    expect(contexts.getContext('helper').conversationHistory.map(textOf)).toContain('Go');
  },
);

test('modes alternate from call to call in one session', async () => {
  const { server, agents } = await startWithMain();
  const modes: readonly ContextMode[] = ['isolated', 'shared', 'isolated', 'fork', 'handback', 'shared'];
  for (const [index, mode] of modes.entries()) await agents.run({ agent, prompt: `Prompt ${index}`, mode }).result;
  const sent = server.requests.map(({ chat }) =>
    chat.messages.filter(({ role }) => role === 'user').map(({ content }) => content),
  );
  const react = 'Our project uses React. The key is canary-1.';
  expect(sent).toEqual([
    ['Prompt 0'],
    [react, 'Prompt 1'],
    ['Prompt 0', 'Prompt 2'],
    [react, 'Prompt 1', 'Prompt 3'],
    ['Prompt 0', 'Prompt 2', 'Prompt 3', 'Prompt 4'],
    [react, 'Prompt 1', '(The agent helper ran outside this conversation. Its result:)', 'Prompt 5'],
  ]);
});

describe('the mode of a run', () => {
  test.each([
    ['the argument', 'shared', 'fork', 'shared'],
    ['else that of the definition', undefined, 'fork', 'fork'],
    ['else isolated', undefined, undefined, 'isolated'],
  ] as const)('is %s', async (_, argument, contextMode, expected) => {
    const { agents } = await startAgents([{ text: 'Done.' }]);
    const run = agents.run({ agent: { ...helper, ...(contextMode && { contextMode }) }, prompt: 'Go', mode: argument });
    const modes: string[] = [];
    for await (const event of run) if (event.type === 'start') modes.push(event.mode);
    expect(modes).toEqual([expected]);
  });

  test('that does not exist is refused without a request', async () => {
    const { agents, server } = await startAgents([]);
    const { result } = agents.run({ agent: helper, prompt: 'Go', mode: 'merged' as ContextMode });
    await expect(result).rejects.toMatchObject({ code: 'INVALID_MODE' });
    expect(server.requests).toEqual([]);
  });
});

test('the messages of a turn are labelled with the agent and the run, in main too', async () => {
  const { agents, contexts } = await startAgents([{ text: 'Done.' }]);
  const { run, messages } = await agents.run({ agent: helper, prompt: 'Go', mode: 'handback' }).result;
  const label = { agent: 'helper', run };
  expect(messages.map(labelOf)).toEqual([label, label]);
  expect(contexts.main.conversationHistory.map(labelOf)).toEqual([label]);
});

test('a result that was handed back is a turn of its own in main, with the name of its agent, and without the prompt', async () => {
  const contexts = new ContextManager();
  await contexts.appendTurn('main', mainTurn, 'shared');
  const { agents, server } = await startAgents(({ number }) => ({ text: `Result ${number}.` }), { contexts });
  for (const prompt of ['Secret task', 'Secret task two']) {
    await agents.run({ agent: { ...helper, name: 'architect' }, prompt, mode: 'handback' }).result;
  }
  await agents.run({ agent: helper, prompt: 'Review it', mode: 'shared' }).result;
  expect(server.requests[2] && transcriptOf(server.requests[2])).toEqual([
    'user: Our project uses React. The key is canary-1.',
    'assistant: Noted. I remember it.',
    'user: (The agent architect ran outside this conversation. Its result:)',
    'assistant: [architect] Result 1.',
    'user: (The agent architect ran outside this conversation. Its result:)',
    'assistant: [architect] Result 2.',
    'user: Review it',
  ]);
  expect(turnsOf(contexts.main.conversationHistory).map(({ length }) => length)).toEqual([2, 1, 1, 2]);
});

test('another agent reads a turn in main as text with the name of its agent', async () => {
  const { agents, server } = await startAgents([{ text: 'Use hexagons.' }, { text: 'I agree.' }]);
  await agents.run({ agent: { ...helper, name: 'architect' }, prompt: 'Design it', mode: 'shared' }).result;
  await agents.run({ agent: helper, prompt: 'Review it', mode: 'shared' }).result;
  const sent = JSON.stringify(server.requests[1]?.chat.messages);
  expect(sent).toContain('[architect] Use hexagons.');
  expect(sent).not.toContain('cairn');
});
