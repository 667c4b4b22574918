/**
 * A misspelled option must not be passed over: `forget({ stream, grop })` would remove a whole stream. The compiler lists the
 * public functions with options, so that a new one fails here until it rejects what it does not know.
 */
import * as agents from '@cairn/agents';
import * as codingAgent from '@cairn/coding-agent';
import * as context from '@cairn/context';
import * as hosts from '@cairn/hosts';
import * as knowledge from '@cairn/knowledge';
import * as knowledgeSession from '@cairn/knowledge/session';
import * as knowledgeTools from '@cairn/knowledge/tools';
import * as mcpServer from '@cairn/mcp-server';
import * as http from '@cairn/mcp-server/http';
import * as memory from '@cairn/memory';
import * as embeddings from '@cairn/memory/embeddings';
import * as inProcess from '@cairn/memory/memory';
import * as redis from '@cairn/memory/redis';
import * as sqlite from '@cairn/memory/sqlite';
import * as memoryTools from '@cairn/memory/tools';
import * as natives from '@cairn/natives';
import * as files from '@cairn/natives/files';
import * as retrieval from '@cairn/retrieval';
import * as tool from '@cairn/tool';
import { CairnError } from '@cairn/tool/errors';
import * as prompt from '@cairn/tool/prompt';
import * as workspaceCache from '@cairn/workspace-cache';
import * as workspaceCacheTools from '@cairn/workspace-cache/tools';
import { expect, onTestFinished, test } from 'vitest';
import { optionsParameters } from '../support/public-calls.ts';
import { temporaryDirectory } from '../support/tree.ts';

const modules: Readonly<Record<string, object>> = {
  '@cairn/agents': agents,
  '@cairn/coding-agent': codingAgent,
  '@cairn/context': context,
  '@cairn/hosts': hosts,
  '@cairn/knowledge': knowledge,
  '@cairn/knowledge/session': knowledgeSession,
  '@cairn/knowledge/tools': knowledgeTools,
  '@cairn/mcp-server': mcpServer,
  '@cairn/mcp-server/http': http,
  '@cairn/memory': memory,
  '@cairn/memory/embeddings': embeddings,
  '@cairn/memory/memory': inProcess,
  '@cairn/memory/redis': redis,
  '@cairn/memory/sqlite': sqlite,
  '@cairn/memory/tools': memoryTools,
  '@cairn/natives': natives,
  '@cairn/natives/files': files,
  '@cairn/retrieval': retrieval,
  '@cairn/tool': tool,
  '@cairn/tool/prompt': prompt,
  '@cairn/workspace-cache': workspaceCache,
  '@cairn/workspace-cache/tools': workspaceCacheTools,
};

/** Parameters of other kinds, and functions that users do not call. */
const notOptions: Readonly<Record<string, string>> = {
  '@cairn/coding-agent FileOperations.': 'an interface that users implement',
  '@cairn/memory MemoryBackend.': 'an interface that users implement',
  '@cairn/memory/embeddings Embeddings.': 'an interface that users implement',
  '@cairn/memory/testing ': 'takes the store under test',
  '@cairn/memory/terms ': 'the index that packages of Cairn share',
  '@cairn/memory MessageSource.': 'an interface that users implement',
  '@cairn/retrieval foundSlots': 'takes a query that was read',
  '@cairn/tool/errors ': 'for packages of Cairn only',
  '@cairn/tool/kernel ': 'for packages of Cairn only',
  '@cairn/tool ResourceProvider.': 'an interface that users implement',
  '@cairn/tool ToolDefinition.execute': 'the AI SDK passes options of its own',
  '@cairn/workspace-cache WorkspaceCache.init 1': 'a framework passes its own options; init reads `context`',
};

const parameters = optionsParameters().filter(
  ({ module, call, place }) => !Object.keys(notOptions).some((start) => `${module} ${call} ${place}`.startsWith(start)),
);

/** Objects whose methods are called, by the names of their types. */
const objects: Record<string, object> = { TermIndex: retrieval.createTermIndex() };

async function openMemory(): Promise<void> {
  const opened = memory.createMemory({ backend: inProcess.memory(), project: 'p' });
  const { id } = await opened.workflows.create({ goal: 'g', todos: ['a'], streamName: 's' });
  const stream = opened.defineStream({ name: 's' });
  Object.assign(objects, {
    Memory: opened,
    Messages: opened.messages,
    Workflows: opened.workflows,
    WorkflowRun: await opened.workflows.acquire(id),
    Facts: opened.facts,
    Notes: opened,
    Streams: opened,
    Stream: stream,
    Graph: opened.graph(),
    Namespace: opened.namespace('n'),
  });
  onTestFinished(() => opened.close());
}

