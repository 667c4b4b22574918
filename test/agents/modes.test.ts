import type { AgentResult } from '@cairn/agents';
import { ContextManager, createView, MODES, openContexts } from '@cairn/context';
import { labelOf, textOf, turnsOf } from '@cairn/context/internal';
import type { ContextMode, UnifiedMessage } from '@cairn/context';
import { sqlite } from '@cairn/memory/sqlite';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemPromptOf, transcriptOf } from '../support/model-server.ts';
import type { ModelRequest } from '../support/model-server.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { announcementOf, helper, startAgents } from './start-agents.ts';
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
  // The text of the first request stays.
  const { modeText, notice } = createView({ mode, sharePatterns: agent.sharePatterns, main: mainTurn, own: [] });
  const content = ['You help.', modeText, notice].filter((text) => text !== '').join('\n\n');
  const system = { role: 'system', content };
  const [one, two] = server.requests;
  const rest = { model: 'scripted', stream: true, stream_options: { include_usage: true } };
  expect(one?.chat).toEqual({ ...rest, messages: [system, ...row.first, user('Task one')] });
  expect(two?.chat).toEqual({ ...rest, messages: [system, ...row.second, user('Task two')] });
  expect(textsOf(contexts.main.conversationHistory)).toEqual(row.mainAfter);
  expect(textsOf(contexts.getContext('helper', 'isolated').conversationHistory)).toEqual(row.ownAfter);
});

test.each(['fork', 'shared', 'selective', 'summarized'] as const)(
  'a run in the mode %s has main as it was at its start, even when main changes between its steps',
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

test.each([
  ['has no text', ''],
  ['is blank', '\n\n'],
  ['is a thought', '<think>I am done.</think>\n'],
])('a run in the mode handback whose last answer %s hands nothing to main', async (_, text) => {
  const note = makeTool('note', () => 'noted');
  const { agents, contexts } = await startAgents(
    [{ text: 'Let me check.', toolCalls: [{ name: 'note', input: { text: 'a' } }] }, { text }],
    { toolSets: [makeToolSet(note)] },
  );
  const { finishReason, notices } = await agents.run({ agent, prompt: 'Go', mode: 'handback' }).result;
  expect(finishReason).toBe('stop');
  expect(notices).toContain('the model ended its last answer without a text');
  expect(contexts.main.conversationHistory.map(textOf)).toEqual([]);
});

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

  test('that does not exist is rejected without a request', async () => {
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

/** The part of a system prompt after the prompt of the agent. */
const systemOf = (request: ModelRequest | undefined): string =>
  request === undefined ? '' : systemPromptOf(request).replace('You help.\n\n', '');

describe('the text about the mode', () => {
  test('says nothing of an empty main, which is a notice; its first message is announced once, at the end of the newest one', async () => {
    const { server, agents, contexts } = await startAgents(({ number }) => ({ text: `Answer ${number}.` }));
    const run = (prompt: string): Promise<AgentResult> => agents.run({ agent: helper, prompt, mode: 'shared' }).result;
    const first = await run('One');
    const notice =
      'The main conversation of this session is empty, so the agent sees nothing of it in the mode shared. Runs in the mode shared and answers in the mode handback are added to it.';
    expect(first).toMatchObject({ isMainEmpty: true, notices: [notice] });
    const second = await run('Two');
    const third = await run('Three');
    expect([second, third].map(({ isMainEmpty, notices }) => [isMainEmpty, notices])).toEqual([
      [undefined, []],
      [undefined, []],
    ]);
    const news = `\n\n${announcementOf('shared')}`;
    const texts = [['One', 'Answer 1.'], [`Two${news}`, 'Answer 2.'], ['Three']].flat();
    expect(server.requests.map((request) => request.chat.messages.slice(1).map(({ content }) => content))).toEqual([
      texts.slice(0, 1),
      texts.slice(0, 3),
      texts,
    ]);
    expect(server.requests.map(systemOf)).toEqual(
      Array(3).fill(createView({ mode: 'shared', main: [], own: [] }).modeText),
    );
    expect(contexts.main.conversationHistory.map(textOf)).toEqual([...texts, 'Answer 3.']);
  });

  test.each(['fork', 'selective', 'summarized'] as const)(
    'announces main in the mode %s as long as no message that the agent sees does',
    async (mode) => {
      const { server, agents, contexts } = await startAgents(({ number }) => ({ text: `Answer ${number}.` }));
      const run = (prompt: string): Promise<AgentResult> => agents.run({ agent, prompt, mode }).result;
      expect((await run('One')).isMainEmpty).toBe(true);
      await contexts.appendTurn('main', mainTurn, 'shared');
      await run('Two');
      await run('Three');
      const prompts = server.requests.map(({ chat }) => chat.messages.at(-1)?.content);
      const news = `\n\n${announcementOf(mode)}`;
      // A fork does not see its own earlier prompts.
      expect(prompts).toEqual(['One', `Two${news}`, mode === 'fork' ? `Three${news}` : 'Three']);
      const [first, ...others] = server.requests.map((request) => systemOf(request).split(' of the main')[0]);
      expect(first).toBe(createView({ mode, main: [], own: [] }).modeText);
      for (const other of others) expect(other?.startsWith(first ?? '-')).toBe(true);
    },
  );

  test.each(Object.keys(MODES) as ContextMode[])(
    'of the mode %s is chosen at the first request of the agent in the session, and stays in every process',
    async (mode) => {
      const path = join(temporaryDirectory(), 'store.db');
      const open = (session: string): Promise<ContextManager> =>
        openContexts({ store: sqlite({ path }), project: 'p', session });
      const textIn = async (session: string): Promise<string> => {
        const contexts = await open(session);
        const { server, agents } = await startAgents([{ text: 'Done.' }], { contexts });
        await agents.run({ agent, prompt: 'Go', mode }).result;
        await contexts.close();
        const parts = systemOf(server.requests[0]).split('\n\n');
        return parts.filter((part) => !/^(?:Of the main|No sentence|The tool calls)/u.test(part)).join('\n\n');
      };
      const first = await textIn('one');
      const contexts = await open('one');
      await contexts.appendTurn('main', mainTurn, 'shared');
      await contexts.close();
      expect([await textIn('one'), await textIn('one')]).toEqual([first, first]);
      // Another session chooses by its own histories.
      const other = await open('two');
      await other.appendTurn('main', mainTurn, 'shared');
      await other.close();
      expect(await textIn('two')).toBe(createView({ mode, main: mainTurn, own: [] }).modeText);
    },
  );

  test('is chosen again after a clear', async () => {
    const { server, agents, contexts } = await startAgents(() => ({ text: 'Done.' }));
    await contexts.appendTurn('main', mainTurn, 'shared');
    await agents.run({ agent, prompt: 'One', mode: 'shared' }).result;
    await contexts.clearHistory('main', 'shared');
    await agents.run({ agent, prompt: 'Two', mode: 'shared' }).result;
    expect(server.requests.map(systemOf)).toEqual([
      createView({ mode: 'shared', main: mainTurn, own: [] }).modeText,
      createView({ mode: 'shared', main: [], own: [] }).modeText,
    ]);
  });
});
