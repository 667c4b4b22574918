import type { CallTable, OptionNames } from '@cairn/tool/errors';
import { randomUUID } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import type { AgentDefinition, AgentDefinitions, AskModel, ContextMode } from '@cairn/context';
import { createToolSession } from '@cairn/tool';
import { estimateTokens } from '@cairn/tool/prompt';
import type { CountTokens } from '@cairn/tool/prompt';
import { sessionWorkspace, toolOfName } from '@cairn/coding-agent/internal';
import type { WorkspaceRun } from '@cairn/workspace-cache';
import type { NamingProfile } from '@cairn/coding-agent';
import { asSchema } from 'ai';
import type { LanguageModel } from 'ai';
import { checkArguments, AgentError, asError } from '../errors.ts';
import { resolveModel } from '../model/resolve-model.ts';
import type { ResolvedModel } from '../model/resolve-model.ts';
import { createWorkspaceSection } from '../prompt/workspace-section.ts';
import type { AgentTool } from '../tools/agent-tool.ts';
import type { ToolGrant } from '../tools/grant.ts';
import { openAgentTools } from '../tools/open-agent-tools.ts';
import type { AgentTools } from '../tools/open-agent-tools.ts';
import { refreshAfter } from '../tools/refresh-after.ts';
import type { AgentEvent, AgentResult, AgentRun, OwnEvent } from './agent-run.ts';
import type { Agents, AgentsOptions, PreparedRequest, PreparedTool, RunOptions } from './agents.ts';
import { Ending } from './ending.ts';
import { EventLog } from './event-log.ts';
import { execute } from './execute.ts';
import { limitsOf } from './limits.ts';
import { requestModel } from './model-request.ts';
import { definitionOf, prepareRun } from './prepare.ts';
import type { OpenedTools, SharedParts, ToolRequest } from './prepare.ts';
import { runTexts } from './texts.ts';
import { afterAbort } from './tool-calls.ts';
import { Unsent } from './unsent.ts';
import { UsageSum } from './usage-sum.ts';

/** Counts a listing that an agent makes: its tools do not work through the cache of the tree. */
function noteListing(
  { name, input }: Extract<OwnEvent, { readonly type: 'tool-start' }>,
  context: {
    readonly workspace: WorkspaceRun | undefined;
    readonly root: string;
    readonly naming: NamingProfile | undefined;
  },
): void {
  if (toolOfName(name, context.naming ?? 'default') !== 'ls') return;
  const path = typeof input === 'object' && input !== null && 'path' in input ? input.path : '.';
  if (typeof path === 'string') context.workspace?.note({ listed: resolve(context.root, path) });
}

/** The run that a delegation tool is made for. */
export interface DelegationCaller {
  readonly agent: string;
  /** The names of the agents from the first run to this one. */
  readonly agents: readonly string[];
  readonly depth: number;
  readonly grant: ToolGrant;
}

/** What the rooms above add. */
export interface RunnerParts {
  /** Makes the tool that delegates. Default: no such tool. */
  readonly delegate?: ((caller: DelegationCaller) => AgentTool | undefined) | undefined;
}

/** Makes a function that returns tools as the model is offered them. A schema that it has seen costs nothing again. */
function createOffer(countTokens: CountTokens): (tools: AgentTools['tools']) => Promise<PreparedTool[]> {
  const known = new WeakMap<object, PreparedTool>();
  const offer = async (name: string, { description, inputSchema: schema }: AgentTool): Promise<PreparedTool> => {
    const before = known.get(schema);
    if (before?.name === name && before.description === description) return before;
    const inputSchema = (await asSchema(schema).jsonSchema) as object;
    const tokens = countTokens(JSON.stringify({ name, description, inputSchema }));
    const offered = { name, description, inputSchema, tokens };
    known.set(schema, offered);
    return offered;
  };
  return (tools) => Promise.all(Object.entries(tools).map(([name, tool]) => offer(name, tool)));
}

const NO_DEFINITIONS: AgentDefinitions = { agents: new Map(), problems: [], replaced: [] };

function newRunId(): string {
  return `run_${Date.now()}_${randomUUID().slice(0, 8)}`;
}

function closedError(): AgentError {
  return new AgentError('INVALID_INPUT', ['The agents are closed', 'Create new ones for further runs.']);
}

