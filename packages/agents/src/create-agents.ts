import type { AgentDefinitions, ContextManager } from '@cairn/context';
import type { CallTable, OptionNames } from '@cairn/tool/kernel';
import type { WorkspaceRun } from '@cairn/workspace-cache';
import { delegationTool } from './delegation/agent-tool.ts';
import { AgentError, checkArguments } from './errors.ts';
import { modelOptions } from './model/resolve-model.ts';
import type { AgentRun } from './run/agent-run.ts';
import type { Agents, AgentsOptions, PreparedRequest, PrepareOptions, RunOptions } from './run/agents.ts';
import { prepareRun } from './run/prepare.ts';
import { SharedParts } from './run/shared-parts.ts';
import { requestNames, StartedRun } from './run/started-run.ts';

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
