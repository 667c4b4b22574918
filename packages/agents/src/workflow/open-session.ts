import type { Memory, Stream } from '@cairn/memory';
import { createToolSession } from '@cairn/tool';
import type { ToolDefinition } from '@cairn/tool';
import type { Language } from '@cairn/tool/kernel';
import { AgentError } from '../errors.ts';
import { resolveModel } from '../model/resolve-model.ts';
import { UsageSum } from '../run/usage-sum.ts';
import { CREATE_TODOS } from './direct.ts';
import type { WorkflowEvent } from './events.ts';
import { askUserFunction } from './functions/ask-user.ts';
import { workflowFunctions } from './functions/workflow-functions.ts';
import { FINISH_STEP } from './loop.ts';
import { toolsBeside } from './replies/prompts.ts';
import type { Session } from './session.ts';
import type { WorkflowFunction } from './types.ts';
import { modelOf } from './workflows-api.ts';
import type { WorkflowsOptions, WorkOptions } from './workflows-api.ts';

const DEFAULT_TOKENS = 32_000;
const DEFAULT_REQUESTS = 20;
const DEFAULT_TIMEOUT_MS = 600_000;

/** The stream and the group of a workflow, and the memory that keeps its record. */
export interface Place {
  readonly stream: Stream;
  readonly group: string | undefined;
  readonly store: Memory;
  readonly usesMemory: boolean;
}

/** Opens what a call works with, does the work, and closes it. */
type WithSession = <T>(place: Place, options: WorkOptions, work: (session: Session) => Promise<T>) => Promise<T>;

/**
 * Returns a function that opens the tools, the functions, the model and the system prompt of a call.
 *
 * @param closed aborts when the workflows are closed
 */
export function createSessions(
  options: WorkflowsOptions,
  { languageOf, closed }: { readonly languageOf: (stream: Stream) => Language; readonly closed: AbortSignal },
): WithSession {
  const { memory, toolSets = [], root, needsApproval = [], notes = 'remove' } = options;
  const { maxTokens = DEFAULT_TOKENS, maxRequests = DEFAULT_REQUESTS } = options;
  const { functionTimeoutMs = DEFAULT_TIMEOUT_MS, requests = {} } = options;

  const openTools = async (
    { stream: { name: agent }, usesMemory }: Pick<Place, 'stream' | 'usesMemory'>,
    signal: AbortSignal,
  ): Promise<{ tools: Record<string, ToolDefinition>; instructions: string[] }> => {
    const tools: Record<string, ToolDefinition> = {};
    const instructions: string[] = [];
    const session = createToolSession();
    for (const set of toolSets) {
      // Its tools are a way into the memory, too.
      if (set.name === 'memory' && !usesMemory) continue;
      // It was checked above.
      const context = {
        roots: [root as string] as const,
        naming: 'default',
        readOnly: false,
        agent,
        stream: agent,
        session,
        signal,
      };
      const opened = await set.open(context);
      for (const name of Object.keys(opened.tools)) {
        if (name in tools) {
          const summary = `Two tool sets have a tool ${JSON.stringify(name)}; the second is ${set.name}`;
          throw new AgentError('INVALID_OPTION', [summary, 'Leave one of the sets out.']);
        }
      }
      Object.assign(tools, opened.tools);
      if (opened.instructions !== undefined) instructions.push(opened.instructions);
    }
    return { tools, instructions };
  };

  /** Returns whether a call needs approval. A misspelled name must not let a call run without it. */
  const approvalOf = (functions: readonly WorkflowFunction[]): Session['needsApproval'] => {
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
  };

  return async <T>(
    { stream, group, store, usesMemory }: Place,
    { signal, onEvent }: WorkOptions,
    work: (session: Session) => Promise<T>,
  ): Promise<T> => {
    signal?.throwIfAborted();
    const emit = (event: WorkflowEvent): void => onEvent?.(event);
    const model = resolveModel(modelOf(options)).guard({
      // Without events no part is shown of an answer.
      isFollowed: () => onEvent !== undefined,
      ...requests,
      onRetry: (retry) => emit({ type: 'retry', ...retry }),
    });
    const done = new AbortController();
    const usage = new UsageSum();
    try {
      const { tools, instructions } = await openTools({ stream, usesMemory }, AbortSignal.any([done.signal, closed]));
      const language = languageOf(stream);
      const askUser = askUserFunction(language);
      const reserved = [CREATE_TODOS, FINISH_STEP];
      const functions = workflowFunctions({ stream, tools, askUser, reserved, language });
      const facts = usesMemory ? await memory.facts.startBlock({ stream: stream.name, language, signal }) : '';
      const system = [
        stream.buildSystemPrompt({
          group: group ?? '-',
          language,
          includeMemory: usesMemory && group !== undefined,
          hasTools: toolsBeside({ stream, functions }).length > 0,
        }),
        ...instructions,
        facts,
      ];
      return await work({
        store,
        stream,
        group,
        usesMemory,
        model,
        system: system.filter((part) => part !== '').join('\n\n'),
        language,
        functions,
        needsApproval: approvalOf(functions),
        functionTimeoutMs,
        maxRequests,
        maxTokens,
        notes,
        signal,
        emit,
        addUsage: (answer) => usage.addAnswer({ usage: answer }),
        usage: () => usage.sum,
      });
    } finally {
      done.abort();
    }
  };
}
