/** `shows` of a definition and `without` of a run: what an agent is shown besides its prompt and its history. */
import { codingToolSet } from '@cairn/coding-agent';
import { openAgentTools } from '@cairn/agents';
import type { ToolGrant } from '@cairn/agents';
import { SHOWN_PARTS } from '@cairn/context/internal';
import type { AgentDefinition } from '@cairn/context';
import { createKnowledge } from '@cairn/knowledge';
import type { Knowledge } from '@cairn/knowledge';
import { createKnowledgeToolSet } from '@cairn/knowledge/tools';
import { createMemory } from '@cairn/memory';
import type { Memory } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { memoryToolSet } from '@cairn/memory/tools';
import type { ShownPart, ToolSet } from '@cairn/tool';
import { createWorkspaceCache } from '@cairn/workspace-cache';
import { createWorkspaceCacheToolSet } from '@cairn/workspace-cache/tools';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemPromptOf, toolNamesOf } from '../support/model-server.ts';
import type { ModelAnswer, ModelRequest, ModelScript } from '../support/model-server.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { startAgents } from './start-agents.ts';
import type { StartedAgents } from './start-agents.ts';

/** A word that only the source of a part has. */
const canaries: Readonly<Record<ShownPart, string>> = {
  facts: 'canaryfact',
  knowledge: 'canaryasset',
  tree: 'canaryfile',
  instructions: 'canaryrule',
};

/** The tools about a part. Reading files is not about one. */
const tools: Readonly<Record<ShownPart, readonly string[]>> = {
  facts: ['remember', 'recall', 'update_fact', 'forget_fact', 'notes'],
  knowledge: ['scan_index', 'search_knowledge', 'get_asset', 'sink_asset', 'report_asset'],
  tree: ['workspace_tree', 'cache_directory'],
  instructions: [],
};

function define(name: string, more: Partial<AgentDefinition> = {}): AgentDefinition {
  return { name, description: name, systemPrompt: `I am ${name}.`, ...more };
}

async function sources(): Promise<{ memory: Memory; knowledge: Knowledge; toolSets: ToolSet[] }> {
  const memory = createMemory({ backend: inProcess(), project: 'app' });
  await memory.facts.remember(`The tests run with ${canaries.facts}.`, { pinned: true });
  const knowledge = createKnowledge({ directory: temporaryDirectory() });
  const asset = { type: 'pitfall', title: `About ${canaries.knowledge}`, body: 'Wait.', paths: ['src/**'] } as const;
  await knowledge.store.add({ name: 'one', ...asset });
  onTestFinished(async () => {
    await knowledge.close();
    await memory.close();
  });
  const shared = { ...knowledge, close: () => Promise.resolve(), [Symbol.asyncDispose]: () => Promise.resolve() };
  const toolSets = [
    codingToolSet,
    createWorkspaceCacheToolSet(),
    createKnowledgeToolSet({ open: async () => shared }),
    memoryToolSet({ open: async () => ({ ...memory, close: () => Promise.resolve() }) }),
  ];
  return { memory, knowledge, toolSets };
}

/** Starts agents over a project in which each part has its canary. */
async function start(script: ModelScript, agents: readonly AgentDefinition[]): Promise<StartedAgents> {
  const { memory, knowledge, toolSets } = await sources();
  const root = createTree({
    'AGENTS.md': `Always ${canaries.instructions}.\n`,
    [`${canaries.tree}.txt`]: '',
    'src/a.ts': 'export {};\n',
  });
  const workspaceCache = createWorkspaceCache({ root });
  onTestFinished(() => workspaceCache.close());
  const definitions = { agents: new Map(agents.map((one) => [one.name, one])), problems: [], replaced: [] };
  return startAgents(script, { root, memory, knowledge, workspaceCache, toolSets, definitions });
}

/** The parts whose canary is in a text. */
function partsIn(text: string): ShownPart[] {
  return SHOWN_PARTS.filter((part) => text.includes(canaries[part]));
}

/** The parts whose tools a request has. All tools of a part, or none. */
function partsOfTools(request: ModelRequest): ShownPart[] {
  const names = toolNamesOf(request);
  for (const part of SHOWN_PARTS) {
    expect([[], tools[part]]).toContainEqual(tools[part].filter((name) => names.includes(name)));
  }
  return SHOWN_PARTS.filter((part) => tools[part].some((name) => names.includes(name)));
}

const everySet: readonly (readonly ShownPart[])[] = Array.from({ length: 16 }, (_, bits) =>
  SHOWN_PARTS.filter((_part, index) => (bits & (1 << index)) !== 0),
);

/** Everything that an agent could try to see what it is not shown. Tools of files are left out: they are given by `tools`. */
const attempts: ModelAnswer = {
  toolCalls: [
    { name: 'recall', input: { query: 'tests canaryfact', limit: 50 } },
    { name: 'recall', input: {} },
    { name: 'notes', input: {} },
    { name: 'scan_index', input: {} },
    { name: 'search_knowledge', input: { query: 'canaryasset' } },
    { name: 'get_asset', input: { name: 'one' } },
    { name: 'workspace_tree', input: {} },
    { name: 'read', input: { path: 'src/a.ts' } },
    { name: 'write', input: { path: 'src/b.ts', content: 'export {};\n' } },
  ],
};