async function openKnowledge(): Promise<void> {
  const directory = temporaryDirectory();
  const opened = knowledge.createKnowledge({ directory, backend: inProcess.memory(), env: {} });
  Object.assign(objects, {
    Knowledge: opened,
    LocalStore: opened.store,
    KnowledgeIndex: opened.index,
    HotAssets: opened.hot,
    Usage: opened.usage,
    Gaps: opened.gaps,
    Layers: opened.layers,
    Team: opened.team,
  });
  onTestFinished(() => opened.close());
}

async function openWorkspace(): Promise<void> {
  const root = temporaryDirectory();
  const workspace = codingAgent.createWorkspace({ root, stateDirectory: temporaryDirectory() });
  const cache = workspaceCache.createWorkspaceCache({ root });
  const { run } = await cache.init();
  Object.assign(objects, {
    Workspace: workspace,
    MentionProvider: codingAgent.createMentionProvider({ workspace }),
    FileNotes: tool.fileNotes(tool.createToolSession()),
    WorkspaceCache: cache,
    WorkspaceRun: run,
    Interceptors: run,
    ContentCache: cache.content,
  });
  onTestFinished(() => cache.close());
}

async function openAgents(): Promise<void> {
  const store = objects['Memory'] as memory.Memory;
  const contexts = await context.openContexts({ store, session: 's' });
  const workflows = agents.createWorkflows({ memory: store, env: {} });
  const opened = agents.createAgents({ root: temporaryDirectory(), contexts, env: {} });
  Object.assign(objects, {
    Agents: opened,
    AgentWorkflows: workflows,
    WorkflowStream: workflows.stream('s'),
    ContextManager: contexts,
    ResolvedModel: agents.resolveModel({ model: 'm', baseUrl: 'http://127.0.0.1:9/v1', env: {} }),
  });
  onTestFinished(() => opened.close());
}

/** What a call needs besides the unknown name, by the place of its options: without it, the call fails for another reason. */
const valid: Readonly<Record<string, object>> = {
  'Memory.forget 0': { stream: 's' },
};

/** The arguments before the options, for calls that check them first. */
const before: Readonly<Record<string, readonly unknown[]>> = {
  'ContentCache.read': ['a.txt'],
  'Interceptors.wrapWithCache': [() => [], undefined],
  'Interceptors.wrapReadWithCache': [() => '', undefined],
  'WorkspaceRun.wrapWithCache': [() => [], undefined],
  'WorkspaceRun.wrapReadWithCache': [() => '', undefined],
};

/** Calls a function with an option that it does not have, and nothing else. */
async function outcomeOf(module: string, call: string, place: number): Promise<string> {
  const [owner = '', method = ''] = call.split('.');
  const on = (method === '' ? modules[module] : objects[owner]) as Readonly<Record<string, unknown>> | undefined;
  const run = on?.[method === '' ? owner : method];
  if (typeof run !== 'function') return 'is not called by this test';
  const first = before[call] ?? Array.from({ length: place });
  const given = [...first, { ...valid[`${call} ${place}`], notAnOption: 1 }];
  try {
    const result: unknown = await (run as (...all: unknown[]) => unknown).apply(on, given);
    if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result)
      await Array.fromAsync(result as AsyncIterable<unknown>);
    return 'passes over it';
  } catch (error) {
    if (!CairnError.isInstance(error)) return String(error);
    return error.code === 'INVALID_OPTION' && error.message.includes('notAnOption') ? 'rejects' : error.message;
  }
}

test('every public call with options rejects the name that it does not know', async () => {
  await openMemory();
  await openKnowledge();
  await openWorkspace();
  await openAgents();
  expect(parameters.length).toBeGreaterThan(150);
  const outcomes: Record<string, string> = {};
  for (const { module, call, place } of parameters) {
    const outcome = await outcomeOf(module, call, place);
    if (outcome !== 'rejects') outcomes[`${module} ${call} ${place}`] = outcome;
  }
  expect(outcomes).toEqual({});
});

/** Options with an unknown name, which the compiler would not take. */
function options(name: string): Record<never, never> {
  return { [name]: 1 };
}

function store(): memory.Memory {
  return memory.createMemory({ project: 'p', backend: inProcess.memory() });
}

test.each<[options: string, name: string, call: () => unknown]>([
  [
    '`policy` of createWorkspace',
    'confined',
    () => codingAgent.createWorkspace({ root: '/', policy: options('confined') }),
  ],
  [
    '`retention` of createMemory',
    'days',
    () => memory.createMemory({ project: 'p', backend: inProcess.memory(), retention: options('days') }),
  ],
  [
    '`requests` of createWorkflows',
    'timeoutMs',
    () => agents.createWorkflows({ memory: store(), env: {}, requests: options('timeoutMs') }),
  ],
  [
    '`requests` of createWorkflows, which tells retries as events',
    'onRetry',
    () => agents.createWorkflows({ memory: store(), env: {}, requests: options('onRetry') }),
  ],
])('%s are checked, too: %s', async (_, option, call) => {
  await expect((async () => call())()).rejects.toMatchObject({ code: 'INVALID_OPTION', option });
});
