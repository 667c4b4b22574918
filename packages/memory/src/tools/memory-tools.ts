import { checkArguments, type OptionNames } from '@cairn/tool/errors';
import { textOf, ToolError, type ToolDefinition } from '@cairn/tool';
import { randomUUID } from 'node:crypto';
import { DEFAULT_STREAM } from '../defaults.ts';
import type { Memory } from '../memory.ts';
import { createGraphTools } from './graph-tools.ts';
import { createFactTools, type FactTools } from './fact-tools.ts';
import { createNotesTool, type NotesDetails, type NotesInput } from './notes-tool.ts';
import { createRecallTool, type RecallDetails, type RecallInput } from './recall-tool.ts';
import { agentStream, noticesOf, type ToolMemory } from './tool-context.ts';
import { memoryParts, readMemory } from '../recall/memory-parts.ts';
import { SessionRecall } from '../recall/session-recall.ts';

/** The tools by name. A type, not an interface, so that it is also a record of tools. */
export type MemoryTools = FactTools & {
  readonly recall: ToolDefinition<RecallInput, RecallDetails>;
  readonly notes: ToolDefinition<NotesInput, NotesDetails>;
};

function createOwnTools(context: ToolMemory): MemoryTools {
  const { remember, ...facts } = createFactTools(context);
  const notes = createNotesTool(context, `cairn-own-process-${randomUUID()}`);
  return { remember, recall: createRecallTool(context), ...facts, notes };
}

/** Adds to each answer what the store has to say, such as that it is damaged. The error of a damaged store says it itself. */
function withNotices<Given extends Readonly<Record<string, ToolDefinition>>>(
  tools: Given,
  open: () => Promise<Memory>,
): Given {
  const noticing = Object.entries(tools).map(([name, tool]): [string, ToolDefinition] => {
    const execute: ToolDefinition['execute'] = async (input, options) => {
      const result = await tool.execute(input, options);
      if (result.isError && result.details.reason === 'IO') return result;
      const notices = await noticesOf(open);
      // The notices of a recall are in its answer.
      if (notices === '' || textOf(result).includes(notices)) return result;
      const part = { type: 'text', text: notices } as const;
      return result.isError
        ? { ...result, content: [...result.content, part] }
        : { ...result, content: [...result.content, part] };
    };
    return [name, { ...tool, execute }];
  });
  return Object.fromEntries(noticing) as Given;
}

export type MemoryNaming = 'default' | 'mcp-memory';

export interface MemoryToolsOptions {
  /** The memory, or a function that each call asks for it. */
  readonly memory: Memory | (() => Promise<Memory>);
  /**
   * `default`: `remember`, `recall`, `update_fact`, `forget_fact`, `notes`. `mcp-memory`: the nine tools of `@modelcontextprotocol/server-memory`, over a
   * knowledge graph.
   * @default 'default'
   */
  readonly naming?: MemoryNaming | undefined;
  /**
   * The stream of the messages and of the facts. Facts of a named stream are recalled in it only; those of the default one are
   * shared by all.
   * @default 'agent', which `cairn memory` uses too
   */
  readonly stream?: string | undefined;
  /**
   * Confines the tools to an agent that must not see the conversations of others: `recall` finds the facts and the messages of
   * the agent's own stream, `notes` has only notes of this agent, and no parameter reaches others. Facts that the agent remembers
   * are for all. With `stream`, messages and facts are those of that stream instead. Replaces `workflowId` and `process`.
   */
  readonly agent?: string | undefined;
  /** The workflow of the notes, unless a call states another. Default: the notes belong to the project of the memory. */
  readonly workflowId?: string | undefined;
  /** A name of this process. Notes without a workflow then belong to it, too. */
  readonly process?: string | undefined;
  /** The name of the knowledge graph. @default 'default' */
  readonly graph?: string | undefined;
}

export const memoryToolsOptions: OptionNames<Omit<MemoryToolsOptions, 'memory'>> = {
  naming: 'optional',
  stream: 'optional',
  agent: 'optional',
  workflowId: 'optional',
  process: 'optional',
  graph: 'optional',
};

/**
 * Creates the memory tools of an agent, for the AI SDK, for MCP and for direct calls.
 *
 * @throws {ToolError} `INVALID_OPTION`.
 */
export function createMemoryTools(
  options: MemoryToolsOptions & { readonly naming?: 'default' | undefined },
): MemoryTools;
export function createMemoryTools(options: MemoryToolsOptions): Readonly<Record<string, ToolDefinition>>;
export function createMemoryTools(options: MemoryToolsOptions): MemoryTools | Readonly<Record<string, ToolDefinition>> {
  checkArguments.options('createMemoryTools', options, { ...memoryToolsOptions, memory: 'required' });
  return createSessionTools(options, new SessionRecall());
}

/** Creates the tools of a session, whose `recall` asks what other tool sets have added before. */
export function createSessionTools(
  options: MemoryToolsOptions,
  recall: SessionRecall,
): MemoryTools | Readonly<Record<string, ToolDefinition>> {
  const { memory, naming = 'default', agent, workflowId, process } = options;
  const { stream = agent === undefined ? DEFAULT_STREAM : agentStream(agent) } = options;
  const open = async (): Promise<Memory> => (typeof memory === 'function' ? memory() : memory);
  const noticing = <Given extends Readonly<Record<string, ToolDefinition>>>(tools: Given): Given =>
    withNotices(tools, open);
  if (naming === 'mcp-memory') return noticing(createGraphTools(async () => (await open()).graph(options.graph)));
  if (naming === 'default') {
    // An agent must not see the notes of others.
    const workflow = agent === undefined ? workflowId : undefined;
    const source = { open, stream, workflowId: workflow };
    recall.add(memoryParts({ ...source, isForModel: true }));
    recall.readsBy((id, kind, signal) => readMemory(source, id, { kind, signal }));
    return noticing(createOwnTools({ ...source, agent, process: agent === undefined ? process : undefined, recall }));
  }
  const summary = `Invalid naming ${JSON.stringify(naming)}`;
  throw new ToolError('INVALID_OPTION', [summary, 'Use default or mcp-memory.']);
}