describe('shows', () => {
  test.each(everySet.map((shows) => [shows.join(', ') || 'nothing', shows] as const))(
    'of %s shows that, and offers the tools about that',
    async (_, shows) => {
      const { agents, server } = await start([{ text: 'Done.' }], [define('a', { shows })]);
      const prepared = await agents.prepare({ agent: 'a', prompt: 'Go.' });
      await agents.run({ agent: 'a', prompt: 'Go.' }).result;
      const [request] = server.requests as [ModelRequest];
      expect(partsIn(systemPromptOf(request))).toEqual(shows);
      expect(partsOfTools(request)).toEqual(shows.filter((part) => tools[part].length > 0));
      const isShown = (part: ShownPart): boolean => shows.includes(part);
      expect(prepared.shows.map(({ part, hiddenBy }) => [part, hiddenBy])).toEqual(
        SHOWN_PARTS.map((part) => [part, isShown(part) ? undefined : 'definition']),
      );
      expect(prepared.shows.map(({ tokens }) => tokens > 0)).toEqual(SHOWN_PARTS.map(isShown));
    },
  );

  test('of nothing isolates: no request, no result of a tool and no note about a file has anything', async () => {
    const script = [attempts, { text: 'Done.' }, { text: 'And again.' }];
    const { agents, server } = await start(script, [define('a', { shows: [] })]);
    await agents.run({ agent: 'a', prompt: 'Find out.' }).result;
    await agents.run({ agent: 'a', prompt: 'And now?' }).result;
    expect(server.requests).toHaveLength(3);
    // Its own calls have these words.
    const bodies = server.requests.map(({ body }) => body.toString().replaceAll(/canary(?:fact|asset)\\?"/gu, '"'));
    expect(bodies.flatMap((body) => partsIn(body.replaceAll('tests canaryfact', '')))).toEqual([]);
    // Without `shows` the same attempts find everything, so that their silence means something.
    const open = await start([attempts, { text: 'Done.' }], [define('a')]);
    await open.agents.run({ agent: 'a', prompt: 'Find out.' }).result;
    const [, results] = open.server.requests as [ModelRequest, ModelRequest];
    expect(results.body.toString()).toMatch(/Assets of the team about this file/u);
    expect(partsIn(results.body.toString())).toEqual([...SHOWN_PARTS]);
  });

  test('in code that names no part is an error', async () => {
    const { agents } = await start([], [define('a', { shows: ['memory'] as never })]);
    await expect(agents.prepare({ agent: 'a' })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: 'The option shows names "memory". Use facts, knowledge, tree, instructions.',
    });
    await expect(agents.prepare({ agent: define('b'), without: ['x'] as never })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      option: 'without',
    });
  });

  test('in code that is not a list is an error', async () => {
    const { agents } = await start([], [define('a', { shows: 'facts' as never })]);
    await expect(agents.prepare({ agent: 'a' })).rejects.toMatchObject({ code: 'INVALID_OPTION', option: 'shows' });
    const request = { agent: define('b'), without: 'facts' as never };
    await expect(agents.prepare(request)).rejects.toMatchObject({ code: 'INVALID_OPTION', option: 'without' });
  });
});

describe('without', () => {
  test('leaves out parts of one run, in addition to the definition', async () => {
    const { agents, server } = await start([{ text: 'Done.' }], [define('a', { shows: ['facts', 'tree'] })]);
    const request = { agent: 'a', prompt: 'Go.', without: ['facts', 'knowledge'] as const };
    const { shows } = await agents.prepare(request);
    expect(shows.map(({ part, hiddenBy }) => [part, hiddenBy])).toEqual([
      ['facts', 'option'],
      ['knowledge', 'definition'],
      ['tree', undefined],
      ['instructions', 'definition'],
    ]);
    await agents.run(request).result;
    expect(partsIn(systemPromptOf(server.requests[0] as ModelRequest))).toEqual(['tree']);
  });
});

describe('a delegated agent', () => {
  test('is shown at most what its parent is shown', async () => {
    const script: ModelScript = (request) =>
      systemPromptOf(request).startsWith('I am lead.') && request.chat.messages.length < 4
        ? { toolCalls: [{ name: 'agent', input: { name: 'worker', prompt: 'Work.' } }] }
        : { text: 'Done.' };
    const { agents, server } = await start(script, [
      define('lead', { shows: ['facts', 'knowledge'] }),
      define('worker', { shows: ['knowledge', 'tree'] }),
    ]);
    await agents.run({ agent: 'lead', prompt: 'Go.', without: ['instructions'] }).result;
    const worker = server.requests.find((request) => systemPromptOf(request).startsWith('I am worker.'));
    expect(partsIn(systemPromptOf(worker as ModelRequest))).toEqual(['knowledge']);
    expect(partsOfTools(worker as ModelRequest)).toEqual(['knowledge']);
  });

  test('is shown what each run above it is shown, by random levels', async () => {
    const { toolSets } = await sources();
    const root = createTree({});
    const level = fc.record({
      shows: fc.option(fc.subarray([...SHOWN_PARTS]), { nil: undefined }),
      without: fc.subarray([...SHOWN_PARTS]),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(level, { minLength: 1, maxLength: 3 }), async (levels) => {
        let within: ToolGrant | undefined;
        let offered: string[] = [];
        for (const { shows, without } of levels) {
          const agent = { name: 'a', ...(shows && { shows }) };
          const opened = await openAgentTools({ toolSets, roots: [root], agent, without, within });
          within = opened.grant;
          offered = Object.keys(opened.tools);
          opened.close();
        }
        // The oracle: each part against each level.
        const expected = SHOWN_PARTS.filter((part) =>
          levels.every(({ shows, without }) => (shows?.includes(part) ?? true) && !without.includes(part)),
        );
        expect(SHOWN_PARTS.filter((part) => within?.shows?.has(part) ?? true)).toEqual(expected);
        for (const part of SHOWN_PARTS) {
          expect(tools[part].filter((name) => offered.includes(name))).toEqual(
            expected.includes(part) ? tools[part] : [],
          );
        }
      }),
      { numRuns: 40, seed: 38 },
    );
  });
});
