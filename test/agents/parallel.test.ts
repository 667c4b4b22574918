import { openContexts } from '@cairn/context';
import { labelOf, textOf } from '@cairn/context/internal';
import type { ContextMode, UnifiedMessage } from '@cairn/context';
import { createMemory } from '@cairn/memory';
import { memory as inMemory } from '@cairn/memory/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { transcriptOf } from '../support/model-server.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { announcementOf, helper, startAgents } from './start-agents.ts';
import { makeTool, makeToolSet } from './tools-for-tests.ts';

/** The runs of a history, in the order of their first messages, and whether the messages of each stand together. */
function runsOf(history: readonly UnifiedMessage[]): { readonly runs: string[]; readonly areWhole: boolean } {
  const all = history.map((message) => labelOf(message).run ?? '');
  const runs = all.filter((run, index) => run !== all[index - 1]);
  return { runs, areWhole: new Set(runs).size === runs.length };
}

test('shared runs take main as it is at their start, and are appended in the order of ending', async () => {
  const gates = new Map(['One', 'Two', 'Three'].map((name) => [name, Promise.withResolvers<void>()]));
  const { server, agents, contexts } = await startAgents(async (request) => {
    const name = transcriptOf(request).at(-1)?.replace('user: ', '') ?? '';
    await gates.get(name)?.promise;
    return { text: `${name} is done.` };
  });
  const [one, two, three] = ['One', 'Two', 'Three'].map((prompt, index) =>
    agents.run({ agent: { ...helper, name: `agent-${index}` }, prompt, mode: 'shared' }),
  );
  await server.arrived(3);
  for (const [name, run] of [
    ['Three', three],
    ['One', one],
    ['Two', two],
  ] as const) {
    gates.get(name)?.resolve();
    await run?.result;
  }
  expect(server.requests.map((request) => transcriptOf(request).length)).toEqual([1, 1, 1]);
  const history = contexts.main.conversationHistory;
  expect(history.map(textOf)).toEqual(['Three', 'Three is done.', 'One', 'One is done.', 'Two', 'Two is done.']);
  expect(history.map((message) => labelOf(message).agent)).toEqual([
    'agent-2',
    'agent-2',
    'agent-0',
    'agent-0',
    'agent-1',
    'agent-1',
  ]);
});

describe.each(['in this process', 'in SQLite'])('50 runs at once on one session %s', (place) => {
  test('lose no turn and interleave none', async () => {
    const modes: readonly ContextMode[] = ['shared', 'isolated', 'handback', 'fork', 'shared'];
    const path = join(temporaryDirectory(), 'store.db');
    const store = { project: 'p', session: 's' };
    const contexts = place === 'in SQLite' ? await openContexts({ store: sqlite({ path }), ...store }) : undefined;
    if (contexts) onTestFinished(() => contexts.close());
    const note = makeTool('note', (text) => `noted ${text}`);
    const {
      server,
      agents,
      contexts: used,
    } = await startAgents(
      (request) => {
        const last = transcriptOf(request).at(-1) ?? '';
        const prompt = /^user: (?<name>.*)/u.exec(last)?.groups?.['name'];
        return prompt === undefined ? { text: 'Done.' } : { toolCalls: [{ name: 'note', input: { text: prompt } }] };
      },
      { toolSets: [makeToolSet(note)], ...(contexts && { contexts }) },
    );
    const ended: string[] = [];
    const runs = Array.from({ length: 50 }, (_, index) =>
      agents.run({ agent: helper, prompt: `Prompt ${index}`, mode: modes[index % modes.length] }),
    );
    const results = await Promise.all(
      runs.map(async ({ result }) => {
        const settled = await result;
        ended.push(settled.run);
        return settled;
      }),
    );
    expect(results.map(({ finishReason }) => finishReason)).toEqual(results.map(() => 'stop'));
    expect(server.refusals).toEqual([]);
    const writes = (index: number, history: 'main' | 'own'): boolean => {
      const mode = modes[index % modes.length];
      return mode === 'handback' || (mode === 'shared') === (history === 'main');
    };
    const check = (history: readonly UnifiedMessage[], name: 'main' | 'own'): void => {
      const { runs: written, areWhole } = runsOf(history);
      expect(areWhole).toBe(true);
      const expected = runs.filter((_, index) => writes(index, name)).map(({ run }) => run);
      expect(written.toSorted()).toEqual(expected.toSorted());
      for (const { run, messages } of results) {
        const stored = history.filter((message) => labelOf(message).run === run);
        const isHanded = name === 'main' && stored.length === 1;
        expect([0, messages.length, isHanded ? 1 : 0]).toContain(stored.length);
      }
    };
    check(used.main.conversationHistory, 'main');
    check(used.getContext('helper').conversationHistory, 'own');
    if (contexts === undefined) return;
    const again = await openContexts({ store: sqlite({ path }), ...store });
    expect(again.main.conversationHistory).toEqual(used.main.conversationHistory);
    expect(again.getContext('helper').conversationHistory).toEqual(used.getContext('helper').conversationHistory);
    await again.close();
  });
});