const request = {
  agent: 'required',
  mode: 'optional',
  continue: 'optional',
  mentions: 'optional',
  readOnly: 'optional',
  onlyAgents: 'optional',
  without: 'optional',
  parent: 'optional',
} as const;

const runNames: OptionNames<RunOptions> = {
  ...request,
  prompt: 'required',
  model: 'optional',
  maxSteps: 'optional',
  maxTokens: 'optional',
  timeoutMs: 'optional',
  partialText: 'optional',
  onFailure: 'optional',
  signal: 'optional',
};

const agentCalls: CallTable<Agents> = { prepare: [{ ...request, prompt: 'optional' }] };

/** Makes agents without delegation, unless `parts` has it. @throws {AgentError} `INVALID_OPTION` */
export function createRunner(options: AgentsOptions, { delegate }: RunnerParts = {}): Agents {
  const {
    root,
    contexts,
    definitions = NO_DEFINITIONS,
    toolSets = [],
    countTokens = estimateTokens,
    workspaceCache,
  } = options;
  for (const path of [root, ...(options.roots ?? [])]) {
    if (isAbsolute(path)) continue;
    throw new AgentError(
      'INVALID_OPTION',
      [`The root ${JSON.stringify(path)} is not absolute`, 'Pass an absolute path.'],
      {
        option: 'root',
      },
    );
  }
  const roots = [root, ...(options.roots ?? [])] as const;
  // An unknown name is rejected by the set of coding tools.
  const naming = options.naming as NamingProfile | undefined;
  const offer = createOffer(countTokens);
  const working = new Map<Promise<unknown>, Ending>();
  const resolved = new Map<LanguageModel | undefined, ResolvedModel>();
  let closing: Promise<void> | undefined;

  const openTools = async (
    agent: AgentDefinition,
    mode: ContextMode,
    { parent, readOnly = false, onlyAgents, without }: ToolRequest,
  ): Promise<OpenedTools> => {
    const agents = [...(parent?.agents ?? []), agent.name];
    const depth = parent === undefined ? 0 : parent.depth + 1;
    const session = createToolSession();
    const opened = await openAgentTools({
      toolSets,
      roots,
      agent,
      mode,
      naming,
      language: options.language,
      readOnly: readOnly || options.readOnly,
      without,
      within: parent?.grant,
      onlyAgents,
      session,
      ...(delegate && { delegate: (grant) => delegate({ agent: agent.name, agents, depth, grant }) }),
    });
    // The tools made the workspace of the session, if they need one.
    const unfollow = workspaceCache?.follow(sessionWorkspace({ roots, session }));
    const close = (): void => {
      unfollow?.();
      opened.close();
    };
    const tools = workspaceCache ? refreshAfter(opened.tools, () => workspaceCache.refresh()) : opened.tools;
    return { ...opened, tools, close, session, offered: await offer(tools) };
  };
  const section = createWorkspaceSection(workspaceCache);
  const shared: SharedParts = {
    options,
    definitions,
    roots,
    naming,
    openTools,
    workspaceRun: section.next,
  };

  /** The model of a run: the first of its argument, its definition, its parent and the agents. */
  const modelOf = ({ model, parent }: RunOptions, definition: AgentDefinition): [LanguageModel, ResolvedModel] => {
    const chosen = model ?? definition.model ?? parent?.model ?? options.model;
    const isDefault = typeof options.model === 'object' && options.model.modelId === chosen;
    const given = isDefault
      ? options.model
      : typeof chosen === 'string'
        ? (options.models?.(chosen) ?? chosen)
        : chosen;
    let found = resolved.get(given);
    if (found === undefined) {
      const { baseUrl, apiKey, env } = options;
      found = resolveModel({ model: given, baseUrl, apiKey, env });
      resolved.set(given, found);
    }
    return [given ?? found.name, found];
  };

  const start = async (
    run: string,
    runOptions: RunOptions,
    { ending, log, usage }: { readonly ending: Ending; readonly log: EventLog; readonly usage: UsageSum },
  ): Promise<AgentResult> => {
    checkArguments.options('run', runOptions, runNames);
    const depth = runOptions.parent === undefined ? 0 : runOptions.parent.depth + 1;
    const emit = (event: OwnEvent): void => log.push({ ...event, run, depth });
    const definition = definitionOf(runOptions.agent, shared);
    const limits = limitsOf(runOptions, definition);
    ending.limit(limits.timeoutMs);
    const [inherited, { name, guard, warnings }] = modelOf(runOptions, definition);
    const { firstByteTimeoutMs, chunkTimeoutMs, summarizer } = options;
    const { partialText = true } = runOptions;
    const unsent = new Unsent();
    const model = guard({
      firstByteTimeoutMs,
      chunkTimeoutMs,
      isFollowed: () => partialText && log.isRead,
      onUnsent: (text) => (unsent.text = text),
      onRetry: (retry) => emit({ type: 'retry', ...retry }),
    });
    const askModel: AskModel = async (prompt) => {
      if (typeof summarizer === 'function') return summarizer(prompt, { signal: ending.signal });
      const answer = await requestModel({
        model,
        messages: [{ role: 'user', content: prompt }],
        signal: ending.signal,
      });
      usage.addAnswer(answer, () => countTokens(prompt));
      if (answer.error !== undefined) throw answer.error;
      return answer.text;
    };
    const preparing = prepareRun(shared, { ...runOptions, agent: definition }, askModel);
    const { late, stop } = afterAbort(ending.signal);
    const prepared = await Promise.race([preparing, late]).finally(stop);
    if (prepared === undefined) {
      // A store or a set of tools does not answer. When it does later, nothing is left open.
      preparing.then(({ opened }) => opened.close()).catch(() => undefined);
      const finishReason = ending.isTimeout ? 'timeout' : 'aborted';
      const notice = runTexts[options.language ?? 'en'].notBegun;
      emit({ type: 'notice', text: notice });
      emit({ type: 'end', finishReason });
      const nothing = { text: '', messages: [], steps: 0, usage: usage.sum };
      return { run, agent: definition.name, finishReason, ...nothing, notices: [notice] };
    }
    try {
      const { prompt, mode } = prepared;
      if (prompt === undefined)
        throw new AgentError('INVALID_INPUT', ['The run has no prompt', 'Write what the agent is to do.']);
      // Before the request, so that every later one begins with the same text.
      if (prepared.modeChoice !== undefined) await contexts.keepModeText(definition.name, mode, prepared.modeChoice);
      emit({ type: 'start', agent: definition.name, mode, model: name });
      const notices = [...prepared.notices, ...warnings];
      for (const text of notices) emit({ type: 'notice', text });
      const { workspace } = prepared;
      const result = await execute({
        run,
        options: runOptions,
        agents: options,
        prepared: { ...prepared, prompt, notices },
        limits,
        model,
        unsent,
        inherited,
        usage,
        signal: ending.signal,
        isTimeout: () => ending.isTimeout,
        emit: (event) => {
          if (event.type === 'tool-start') noteListing(event, { workspace, root, naming });
          emit(event);
        },
        emitNested: (event: AgentEvent) => log.push(event),
      });
      workspace?.note({ requests: result.steps });
      return result;
    } finally {
      prepared.opened.close();
    }
  };

  const close = async (): Promise<void> => {
    for (const ending of working.values()) ending.abort(new Error('the agents were closed'));
    await Promise.allSettled(working.keys());
    await Promise.all(toolSets.map(async (set) => set.close?.()));
  };

  const agents: Agents = {
    definitions,
    contexts,
    run: (runOptions): AgentRun => {
      const run = newRunId();
      const log = new EventLog();
      const ending = new Ending(runOptions.signal);
      const usage = new UsageSum();
      const begun = closing ? Promise.reject(closedError()) : start(run, runOptions, { ending, log, usage });
      const result = begun.finally(() => {
        ending.stop();
        working.delete(result);
      });
      working.set(result, ending);
      // Also marks a rejection as handled: the result need not be awaited.
      result.then(
        () => log.end(),
        (error: unknown) => log.end(asError(error)),
      );
      return {
        run,
        result,
        get usage() {
          return usage.sum;
        },
        [Symbol.asyncIterator]: () => log[Symbol.asyncIterator](),
      };
    },
    prepare: async (request): Promise<PreparedRequest> => {
      if (closing) throw closedError();
      const prepared = await prepareRun(shared, request);
      prepared.opened.close();
      const { agent, mode, system, messages, tools, shows, leftOut, tokens, bytes, isMainEmpty, notices } = prepared;
      const main = isMainEmpty === true && { isMainEmpty };
      return { agent, mode, system, messages, tools, shows, leftOut, tokens, bytes, ...main, notices };
    },
    workspaceRun: () => section.latest(),
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => agents.close(),
  };
  return checkArguments.calls(agents, agentCalls);
}
