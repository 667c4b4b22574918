import type { Stream } from '@cairn/memory';
import { createToolSession, type ToolDefinition } from '@cairn/tool';
import type { Language } from '@cairn/tool/kernel';
import { AgentError } from '../errors.ts';
import { resolveModel, type GuardedModel, type ResolvedModel } from '../model/resolve-model.ts';
import { UsageSum } from '../run/usage-sum.ts';
import { CallApprovals, type CallApprovalsOptions } from './call-approvals.ts';
import { CREATE_TODOS } from './direct.ts';
import { askUserFunction } from './functions/ask-user.ts';
import { workflowFunctions } from './functions/workflow-functions.ts';
import { FINISH_STEP } from './loop.ts';
import { toolsBeside } from './replies/prompts.ts';
import type { Place, WorkflowContext } from './workflow-context.ts';
import type { WorkflowFunction } from './types.ts';
import type { WorkflowsOptions, WorkOptions } from './workflows-api.ts';

export class WorkflowSessions {
  readonly #options: WorkflowsOptions;
  readonly #closed = new AbortController();

  constructor(options: WorkflowsOptions) {
    this.#options = options;
  }

  languageOf(stream: Stream): Language {
    return this.#options.language ?? stream.language;
  }

  async use<T>(place: Place, options: WorkOptions, work: (session: WorkflowContext) => Promise<T>): Promise<T> {
    options.signal?.throwIfAborted();
    const done = new AbortController();
    try {
      return await work(await this.#open(place, options, AbortSignal.any([done.signal, this.#closed.signal])));
    } finally {
      done.abort();
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
    for (const set of this.#options.toolSets ?? []) await set.close?.();
  }

  async #open(place: Place, { signal, onEvent }: WorkOptions, end: AbortSignal): Promise<WorkflowContext> {
    const { notes = 'remove', maxTokens = 32_000, maxRequests = 20, functionTimeoutMs = 600_000 } = this.#options;
    const { stream } = place;
    const language = this.languageOf(stream);
    const usage = new UsageSum();
    const model = this.#model(onEvent);
    const { tools, instructions } = await this.#openTools(place, end);
    const own = { askUser: askUserFunction(language), reserved: [CREATE_TODOS, FINISH_STEP] };
    const functions = workflowFunctions({ stream, tools, language, ...own });
    return {
      ...place,
      model,
      system: [this.#systemPrompt(place, functions), ...instructions, await this.#facts(place, signal)]
        .filter((part) => part !== '')
        .join('\n\n'),
      language,
      functions,
      approvals: new CallApprovals({
        approvals: this.#options.approvals,
        needsApproval: this.#approvalOf(functions),
        agent: stream.name,
        language,
      }),
      functionTimeoutMs,
      maxRequests,
      maxTokens,
      notes,
      signal,
      emit: (event) => onEvent?.(event),
      addUsage: (answer) => usage.addAnswer({ usage: answer }),
      usage: () => usage.sum,
    };
  }

  /** @throws {AgentError} `NO_MODEL`, `INVALID_OPTION` */
  resolveModel(): ResolvedModel {
    const { model, baseUrl, apiKey, env } = this.#options;
    return resolveModel({ model, baseUrl, apiKey, env });
  }

  #model(onEvent: WorkOptions['onEvent']): GuardedModel {
    return this.resolveModel().guard({
      // Without events no part is shown of an answer.
      isFollowed: () => onEvent !== undefined,
      ...this.#options.requests,
      onRetry: (retry) => onEvent?.({ type: 'retry', ...retry }),
    });
  }

  async #openTools(
    { stream, usesMemory }: Place,
    signal: AbortSignal,
  ): Promise<{ tools: Record<string, ToolDefinition>; instructions: string[] }> {
    const { toolSets = [], root } = this.#options;
    const opened = { tools: {}, instructions: [] as string[] };
    const session = createToolSession();
    for (const set of toolSets) {
      // Its tools are a way into the memory, too.
      if (set.name === 'memory' && !usesMemory) continue;
      const { tools, instructions } = await set.open({
        // `createWorkflows` rejects tool sets without a root.
        roots: [root as string],
        naming: 'default',
        readOnly: false,
        agent: stream.name,
        stream: stream.name,
        session,
        signal,
      });
      const duplicate = Object.keys(tools).find((name) => name in opened.tools);
      if (duplicate !== undefined) {
        const summary = `Two tool sets have a tool ${JSON.stringify(duplicate)}; the second is ${set.name}`;
        throw new AgentError('INVALID_OPTION', [summary, 'Leave one of the sets out.']);
      }
      Object.assign(opened.tools, tools);
      if (instructions !== undefined) opened.instructions.push(instructions);
    }
    return opened;
  }

  #systemPrompt({ stream, group, usesMemory }: Place, functions: readonly WorkflowFunction[]): string {
    return stream.buildSystemPrompt({
      group: group ?? '-',
      language: this.languageOf(stream),
      includeMemory: usesMemory && group !== undefined,
      hasTools: toolsBeside({ stream, functions }).length > 0,
    });
  }

  async #facts({ stream, usesMemory }: Place, signal: AbortSignal | undefined): Promise<string> {
    const { memory } = this.#options;
    const language = this.languageOf(stream);
    return usesMemory ? memory.facts.startBlock({ stream: stream.name, language, signal }) : '';
  }

  /** Returns whether a call needs approval. A misspelled name must not let a call run without it. */
  #approvalOf(functions: readonly WorkflowFunction[]): CallApprovalsOptions['needsApproval'] {
    const { needsApproval = [] } = this.#options;
    if (typeof needsApproval === 'function') {
      return ({ name, isReadOnly }, input) => needsApproval({ name, input, isReadOnly });
    }
    const known = new Set(functions.flatMap(({ name, toolName }) => [name, toolName]));
    const unknown = needsApproval.filter((name) => !known.has(name));
    if (unknown.length > 0) {
      const summary = `\`needsApproval\` names functions that do not exist: ${unknown.join(', ')}`;
      throw new AgentError('INVALID_OPTION', [summary, `Use ${[...known].join(', ')}.`]);
    }
    return ({ name, toolName }) => needsApproval.includes(name) || needsApproval.includes(toolName);
  }
}
