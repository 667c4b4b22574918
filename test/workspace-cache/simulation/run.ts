/** Runs the seven agents on a project and counts what they cost. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createCodingTools, createWorkspace, nodeFileOperations } from '@cairn/coding-agent';
import type { FileOperations, Workspace } from '@cairn/coding-agent';
import { fsScanCacheStats, invalidateFsScanCache } from '@cairn/natives';
import { observeCalls } from '@cairn/tool';
import { estimateTokens } from '@cairn/tool/prompt';
import { createWorkspaceCache } from '@cairn/workspace-cache';
import type { WorkspaceCacheOptions } from '@cairn/workspace-cache';
import { generateText, isStepCount } from 'ai';
import { startModelServer } from '../../support/model-server.ts';
import type { ModelRequest } from '../../support/model-server.ts';
import { agentsOf, isFor, modelFor, taskOf } from './agents.ts';
import type { Agent } from './agents.ts';
import type { Project } from './projects.ts';

export interface Cost {
  /** Directories that were listed on the disk, and scans of the workspace. */
  readonly listings: number;
  /** Files that were read from the disk. */
  readonly reads: number;
  /** Calls of tools that the model made. */
  readonly calls: number;
  /** Scans of the workspace. */
  readonly scans: number;
  /** Trees that were made: calls of `treeSummary`. */
  readonly summaries: number;
  /** Requests to the model. */
  readonly requests: number;
  /** Estimated tokens that the model read and wrote, in all requests together. */
  readonly tokens: number;
  /** Those of them that are the section. */
  readonly sectionTokens: number;
  /** The tokens, where a repeated beginning of a request costs `CACHED_PRICE`. */
  readonly tokensWithPromptCache: number;
}

/** The price of a token in the cached beginning of a prompt, as a share of that of other tokens. */
const CACHED_PRICE = 0.1;

/** The file system of this machine, with the numbers of directories that were listed and files that were read below a root. */
function countingOperations(root: string): {
  readonly operations: FileOperations;
  readonly counts: { listings: number; reads: number };
} {
  const counts = { listings: 0, reads: 0 };
  const isWithin = (path: string): boolean => path === root || path.startsWith(`${root}/`);
  const operations: FileOperations = {
    ...nodeFileOperations,
    list: (path) => {
      if (isWithin(path)) counts.listings += 1;
      return nodeFileOperations.list(path);
    },
    open: (path, mode, permissions) => {
      if (mode === 'read' && isWithin(path)) counts.reads += 1;
      return nodeFileOperations.open(path, mode, permissions);
    },
  };
  return { operations, counts };
}

/** What the model reads in a request, in the order in which providers cache it: tools first, the newest message last. */
function inputOf({ chat }: ModelRequest): string {
  const messages = chat.messages.flatMap((message) => [
    typeof message.content === 'string' ? message.content : JSON.stringify(message.content ?? ''),
    ...(message.role === 'assistant' && message.tool_calls ? [JSON.stringify(message.tool_calls)] : []),
  ]);
  return [JSON.stringify(chat.tools ?? []), ...messages].join('\n');
}

function commonLength(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) if (left[index] !== right[index]) return index;
  return length;
}

/** Estimates the input tokens of requests, and what they cost where a beginning that an earlier request had is cached. */
function inputTokens(inputs: readonly string[]): { readonly tokens: number; readonly withPromptCache: number } {
  let tokens = 0;
  let withPromptCache = 0;
  for (const [index, input] of inputs.entries()) {
    const repeated = Math.max(0, ...inputs.slice(0, index).map((earlier) => commonLength(earlier, input)));
    const [all, cached] = [estimateTokens(input), estimateTokens(input.slice(0, repeated))];
    tokens += all;
    withPromptCache += all - cached + cached * CACHED_PRICE;
  }
  return { tokens, withPromptCache: Math.round(withPromptCache) };
}

/** Absolute and canonical. */
export interface Places {
  /** Holds the project. */
  readonly root: string;
  /** For the locks of the tools and the counts of the cache. */
  readonly stateDirectory: string;
}

interface Setup {
  readonly workspace: Workspace;
  /** The section for the prompt of an agent; empty without a cache. */
  readonly section: () => Promise<string>;
  readonly close?: () => Promise<void>;
}

/** All agents share one user context, and each of them starts the cache as the source document does. */
function cachedSetup(places: Places, operations: FileOperations, options: Partial<WorkspaceCacheOptions>): Setup {
  const userContext = {};
  const cache = createWorkspaceCache({ ...options, ...places });
  const workspace = cache.createWorkspace({ stateDirectory: places.stateDirectory, operations });
  return {
    workspace,
    close: () => cache.close(),
    section: async () => (await cache.init({ userContext })).run.section(),
  };
}

const INSTRUCTIONS = 'You document a project. Use the tools to find out what you need to know.';

/** Runs the agents on a project. */
export async function simulate(
  project: Project,
  places: Places,
  /** Options of the cache. Default: no cache. */
  options?: Partial<WorkspaceCacheOptions>,
): Promise<Cost> {
  const { operations, counts } = countingOperations(places.root);
  const { workspace, section, close }: Setup = options
    ? cachedSetup(places, operations, options)
    : { workspace: createWorkspace({ ...places, operations }), section: async () => '' };
  const tools = createCodingTools({ workspace });
  const { inOrder, atOnce } = agentsOf(project);
  const agents = [...inOrder, ...atOnce];
  const server = await startModelServer(modelFor(agents));
  const model = createOpenAICompatible({ name: 'scripted', baseURL: server.url }).chatModel('scripted');
  let calls = 0;
  let summaries = 0;
  const failures: string[] = [];
  const stopObserving = observeCalls(({ kind, call }) => {
    if (call.failure !== undefined) failures.push(`${call.name}: ${call.failure}`);
    if (kind !== 'call-start') return;
    if (call.source === 'tool') calls += 1;
    if (call.name === 'treeSummary') summaries += 1;
  });
  // Every run makes its own scan.
  invalidateFsScanCache();
  const { misses } = fsScanCacheStats();
  let carried = 0;
  let written = 0;
  const work = async (agent: Agent): Promise<void> => {
    const shown = await section();
    const instructions = shown === '' ? INSTRUCTIONS : `${INSTRUCTIONS}\n\n${shown}`;
    const { steps, totalUsage } = await generateText({
      model,
      tools,
      instructions,
      prompt: taskOf(agent),
      stopWhen: isStepCount(20),
    });
    carried += steps.length * estimateTokens(shown);
    written += totalUsage.outputTokens ?? 0;
  };
  try {
    for (const agent of inOrder) await work(agent);
    await Promise.all(atOnce.map(work));
  } finally {
    stopObserving();
    await server.close();
    await close?.();
  }
  if (failures.length > 0) throw new Error(`calls failed: ${failures.join(', ')}`);
  const scans = fsScanCacheStats().misses - misses;
  // By agent: agents that run at once send their requests in another order each time.
  const inputs = agents.flatMap((agent) => server.requests.filter((request) => isFor(request, agent)).map(inputOf));
  const { tokens, withPromptCache } = inputTokens(inputs);
  return {
    listings: counts.listings + scans,
    reads: counts.reads,
    calls,
    scans,
    summaries,
    requests: inputs.length,
    tokens: tokens + written,
    sectionTokens: carried,
    tokensWithPromptCache: withPromptCache + written,
  };
}
