import type { AgentDefinitions, ContextManager } from '@cairn/context';
import type { CallTable } from '@cairn/tool/kernel';
import type { WorkspaceRun } from '@cairn/workspace-cache';
import { AgentError, checkArguments } from '../errors.ts';
import type { AgentRun } from './agent-run.ts';
import type { Agents, AgentsOptions, PreparedRequest, PrepareOptions, RunOptions } from './agents.ts';
import { prepareRun } from './prepare.ts';
import { SharedParts } from './shared-parts.ts';
import type { Delegate } from './shared-parts.ts';
import { requestNames, StartedRun } from './started-run.ts';

const agentCalls: CallTable<Agents> = { prepare: [{ ...requestNames, prompt: 'optional' }] };

class Runner implements Agents {
  readonly #shared: SharedParts;
  readonly #working = new Set<StartedRun>();
  #closing: Promise<void> | undefined;

  constructor(options: AgentsOptions, delegate: Delegate) {
    this.#shared = new SharedParts(options, delegate);
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

/** Makes agents that delegate by the tool that `delegate` makes. @throws {AgentError} `INVALID_OPTION` */
export function createRunner(options: AgentsOptions, delegate: Delegate): Agents {
  return checkArguments.calls<Agents>(new Runner(options, delegate), agentCalls);
}
