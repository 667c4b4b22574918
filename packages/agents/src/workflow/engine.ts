import { createMemory, MemoryError } from '@cairn/memory';
import type { EditedTodo, Language, Memory, Stream, WorkflowRecord } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { createToolSession } from '@cairn/tool';
import type { ToolDefinition, ToolSet } from '@cairn/tool';
import { AgentError } from '../errors.ts';
import { resolveModel } from '../model/resolve-model.ts';
import type { ModelOptions } from '../model/resolve-model.ts';
import type { GuardOptions } from '../model/guard-model.ts';
import type { Usage } from '../run/agent-run.ts';
import { decisionOf } from './approval.ts';
import type { ApprovalDecision } from './approval.ts';
import { runCall } from './calls.ts';
import { answerRequest, CREATE_TODOS } from './direct.ts';
import type { WorkflowEvent } from './events.ts';
import { askUserFunction } from './functions/ask-user.ts';
import { workflowFunctions } from './functions/workflow-functions.ts';
import { Journal } from './journal.ts';
import { isPending, NEW_STATE, stateOf } from './loop-state.ts';
import type { LoopState } from './loop-state.ts';
import { loopTexts } from './loop-texts.ts';
import { answerOf, FINISH_STEP, questionOf, runLoop, settleUnfinished } from './loop.ts';
import { toolsBeside } from './replies/prompts.ts';
import type { WorkflowResponse } from './response.ts';
import type { Session } from './session.ts';
import type { CallRecord, WorkflowFunction } from './types.ts';

/** Options of {@link createWorkflows}. */
export interface WorkflowsOptions extends ModelOptions {
  /** Where the streams are defined, and where conversations, notes, facts and the records of workflows are. */
  readonly memory: Memory;
  /** Tools that workflows can call besides the functions of their streams. @default none */
  readonly toolSets?: readonly ToolSet[] | undefined;
  /** The directory of the tools, absolute. Required with `toolSets`. */
  readonly root?: string | undefined;
  /** The language of prompts and answers. @default that of the stream */
  readonly language?: Language | undefined;
  /**
   * The functions whose calls wait for a person's approval: their names, or a function that decides by the call. A name must be
   * that of a function. @default none
   */
  readonly needsApproval?:
    | readonly string[]
    | ((call: { readonly name: string; readonly input: unknown; readonly isReadOnly: boolean }) => boolean)
    | undefined;
  /** Whether the notes are removed or left to expire when a workflow ends. @default 'remove' */
  readonly notes?: 'remove' | 'expire' | undefined;
  /** The largest prompt with its tools, in estimated tokens. @default 32_000 */
  readonly maxTokens?: number | undefined;
  /** The requests of one turn. @default 20 */
  readonly maxRequests?: number | undefined;
  /** A call that takes longer is stopped, in milliseconds. @default 600_000 */
  readonly functionTimeoutMs?: number | undefined;
  /** After this time without a heartbeat, another process may continue a workflow, in milliseconds. @default 30_000 */
  readonly leaseMs?: number | undefined;
  /** Time limits and retries of requests. */
  readonly requests?: Omit<GuardOptions, 'onRetry'> | undefined;
}

/** Where a message comes from. */
export interface ProcessEvent {
  readonly group: string;
  /** The name of the user. */
  readonly user?: string | undefined;
  /**
   * The id of the message, so that a repeated call stores it once. It is answered again: resume a workflow that was killed by its
   * id. @default a random one
   */
  readonly messageId?: string | undefined;
}

/** Options of every call that lets a workflow work. */
export interface WorkOptions {
  /** Ends the work. The workflow can be resumed. */
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: WorkflowEvent) => void) | undefined;
}

/** Options of {@link WorkflowStream.process}. */
export interface ProcessOptions extends WorkOptions {
  /** Streams to merge into this one: their functions, and a separate memory. @default none */
  readonly mergeStreams?: readonly string[] | undefined;
  /** Whether the model may decide on a list of todos; otherwise the answer is one turn. @default true */
  readonly enableTodo?: boolean | undefined;
  /**
   * JSON that the record keeps, as `state.settings`: what a program needs to open the streams of the workflow again.
   * @default none
   */
  readonly settings?: unknown;
  /** Whether to read and write the memory. Without it the workflow ends with this process. @default true */
  readonly enableMemory?: boolean | undefined;
}

