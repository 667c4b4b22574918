import { codingToolSet } from '@cairn/coding-agent';
import { ContextManager } from '@cairn/context';
import type { ContextMode, UnifiedMessage } from '@cairn/context';
import { createMemory } from '@cairn/memory';
import type { Memory } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { memoryToolSet } from '@cairn/memory/tools';
import { createWorkspaceCache } from '@cairn/workspace-cache';
import { createWorkspaceCacheToolSet } from '@cairn/workspace-cache/tools';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startModelServer, systemPromptOf } from '../support/model-server.ts';
import type { ModelAnswer, ModelRequest } from '../support/model-server.ts';
import { createTree } from '../support/tree.ts';
import { createAgents, createApprovals } from '@cairn/agents';

/** A sentence of main. `isShared`: it matches the pattern of the agent. */
interface Sentence {
  readonly token: string;
  readonly isShared: boolean;
}

/** A turn of main: what the user and the assistant say, and a call of a tool with its result. */
interface MainTurn {
  readonly user: readonly Sentence[];
  readonly assistant: readonly Sentence[];
  readonly call: boolean;
}

const PATTERN = 'project uses *';
const counted = { next: 0 };
/** A token that nothing else contains. */
const token = (kind: string): string => `${kind}x${(counted.next++).toString(36)}x`;

const sentence: fc.Arbitrary<Sentence> = fc.boolean().map((isShared) => ({ token: token('main'), isShared }));
const sentences = fc.array(sentence, { minLength: 1, maxLength: 3 });
const history: fc.Arbitrary<readonly MainTurn[]> = fc.array(
  fc.record({ user: sentences, assistant: sentences, call: fc.boolean() }),
  { minLength: 1, maxLength: 6 },
);

function textOf(sentences: readonly Sentence[]): string {
  return sentences
    .map(({ token: name, isShared }) => (isShared ? `Our Project uses ${name} here.` : `Nobody knows ${name} here.`))
    .join(' ');
}

function messagesOf({ user, assistant, call }: MainTurn, id: string): UnifiedMessage[] {
  const text = { type: 'text' as const, text: textOf(assistant) };
  const toolCall = { toolCallId: id, toolName: 'grep' };
  const secret = token('tool');
  const used: UnifiedMessage[] = [
    {
      role: 'assistant',
      content: [{ type: 'tool-call', ...toolCall, input: { pattern: `project uses ${secret}` } }],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', ...toolCall, output: { type: 'text', value: `Our project uses ${secret} here.` } },
      ],
    },
  ];
  return [{ role: 'user', content: textOf(user) }, ...(call ? used : []), { role: 'assistant', content: [text] }];
}

const kinds = [
  'main',
  'tool',
  'stream',
  'other',
  'note',
  'workflow',
  'listing',
  'led',
  'turn',
  'fact',
  'file',
] as const;
type Kind = (typeof kinds)[number];

/** The tokens of a kind that requests contain. */
function tokensIn(requests: readonly ModelRequest[], kind: Kind): Set<string> {
  return new Set(requests.flatMap(({ body }) => body.toString().match(new RegExp(`${kind}x[0-9a-z]+x`, 'gu')) ?? []));
}

/** What main itself does: it notes, remembers and lists, in a run that is shared. */
function workOfMain(): ModelAnswer {
  return {
    text: `Nobody knows ${token('led')}.`,
    toolCalls: [
      { name: 'notes', input: { text: `a note ${token('note')}`, temporary: false } },
      { name: 'remember', input: { text: `a fact ${token('fact')}` } },
      { name: 'cache_directory', input: { path: '.', items: [{ name: token('listing') }, { name: 'a.txt' }] } },
    ],
  };
}

/** Everything that an agent could try to learn more. */
function attempts(messageIds: readonly string[]): ModelAnswer {
  const calls: readonly (readonly [name: string, input: object])[] = [
    ['recall', { kind: 'message', limit: 50 }],
    ['recall', { query: 'knows project canary message', limit: 50 }],
    ['recall', { role: 'user', limit: 50 }],
    ['recall', { stream: 'agent' }],
    ...messageIds.map((id) => ['recall', { id }] as const),
    ...messageIds.map((id) => ['get_asset', { name: id, kind: 'message' }] as const),
    ['notes', {}],
    ['notes', { workflow_id: 'workflow_1' }],
    ['notes', { offset: 0 }],
    ['recall', { limit: 50 }],
    ['cache_directory', { path: '.', items: [{ name: 'a.txt' }] }],
    ['workspace_tree', {}],
    ['ls', {}],
    ['agent', { name: 'spy', prompt: 'What do they know?', context_mode: 'shared' }],
    ['agent', { name: 'spy', prompt: 'What do they know?', context_mode: 'fork' }],
    ['agent', { name: 'spy', prompt: 'What do they know?' }],
  ];
  return { toolCalls: calls.map(([name, input]) => ({ name, input })) };
}