test.each(['shared', 'isolated'] as const)('a run sees what another process added (%s)', async (mode) => {
  const store = { store: sqlite({ path: join(temporaryDirectory(), 'store.db') }), project: 'p', session: 's' };
  const [here, there] = [await openContexts(store), await openContexts(store)];
  onTestFinished(async () => {
    await here.close();
    await there.close();
  });
  const one = await startAgents([{ text: 'Done there.' }], { contexts: there });
  const other = await startAgents([{ text: 'Done here.' }], { contexts: here });
  await one.agents.run({ agent: helper, prompt: 'There', mode }).result;
  await other.agents.run({ agent: helper, prompt: 'Here', mode }).result;
  const news = mode === 'shared' ? `\n\n${announcementOf('shared')}` : '';
  expect(other.server.requests.map(transcriptOf)).toEqual([
    ['user: There', 'assistant: Done there.', `user: Here${news}`],
  ]);
});

test('a run states which turns of the histories that it sees are not readable', async () => {
  const memory = createMemory({ backend: inMemory() });
  const before = await openContexts({ store: memory, project: 'p', session: 's' });
  await before.appendTurn('helper', [{ role: 'user', content: 'Old' }]);
  const namespace = memory.namespace('contexts');
  const [key = ''] = (await namespace.keys()).map((info) => info.key);
  await namespace.append(key, [{ turn: 5 }]);
  const contexts = await openContexts({ store: memory, project: 'p', session: 's' });
  const { agents } = await startAgents([{ text: 'Done.' }, { text: 'Done.' }], { contexts });
  const own = await agents.run({ agent: helper, prompt: 'Go' }).result;
  const other = await agents.run({ agent: { ...helper, name: 'other' }, prompt: 'Go' }).result;
  expect(own.notices).toEqual([expect.stringContaining('is not readable')]);
  expect(other.notices).toEqual([]);
});

describe('a continued run', () => {
  const answers = ({ number }: { readonly number: number }): { text: string } => ({ text: `Answer ${number}` });

  test('shows the model the turns of its chain, and no other run of the agent', async () => {
    const { server, agents } = await startAgents(answers);
    const first = await agents.run({ agent: helper, prompt: 'One' }).result;
    await agents.run({ agent: helper, prompt: 'Other' }).result;
    const second = await agents.run({ agent: helper, prompt: 'Two', continue: first.run }).result;
    await agents.run({ agent: helper, prompt: 'Three', continue: second.run }).result;
    await agents.run({ agent: helper, prompt: 'Four', continue: first.run }).result;
    const chain = ['user: One', 'assistant: Answer 1', 'user: Two', 'assistant: Answer 3'];
    expect(server.requests.slice(2).map(transcriptOf)).toEqual([
      [...chain.slice(0, 2), 'user: Two'],
      [...chain, 'user: Three'],
      [...chain, 'user: Three', 'assistant: Answer 4', 'user: Four'],
    ]);
    expect(second.run).not.toBe(first.run);
  });

  test('of a fork sees main as it is now and its own chain', async () => {
    const { server, agents, contexts } = await startAgents(answers);
    const first = await agents.run({ agent: helper, prompt: 'One', mode: 'fork' }).result;
    await contexts.appendTurn('main', [{ role: 'user', content: 'News' }], 'shared');
    await agents.run({ agent: helper, prompt: 'Two', mode: 'fork', continue: first.run }).result;
    expect(server.requests.map(transcriptOf)).toEqual([
      ['user: One'],
      ['user: News', 'user: One', 'assistant: Answer 1', `user: Two\n\n${announcementOf('fork')}`],
    ]);
  });

  test('of the mode shared sees the whole main session', async () => {
    const { server, agents } = await startAgents(answers);
    const first = await agents.run({ agent: helper, prompt: 'One', mode: 'shared' }).result;
    await agents.run({ agent: helper, prompt: 'Other', mode: 'shared' }).result;
    await agents.run({ agent: helper, prompt: 'Two', mode: 'shared', continue: first.run }).result;
    expect(server.requests[2] && transcriptOf(server.requests[2])).toHaveLength(5);
  });

  test.each(['isolated', 'shared'] as const)('of another agent does not exist (%s)', async (mode) => {
    const { agents } = await startAgents(answers);
    const first = await agents.run({ agent: helper, prompt: 'One', mode }).result;
    const { result } = agents.run({ agent: { ...helper, name: 'other' }, prompt: 'Two', mode, continue: first.run });
    await expect(result).rejects.toMatchObject({ code: 'UNKNOWN_RUN', message: expect.stringContaining(first.run) });
  });
});

describe('the model of a run', () => {
  const modelOf = async (
    options: { readonly model?: string },
    definition: { readonly model?: string },
  ): Promise<string | undefined> => {
    const { server, agents } = await startAgents([{ text: 'Done.' }]);
    await agents.run({ agent: { ...helper, ...definition }, prompt: 'Go', ...options }).result;
    return server.requests[0]?.chat.model;
  };

  test.each([
    ['the argument', { model: 'argument' }, { model: 'definition' }, 'argument'],
    ['else that of the definition', {}, { model: 'definition' }, 'definition'],
    ['else that of the agents', {}, {}, 'scripted'],
  ])('is %s', async (_, options, definition, expected) => {
    expect(await modelOf(options, definition)).toBe(expected);
  });
});