/** A stream that answers. */
export interface WorkflowStream {
  /**
   * Answers a message of the user: resumes the workflow of the group that waits for it, or lets the model answer or work on a
   * list of todos.
   *
   * @throws {AgentError} of the model, `INVALID_FUNCTIONS`, `INVALID_OPTION`. @throws {MemoryError} of the store. After both, a
   *   workflow that had begun can be resumed; the event `workflow-start` has its id.
   */
  readonly process: (event: ProcessEvent, question: string, options?: ProcessOptions) => Promise<WorkflowResponse>;
}

/** Options of {@link AgentWorkflows.resume}. */
export interface ResumeOptions extends WorkOptions {
  /** The answer of the user. @default the newest message of the user after the question */
  readonly answer?: string | undefined;
}

/** Workflows of agents. Each call works until the workflow waits or ends. */
export interface AgentWorkflows {
  /** Returns a stream of the memory. @throws {MemoryError} `UNKNOWN_STREAM`. */
  readonly stream: (name: string) => WorkflowStream;
  /**
   * Continues a workflow: after a kill, an error or an abort, or with the answer of the user. Without an answer, one that waits
   * goes on waiting; one that is done returns its answer again.
   *
   * @throws {MemoryError} `UNKNOWN_WORKFLOW`, `WORKFLOW_BUSY`. @throws {AgentError} `INVALID_INPUT` when it failed or was cancelled.
   */
  readonly resume: (id: string, options?: ResumeOptions) => Promise<WorkflowResponse>;
  /**
   * Approves the call that the workflow waits with, with other arguments if they are given, and continues.
   *
   * @throws {AgentError} `INVALID_INPUT` for arguments that are not JSON: the workflow goes on waiting.
   */
  readonly approve: (id: string, options?: WorkOptions & { readonly input?: unknown }) => Promise<WorkflowResponse>;
  /** Refuses the call that the workflow waits with, and continues. */
  readonly refuse: (
    id: string,
    options?: WorkOptions & { readonly reason?: string | undefined },
  ) => Promise<WorkflowResponse>;
  /** Tries the failed todos of a workflow again, or one of them, also after the workflow has failed or was cancelled. */
  readonly retry: (
    id: string,
    options?: WorkOptions & { readonly todo?: string | undefined },
  ) => Promise<WorkflowResponse>;
  /** Ends a workflow. Whoever works on it stops before the next call. */
  readonly cancel: (id: string, options?: { readonly reason?: string | undefined }) => Promise<WorkflowRecord>;
  /** Replaces the open todos of a workflow that waits. See `workflows.editTodos` of the memory. */
  readonly editTodos: (id: string, todos: readonly EditedTodo[]) => Promise<WorkflowRecord>;
  /** Returns a workflow with its notes. */
  readonly get: (id: string) => Promise<WorkflowRecord>;
  /** Closes the tool sets. The memory stays open. */
  readonly close: () => Promise<void>;
}

const DEFAULT_TOKENS = 32_000;
const DEFAULT_REQUESTS = 20;
const DEFAULT_TIMEOUT_MS = 600_000;

/** Adds up what the provider counts. */
function usageCounter(): Pick<Session, 'addUsage' | 'usage'> {
  let usage: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, isComplete: true };
  return {
    usage: () => usage,
    addUsage: (more) => {
      const { inputTokens, outputTokens } = more ?? {};
      usage = {
        inputTokens: usage.inputTokens + (inputTokens ?? 0),
        outputTokens: usage.outputTokens + (outputTokens ?? 0),
        cachedInputTokens: usage.cachedInputTokens + (more?.inputTokenDetails?.cacheReadTokens ?? 0),
        isComplete: usage.isComplete && inputTokens !== undefined && outputTokens !== undefined,
      };
    },
  };
}