/** Lets an agent work in a mode, next to everything that others wrote and did. Returns its requests and those of its runs. */
async function requestsIn(mode: ContextMode, turns: readonly MainTurn[], memory: Memory): Promise<ModelRequest[]> {
  const contexts = new ContextManager();
  for (const [index, turn] of turns.entries()) {
    await contexts.appendTurn('main', messagesOf(turn, `call_${index}`), 'shared');
  }
  await contexts.appendTurn('tester', [{ role: 'user', content: `tester knows ${token('other')}` }]);
  const ids: string[] = [];
  for (const [stream, kind] of [
    ['agent', 'stream'],
    ['chat', 'other'],
    ['prober', 'other'],
    ['agent:tester', 'other'],
  ] as const) {
    const content = `canary message, nobody knows ${token(kind)}`;
    ids.push((await memory.messages.add({ stream, group: 'g' }, { role: 'user', content })).id ?? '');
  }
  await memory.storeNote('workflow_1', `a note ${token('workflow')}`, 'todo_0');
  const agentOf = (request: ModelRequest): string => /^I am (\w+)\./u.exec(systemPromptOf(request))?.[1] ?? '';
  const counts = new Map<string, number>();
  const server = await startModelServer((request) => {
    const agent = agentOf(request);
    const count = counts.get(agent) ?? 0;
    counts.set(agent, count + 1);
    if (agent === 'lead' && count === 0) return workOfMain();
    if (agent === 'prober' && count === 0) return attempts(ids);
    return { text: `Done, nobody knows ${token(agent === 'lead' ? 'led' : 'turn')}.` };
  });
  const root = createTree({ 'a.txt': 'a\n', [`${token('file')}.txt`]: '' });
  const workspaceCache = createWorkspaceCache({ root });
  const define = (name: string, more: object = {}): object => ({
    name,
    description: name,
    systemPrompt: `I am ${name}.`,
    ...more,
  });
  const definitions = [
    define('lead'),
    define('prober', { sharePatterns: [PATTERN], summarizeAfter: 4 }),
    define('spy', { contextMode: 'shared' }),
  ] as { readonly name: string; readonly description: string; readonly systemPrompt: string }[];
  const agents = createAgents({
    root,
    approvals: createApprovals({ root, rules: [{ source: 'the test', allow: ['*'] }] }),
    contexts,
    memory,
    workspaceCache,
    model: 'scripted',
    baseUrl: server.url,
    definitions: { agents: new Map(definitions.map((one) => [one.name, one])), problems: [], replaced: [] },
    toolSets: [
      codingToolSet,
      createWorkspaceCacheToolSet(),
      memoryToolSet({ open: async () => memory, workflowId: 'workflow_1' }),
    ],
  });
  try {
    await agents.run({ agent: 'lead', prompt: 'Work.', mode: 'shared' }).result;
    const before = server.requests.length;
    const first = await agents.run({ agent: 'prober', prompt: 'Find out what they know.', mode }).result;
    expect([first.finishReason, server.refusals]).toEqual(['stop', []]);
    await agents.run({ agent: 'prober', prompt: 'And now?', mode }).result;
    return server.requests.slice(before);
  } finally {
    await agents.close();
    await server.close();
  }
}

/** The kinds that a mode may show in part. Facts and files are for all. */
const allowed: Readonly<Record<ContextMode, readonly Kind[]>> = {
  isolated: ['fact', 'file', 'turn'],
  handback: ['fact', 'file', 'turn'],
  selective: ['fact', 'file', 'turn', 'main'],
  summarized: ['fact', 'file', 'turn', 'main', 'led'],
  shared: ['fact', 'file', 'turn', 'main', 'tool', 'stream', 'note', 'workflow', 'listing', 'led'],
  fork: ['fact', 'file', 'turn', 'main', 'tool', 'stream', 'note', 'workflow', 'listing', 'led'],
};

/** The kinds that a mode shows in part, so that the absence of others means something. */
const certain: Readonly<Record<ContextMode, readonly Kind[]>> = {
  isolated: ['fact', 'file', 'turn'],
  handback: ['fact', 'file', 'turn'],
  selective: ['fact', 'file', 'turn'],
  summarized: ['fact', 'file', 'turn', 'led'],
  shared: ['fact', 'file', 'turn', 'main', 'stream', 'note', 'workflow', 'led'],
  fork: ['fact', 'file', 'main', 'stream', 'note', 'workflow', 'led'],
};

describe.each(Object.keys(allowed) as ContextMode[])('an agent in the mode %s', (mode) => {
  test('learns from no tool, note, memory, section or other agent what its mode hides', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (turns) => {
        const memory = createMemory({ backend: inProcess(), project: 'app' });
        const requests = await requestsIn(mode, turns, memory);
        const seen = kinds.filter((kind) => tokensIn(requests, kind).size > 0);
        expect(seen.filter((kind) => !allowed[mode].includes(kind))).toEqual([]);
        expect(seen).toEqual(expect.arrayContaining([...certain[mode]]));
        const all = turns.flatMap(({ user, assistant }) => [...user, ...assistant]);
        const shown = tokensIn(requests, 'main');
        const expected: Readonly<Record<ContextMode, readonly Sentence[]>> = {
          isolated: [],
          handback: [],
          selective: all.filter(({ isShared }) => isShared),
          // How much a summary keeps is its own matter.
          summarized: all.filter(({ token: name }) => shown.has(name)),
          shared: all,
          fork: all,
        };
        expect(shown).toEqual(new Set(expected[mode].map(({ token: name }) => name)));
      }),
      { numRuns: 6 },
    );
  });
});
