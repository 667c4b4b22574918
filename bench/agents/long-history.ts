/** The time that a turn takes beyond the AI SDK's `streamText`, by the length of the history. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgents } from '@cairn/agents';
import { createCodingToolSet } from '@cairn/coding-agent';
import { ContextManager, openContexts } from '@cairn/context';
import type { UnifiedMessage } from '@cairn/context';
import { createMemory } from '@cairn/memory';
import type { Memory } from '@cairn/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { memoryToolSet } from '@cairn/memory/tools';
import { createWorkspaceCache } from '@cairn/workspace-cache';
import { createWorkspaceCacheToolSet } from '@cairn/workspace-cache/tools';
import { jsonSchema, streamText } from 'ai';
import type { ToolSet } from 'ai';
import { median } from '../lib/statistics.ts';
import type { ModelProcess } from './model-process.ts';

const WARM_UP = 20;
const MODEL_MESSAGE_WORDS = 40;
const FILES = 200;
const agent = { name: 'helper', description: 'Helps.', systemPrompt: 'You help with a project.' };

export interface OwnTime {
  readonly messages: number;
  /** Medians of one turn, in milliseconds, without the time of the server. */
  readonly cairnMs: number;
  readonly sdkMs: number;
  /** The median difference between two turns, in sequence. */
  readonly differenceMs: number;
  /** The same of the processor time of this process, which depends less on what else the machine does. */
  readonly cpuDifferenceMs: number;
  /** The messages of a request. */
  readonly sent: number;
}

interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

function conversation(count: number): UnifiedMessage[] {
  return Array.from({ length: count }, (_, index) => {
    const words = Array.from({ length: MODEL_MESSAGE_WORDS }, (__, word) => `word${(index * 7 + word * 13) % 997}`);
    return { role: index % 2 === 0 ? 'user' : 'assistant', content: `Message ${index}: ${words.join(' ')}.` };
  });
}

interface Setup {
  readonly contexts: ContextManager;
  readonly memory?: Memory;
  readonly root: string;
  readonly hasTools: boolean;
}

/** Times turns of the executor and requests of `streamText` with the same contents, in sequence. */
async function measure(
  server: ModelProcess,
  { contexts, memory, root, hasTools }: Setup,
  rounds: number,
): Promise<OwnTime> {
  const messages = contexts.getContext(agent.name).conversationHistory.length;
  const workspaceCache = hasTools ? createWorkspaceCache({ root }) : undefined;
  const toolSets = hasTools
    ? [
        createCodingToolSet({}),
        createWorkspaceCacheToolSet({}),
        ...(memory ? [memoryToolSet({ open: async () => memory, process: 'bench' })] : []),
      ]
    : [];
  const agents = createAgents({
    root,
    contexts,
    toolSets,
    model: 'scripted',
    baseUrl: server.url,
    ...(workspaceCache && { workspaceCache }),
    ...(memory && { memory }),
  });
  const { system, messages: sent, tools } = await agents.prepare({ agent, prompt: 'Go on.' });
  const instructions = system.map(({ text }) => text).join('\n\n');
  const sdkTools: ToolSet = Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [name, { description, inputSchema: jsonSchema(inputSchema) }]),
  );
  const ownTime = async (run: () => Promise<unknown>): Promise<Cost> => {
    await server.measured();
    const cpu = process.cpuUsage();
    const begin = performance.now();
    await run();
    const ms = performance.now() - begin;
    const { user, system: kernel } = process.cpuUsage(cpu);
    return { ms: ms - (await server.measured()).ms, cpuMs: (user + kernel) / 1000 };
  };
  const cairnTurn = (): Promise<Cost> => ownTime(async () => agents.run({ agent, prompt: 'Go on.' }).result);
  const sdkTurn = (): Promise<Cost> =>
    ownTime(async () => {
      const answer = streamText({ model: server.model, instructions, messages: sent as never, tools: sdkTools });
      await answer.consumeStream();
    });
  const pairs: { cairn: Cost; sdk: Cost }[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const isOursFirst = round % 2 === 0;
    const [first, second] = isOursFirst ? [cairnTurn, sdkTurn] : [sdkTurn, cairnTurn];
    const [one, two] = [await first(), await second()];
    if (round >= 0) pairs.push(isOursFirst ? { cairn: one, sdk: two } : { cairn: two, sdk: one });
  }
  await workspaceCache?.close();
  return {
    messages,
    cairnMs: median(pairs.map(({ cairn }) => cairn.ms)),
    sdkMs: median(pairs.map(({ sdk }) => sdk.ms)),
    differenceMs: median(pairs.map(({ cairn, sdk }) => cairn.ms - sdk.ms)),
    cpuDifferenceMs: median(pairs.map(({ cairn, sdk }) => cairn.cpuMs - sdk.cpuMs)),
    sent: sent.length,
  };
}

/** Turns with histories in memory only, without tools. */
export async function measureBare(server: ModelProcess, count: number, rounds: number): Promise<OwnTime> {
  const contexts = new ContextManager();
  await contexts.appendTurn(agent.name, conversation(count));
  return measure(server, { contexts, root: '/', hasTools: false }, rounds);
}

/** Turns with all tools, a memory in SQLite and the tree of a project. `isStored`: the memory has the histories, too. */
export async function measureFull(
  server: ModelProcess,
  isStored: boolean,
  count: number,
  rounds: number,
): Promise<OwnTime> {
  const root = mkdtempSync(join(tmpdir(), 'cairn-bench-agents-'));
  for (let file = 0; file < FILES; file += 1) {
    writeFileSync(join(root, `file${file}.ts`), `export const value = ${file};\n`);
  }
  const stateDirectory = mkdtempSync(join(tmpdir(), 'cairn-bench-agents-'));
  const memory = createMemory({ backend: sqlite({ path: join(stateDirectory, 'memory.db') }), project: 'bench' });
  try {
    const contexts = isStored ? await openContexts({ store: memory }) : new ContextManager();
    await contexts.appendTurn(agent.name, conversation(count));
    const time = await measure(server, { contexts, memory, root, hasTools: true }, rounds);
    await contexts.close();
    return time;
  } finally {
    await memory.close();
    for (const directory of [root, stateDirectory]) rmSync(directory, { recursive: true });
  }
}
