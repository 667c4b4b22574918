import { findAgent, type AgentDefinitions, type ContextManager } from '@cairn/context';
import type { CallTable, Language, OptionNames } from '@cairn/tool/kernel';
import type { WorkspaceRun } from '@cairn/workspace-cache';
import { AgentError, checkArguments } from './errors.ts';
import { modelOptions } from './model/resolve-model.ts';
import type { AgentEvent, AgentRun, ToolRunContext } from './run/agent-run.ts';
import type { Agents, AgentsOptions, PreparedRequest, PrepareOptions, RunOptions } from './run/agents.ts';
import { prepareRun } from './run/prepare.ts';
import { SharedParts, type DelegationCaller } from './run/shared-parts.ts';
import { requestNames, StartedRun } from './run/started-run.ts';
import { asAgentTool, type AgentTool } from './tools/agent-tool.ts';
import { AGENT_TOOL } from './tool-names.ts';
import { RunTool } from './delegation/run-tool.ts';

/** Runs that are started by runs go no deeper. */
const MAX_DEPTH = 2;

export interface AgentToolOptions {
  /** The names of the agents that the model may start, and that these may start. @default all */
  readonly only?: readonly string[] | undefined;
  /** The agents may change nothing. @default false */
  readonly readOnly?: boolean | undefined;
  /** Of the texts for the model. @default 'en' */
  readonly language?: Language | undefined;
  /** The characters of an answer that the model reads at once. @default 12_000 */
  readonly maxAnswerCharacters?: number | undefined;
  /** Called with what the runs do. */
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
}

const agentToolOptions: OptionNames<AgentToolOptions> = {
  only: 'optional',
  readOnly: 'optional',
  language: 'optional',
  maxAnswerCharacters: 'optional',
  onEvent: 'optional',
};

export function agentTool(agents: Agents, options: AgentToolOptions = {}): AgentTool {
  checkArguments.options('agentTool', options, agentToolOptions);
  const { only, readOnly = false, language = 'en', maxAnswerCharacters, onEvent } = options;
  const { definitions } = agents;
  const listed = only?.map((name) => findAgent(definitions, name));
  const may = { only: listed, onlyAgents: listed?.map(({ name }) => name), readOnly };
  const shared = { tool: AGENT_TOOL, definitions, agents: () => agents, language, maxAnswerCharacters };
  return asAgentTool(new RunTool({ ...shared, ...may }).of({ onEvent }));
}

/** Makes the tool `agent` of a run, unless the depth is reached. No agent at work above is offered: its turn is still open. */
function delegationTool(agents: Agents, caller: DelegationCaller, language: Language): AgentTool | undefined {
  if (caller.depth >= MAX_DEPTH) return undefined;
  const { readOnly, agents: granted } = caller.grant;
  const { definitions } = agents;
  const isOpen = (name: string): boolean => !caller.agents.includes(name) && (granted?.has(name) ?? true);
  const only = [...definitions.agents.values()].filter(({ name }) => isOpen(name));
  if (only.length === 0) return undefined;
  const tool = new RunTool({ tool: AGENT_TOOL, definitions, agents: () => agents, language, only, caller, readOnly });
  return {
    ...asAgentTool(tool.of()),
    execute: (input, { abortSignal, context }) =>
      tool.of({ parent: context as ToolRunContext }).execute(input as never, { signal: abortSignal }),
  };
}

const agentsOptions: OptionNames<AgentsOptions> = {
  ...modelOptions,
  root: 'required',
  directory: 'optional',
  contexts: 'required',
  definitions: 'optional',
  models: 'optional',
  toolSets: 'optional',
  roots: 'optional',
  naming: 'optional',
  readOnly: 'optional',
  approvals: 'optional',
  memory: 'optional',
  knowledge: 'optional',
  workspaceCache: 'optional',
  summarizer: 'optional',
  language: 'optional',
  maxContextTokens: 'optional',
  countTokens: 'optional',
  firstByteTimeoutMs: 'optional',
  chunkTimeoutMs: 'optional',
};

const agentCalls: CallTable<Agents> = { prepare: [{ ...requestNames, prompt: 'optional' }] };

class Runner implements Agents {
  readonly #shared: SharedParts;
  readonly #working = new Set<StartedRun>();
  #closing: Promise<void> | undefined;

  constructor(options: AgentsOptions) {
    this.#shared = new SharedParts(options, (caller) => delegationTool(this, caller, options.language ?? 'en'));
  }

  get definitions(): AgentDefinitions {
    return this.#shared.definitions;
  }

  get contexts(): ContextManager {
    return this.#shared.options.contexts;
  }

  run(options: RunOptions): AgentRun {
    const run = new StartedRun(this.#shared, options, this.#closing && this.#closedError());
    this.#working.add(run);
    const end = (): void => void this.#working.delete(run);
    run.result.then(end, end);
    return run;
  }

  async prepare(request: PrepareOptions): Promise<PreparedRequest> {
    if (this.#closing) throw this.#closedError();
    const prepared = await prepareRun(this.#shared, request);
    prepared.opened.close();
    const { agent, mode, system, messages, tools, shows, leftOut, tokens, bytes, isMainEmpty, notices } = prepared;
    const main = isMainEmpty === true && { isMainEmpty };
    return { agent, mode, system, messages, tools, shows, leftOut, tokens, bytes, ...main, notices };
  }

  workspaceRun(): WorkspaceRun | undefined {
    return this.#shared.section.latest;
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const { toolSets = [] } = this.#shared.options;
    for (const run of this.#working) run.abort(new Error('the agents were closed'));
    await Promise.allSettled([...this.#working].map(({ result }) => result));
    await Promise.all(toolSets.map(async (set) => set.close?.()));
  }

  #closedError(): AgentError {
    return new AgentError('INVALID_INPUT', ['The agents are closed', 'Create new ones for further runs.']);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Creates agents that share histories, tools and a model, and can delegate. Opens nothing yet. @throws {AgentError} `INVALID_OPTION` */
export function createAgents(options: AgentsOptions): Agents {
  checkArguments.options('createAgents', options, agentsOptions);
  return checkArguments.calls<Agents>(new Runner(options), agentCalls);
}