/** A call that waits, with what a person answered or decided. */
interface Answered {
  readonly call: CallRecord;
  readonly answer: string | ApprovalDecision;
}

/** Whether an error states that the lease is gone. */
function isLeaseLost(error: unknown): boolean {
  return MemoryError.isInstance(error) && error.code === 'LEASE_LOST';
}

/** @throws {AgentError} `INVALID_INPUT` for arguments that the record cannot keep. */
function checkJson(input: unknown): void {
  const hint = 'Pass JSON. Nothing was called, and the workflow goes on waiting.';
  let json: unknown;
  try {
    json = input === undefined ? '' : JSON.stringify(input);
  } catch (error) {
    throw new AgentError('INVALID_INPUT', ['The arguments of the call are not JSON', hint], { cause: error });
  }
  // That of a function.
  if (json === undefined) throw new AgentError('INVALID_INPUT', ['The arguments of the call are not JSON', hint]);
}

/** Creates workflows over the streams of a memory. Sends nothing and opens nothing. */
export function createWorkflows(options: WorkflowsOptions): AgentWorkflows {
  const { memory, toolSets = [], root, needsApproval = [], notes = 'remove', leaseMs } = options;
  const { maxTokens = DEFAULT_TOKENS, maxRequests = DEFAULT_REQUESTS } = options;
  const { functionTimeoutMs = DEFAULT_TIMEOUT_MS, requests = {} } = options;
  if (toolSets.length > 0 && root === undefined) {
    throw new AgentError('INVALID_OPTION', ['`toolSets` without `root`', 'Pass the directory of the tools.']);
  }
  /** The memories of workflows without one, by id. They end with the process. */
  const volatile = new Map<string, Memory>();
  const end = new AbortController();
  const languageOf = (stream: Stream): Language => options.language ?? stream.language;

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

  interface Place {
    readonly stream: Stream;
    readonly group: string | undefined;
    readonly store: Memory;
    readonly usesMemory: boolean;
  }

  /** Opens what a call works with, and closes it after the work. */
  const withSession = async <T>(
    { stream, group, store, usesMemory }: Place,
    { signal, onEvent }: WorkOptions,
    work: (session: Session) => Promise<T>,
  ): Promise<T> => {
    signal?.throwIfAborted();
    const emit = (event: WorkflowEvent): void => onEvent?.(event);
    const model = resolveModel(options).guard({ ...requests, onRetry: (retry) => emit({ type: 'retry', ...retry }) });
    const closed = new AbortController();
    try {
      const { tools, instructions } = await openTools(
        { stream, usesMemory },
        AbortSignal.any([closed.signal, end.signal]),
      );
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
        ...usageCounter(),
      });
    } finally {
      closed.abort();
    }
  };

  /** Lets a runner work, and gives up its lease. A workflow that was cancelled meanwhile is a response, and no error. */
  const holding = async (
    session: Session,
    held: { readonly journal?: Journal | undefined },
    work: () => Promise<WorkflowResponse>,
  ): Promise<WorkflowResponse> => {
    try {
      return await work();
    } catch (error) {
      const run = held.journal?.run;
      if (run === undefined || (!isLeaseLost(error) && !isLeaseLost(run.signal.reason))) throw error;
      const record = await session.store.workflows.get(run.id);
      if (record.status !== 'cancelled') throw error;
      const text = record.reason ?? '';
      session.emit({ type: 'end', status: 'cancelled', text });
      return {
        status: 'cancelled',
        kind: 'complex',
        workflow: run.id,
        text,
        todos: record.todos,
        ...(record.reason !== undefined && { reason: record.reason }),
        usage: session.usage(),
      };
    } finally {
      // What the store does not accept now lapses by itself.
      await held.journal?.run.release().catch(() => undefined);
    }
  };

  const find = async (
    id: string,
    signal?: AbortSignal,
  ): Promise<Place & { record: WorkflowRecord; state: LoopState }> => {
    const store = volatile.get(id) ?? memory;
    const record = await store.workflows.get(id, { signal });
    const state = stateOf(record);
    if (state === undefined) {
      const summary = `The state of the workflow ${id} was written by another program or a newer version`;
      throw new AgentError('INVALID_INPUT', [summary, 'Use what created it.']);
    }
    const stream =
      state.merge === undefined
        ? memory.stream(record.streamName)
        : memory.mergeStreams({ name: record.streamName, ...state.merge });
    return { record, state, stream, group: record.groupId, store, usesMemory: store === memory };
  };

  /** Acquires a workflow and works on it, after a change of its state. */
  const work = async (
    place: Place & { readonly record: WorkflowRecord },
    {
      reopen = false,
      answered,
      message,
      ...workOptions
    }: WorkOptions & { reopen?: boolean; answered?: Answered | undefined; message?: string | undefined },
    begin: (journal: Journal) => Promise<void> = async () => undefined,
  ): Promise<WorkflowResponse> =>
    withSession(place, workOptions, async (session) => {
      const { id } = place.record;
      // A workflow that cannot go on here goes on waiting.
      if (answered?.call.status === 'approval') functionOf(session, answered.call);
      const run = await place.store.workflows.acquire(id, { leaseMs, reopen, signal: workOptions.signal });
      // The state may have changed since it was read.
      const journal = new Journal(run, stateOf(run.record) ?? NEW_STATE);
      return holding(session, { journal }, async () => {
        const { goal, todos } = run.record;
        session.emit({ type: 'workflow-start', workflow: id, goal, todos, isResumed: true });
        if (message !== undefined && place.group !== undefined) {
          await place.stream.addMessage(place.group, { content: message }, { signal: workOptions.signal });
        }
        await settleUnfinished(session, journal);
        if (answered) await settlePending(session, journal, answered);
        await begin(journal);
        return ended(await runLoop(session, journal));
      });
    });

  /** Forgets the memory of a workflow without one, when it has ended. */
  const ended = (response: WorkflowResponse): WorkflowResponse => {
    const { workflow, status } = response;
    if (workflow !== undefined && (status === 'done' || status === 'cancelled')) volatile.delete(workflow);
    return response;
  };

  /** @throws {AgentError} `INVALID_INPUT`. */
  const functionOf = ({ functions }: Session, { name }: CallRecord): WorkflowFunction => {
    const fn = functions.find((one) => one.name === name);
    if (fn) return fn;
    const summary = `The function ${name}, which waits for approval, is not offered here`;
    throw new AgentError('INVALID_INPUT', [summary, 'Resume the workflow with the functions that it began with.']);
  };

  /** Records what a person answered or decided about the call that waits, and runs it when it is approved. */
  const settlePending = async (session: Session, journal: Journal, { call, answer }: Answered): Promise<void> => {
    const { pending } = journal;
    if (pending?.id !== call.id) {
      const summary = `The call ${call.id} of the workflow ${journal.record.id} no longer waits`;
      throw new AgentError('INVALID_INPUT', [summary, 'Read the workflow again.']);
    }
    const continued = { isContinued: true };
    if (call.status === 'asked' && typeof answer === 'string') {
      await journal.change(call.id, { status: 'done', output: answer }, continued);
      return;
    }
    const decision = typeof answer === 'string' ? decisionOf(answer) : answer;
    if (!decision.isApproved) {
      const { reason = loopTexts[session.language].noReason } = decision;
      await journal.change(call.id, { status: 'refused', output: reason }, continued);
      return;
    }
    const fn = functionOf(session, call);
    const isEdited = decision.input !== undefined;
    const input = isEdited ? decision.input : call.input;
    // From here on it may have run.
    await journal.change(call.id, { status: 'running', input, ...(isEdited && { isEdited }) }, continued);
    await runCall({ ...call, input }, fn, { ...session, journal: async () => journal });
  };

  /** The response of a workflow that goes on waiting. */
  const stillWaiting = (
    { id, todos }: WorkflowRecord,
    call: CallRecord | undefined,
    question: string,
  ): WorkflowResponse => ({
    status: 'waiting',
    kind: 'complex',
    workflow: id,
    text: question,
    todos,
    waitsFor: call?.status === 'approval' ? { kind: 'approval', call } : { kind: 'answer' },
    usage: usageCounter().usage(),
  });

  /** Returns the message of the user that answers the question of a workflow. */
  const answerIn = async (
    { stream, group, usesMemory }: Place,
    { question }: WorkflowRecord,
  ): Promise<string | undefined> => {
    if (!usesMemory || group === undefined || question === undefined) return undefined;
    const messages = await stream.history(group, { limit: 100 });
    return messages.find(({ role, time }) => role === 'user' && time > question.time)?.content;
  };

  const resume: AgentWorkflows['resume'] = async (id, { answer: given, ...workOptions } = {}) => {
    const found = await find(id, workOptions.signal);
    const { record, state, stream, usesMemory } = found;
    if (record.status === 'failed' || record.status === 'cancelled') {
      const summary = `The workflow ${id} is finished (${record.status})`;
      throw new AgentError('INVALID_INPUT', [summary, 'Retry it to try its failed and open todos again.']);
    }
    if (record.status === 'done') {
      if (given !== undefined) {
        const summary = `The workflow ${id} is done, and asks nothing`;
        throw new AgentError('INVALID_INPUT', [summary, 'Send the message as a new request.']);
      }
      const text = answerOf(found, { language: languageOf(stream) });
      const usage = usageCounter().usage();
      return { status: 'done', kind: 'complex', workflow: id, text, todos: record.todos, usage };
    }
    const call = state.calls.find(isPending);
    const isWaiting = record.status === 'waiting' || call !== undefined;
    const answer = given ?? (isWaiting && call?.status !== 'approval' ? await answerIn(found, record) : undefined);
    if (record.status === 'waiting' && answer === undefined) {
      const question = record.question?.text ?? (call ? questionOf(call, { language: languageOf(stream) }) : '');
      return stillWaiting(record, call, question);
    }
    const answered = call && answer !== undefined ? { call, answer } : undefined;
    // It is stored by the process that holds the workflow: one that cannot get it tries again with the same answer.
    const message = given !== undefined && usesMemory ? given : undefined;
    return work(found, { ...workOptions, answered, message });
  };

  /** Resumes a workflow by a message of its group. @returns `undefined` when the message is not for it. */
  const resumeBy = async (
    id: string,
    { question: answer, user }: { readonly question: string; readonly user: string | undefined },
    workOptions: WorkOptions,
  ): Promise<WorkflowResponse | undefined> => {
    const { state: kept } = await memory.workflows.get(id, { signal: workOptions.signal });
    // Another program works on it.
    if (stateOf({ state: kept }) === undefined) return undefined;
    const found = await find(id, workOptions.signal);
    const { record, state, stream } = found;
    const call = state.calls.find(isPending);
    // Nobody else may approve what a user asked for.
    const isOther = user !== undefined && state.user !== undefined && user !== state.user;
    if (call?.status === 'approval' && isOther) return undefined;
    try {
      return await work(found, { ...workOptions, answered: call && { call, answer } });
    } catch (error) {
      if (!MemoryError.isInstance(error) || error.code !== 'WORKFLOW_BUSY') throw error;
      const text = loopTexts[languageOf(stream)].busy(id);
      const usage = usageCounter().usage();
      return { status: 'running', kind: 'complex', workflow: id, text, todos: record.todos, usage };
    }
  };

  const decide = async (id: string, answer: ApprovalDecision, workOptions: WorkOptions): Promise<WorkflowResponse> => {
    const found = await find(id, workOptions.signal);
    const call = found.state.calls.find(({ status }) => status === 'approval');
    if (call === undefined) {
      throw new AgentError('INVALID_INPUT', [
        `No call of the workflow ${id} waits for approval`,
        'Read the workflow; resume it with an answer if it waits for one.',
      ]);
    }
    return work(found, { ...workOptions, answered: { call, answer } });
  };

  return {
    stream: (name) => {
      const plain = memory.stream(name);
      return {
        process: async (event, question, processOptions = {}) => {
          const {
            mergeStreams = [],
            enableTodo = true,
            enableMemory = true,
            settings,
            ...workOptions
          } = processOptions;
          const { group, user, messageId } = event;
          const merge = mergeStreams.length === 0 ? undefined : { main: name, secondary: mergeStreams };
          const stream = merge === undefined ? plain : memory.mergeStreams(merge);
          if (question === '') throw new AgentError('INVALID_INPUT', ['The question is empty', 'Pass a text.']);
          // The model is checked before anything is stored.
          resolveModel(options);
          let stored: string | undefined;
          if (enableMemory) {
            const message = { id: messageId, content: question, author: user };
            const { id, resumes } = await stream.addMessage(group, message, { signal: workOptions.signal });
            stored = id;
            const resumed =
              resumes === undefined ? undefined : await resumeBy(resumes, { question, user }, workOptions);
            if (resumed) return resumed;
          }
          const store = enableMemory ? memory : createMemory({ backend: inProcess() });
          return withSession({ stream, group, store, usesMemory: enableMemory }, workOptions, async (session) => {
            const held: { journal?: Journal } = {};
            const state: LoopState = { ...NEW_STATE, merge, user, settings };
            const begin = async (todos: readonly string[]): Promise<Journal> => {
              const { signal } = session;
              const created = { goal: question, todos, streamName: stream.name, groupId: group, state };
              const { id } = await store.workflows.create(created, { signal });
              if (!enableMemory) volatile.set(id, store);
              const run = await store.workflows.acquire(id, { leaseMs, signal });
              const journal = new Journal(run, state);
              held.journal = journal;
              const { record } = run;
              session.emit({
                type: 'workflow-start',
                workflow: id,
                goal: question,
                todos: record.todos,
                isResumed: false,
              });
              return journal;
            };
            const request = { question, messageId: stored, enableTodo, begin };
            return holding(session, held, async () => ended(await answerRequest(session, request)));
          });
        },
      };
    },
    resume,
    approve: async (id, { input, ...workOptions } = {}) => {
      checkJson(input);
      return decide(id, { isApproved: true, ...(input !== undefined && { input }) }, workOptions);
    },
    refuse: (id, { reason, ...workOptions } = {}) => decide(id, { isApproved: false, reason }, workOptions),
    retry: async (id, { todo, ...workOptions } = {}) => {
      const found = await find(id, workOptions.signal);
      const { todos, status } = found.record;
      const failed = todos.filter((one) => one.status === 'failed' && (todo === undefined || one.id === todo));
      if (todo !== undefined && failed.length === 0) {
        const known = todos.map((one) => `${one.id} ${one.status}`).join(', ');
        const summary = `The workflow ${id} has no failed todo ${JSON.stringify(todo)}`;
        throw new AgentError('INVALID_INPUT', [summary, `Its todos: ${known}.`]);
      }
      if (failed.length === 0 && status !== 'failed' && status !== 'cancelled') {
        const summary = `The workflow ${id} is ${status}, and none of its todos failed`;
        throw new AgentError('INVALID_INPUT', [summary, 'Resume it to continue it.']);
      }
      return work(found, { ...workOptions, reopen: true }, async (journal) => {
        const again = Object.fromEntries(failed.map((one) => [one.id, { status: 'pending' } as const]));
        const tries = Object.fromEntries(
          Object.entries(journal.state.tries).filter(([one]) => !Object.hasOwn(again, one)),
        );
        const { answers } = journal.state;
        await journal.update({ iterations: 0, tries, answers: answers + 1 }, { todos: again });
      });
    },
    cancel: async (id, { reason } = {}) => {
      const store = volatile.get(id) ?? memory;
      const record = await store.workflows.cancel(id, { reason, notes });
      volatile.delete(id);
      return record;
    },
    editTodos: (id, todos) => (volatile.get(id) ?? memory).workflows.editTodos(id, todos),
    get: (id) => (volatile.get(id) ?? memory).workflows.get(id),
    close: async () => {
      end.abort();
      for (const set of toolSets) await set.close?.();
    },
  };
}
