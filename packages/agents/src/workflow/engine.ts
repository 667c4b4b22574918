import type { CallTable, OptionNames } from '@cairn/tool/errors';
import { createMemory, MemoryError } from '@cairn/memory';
import type { Memory, Stream, WorkflowRecord } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import type { Language } from '@cairn/tool/kernel';
import { checkArguments, AgentError } from '../errors.ts';
import { resolveModel, modelOptions, requestOptions } from '../model/resolve-model.ts';
import { UsageSum } from '../run/usage-sum.ts';
import { decisionOf } from './approval.ts';
import type { ApprovalDecision } from './approval.ts';
import { runCall } from './calls.ts';
import { answerRequest } from './direct.ts';
import { Journal } from './journal.ts';
import { isPending, NEW_STATE, stateOf } from './loop-state.ts';
import type { LoopState } from './loop-state.ts';
import { loopTexts } from './loop-texts.ts';
import { answerOf, questionOf, runLoop, settleUnfinished } from './loop.ts';
import { createSessions } from './open-session.ts';
import type { Place } from './open-session.ts';
import type { WorkflowResponse } from './response.ts';
import type { Session } from './session.ts';
import type { CallRecord, WorkflowFunction } from './types.ts';
import { modelOf } from './workflows-api.ts';
import type { AgentWorkflows, WorkflowsOptions, WorkOptions, WorkflowStream, ProcessEvent } from './workflows-api.ts';

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

const workflowsOptions: OptionNames<WorkflowsOptions> = {
  ...modelOptions,
  memory: 'required',
  toolSets: 'optional',
  root: 'optional',
  language: 'optional',
  needsApproval: 'optional',
  notes: 'optional',
  maxTokens: 'optional',
  maxRequests: 'optional',
  functionTimeoutMs: 'optional',
  leaseMs: 'optional',
  requests: 'optional',
};

const work: OptionNames<WorkOptions> = { signal: 'optional', onEvent: 'optional' };

const event: OptionNames<ProcessEvent> = { group: 'required', user: 'optional', messageId: 'optional' };

const workflowCalls: CallTable<AgentWorkflows> = {
  resume: ['any', { ...work, answer: 'optional' }],
  approve: ['any', { ...work, input: 'optional' }],
  refuse: ['any', { ...work, reason: 'optional' }],
  retry: ['any', { ...work, todo: 'optional' }],
  cancel: ['any', { reason: 'optional' }],
};

const streamCalls: CallTable<WorkflowStream> = {
  process: [
    event,
    'any',
    { ...work, mergeStreams: 'optional', enableTodo: 'optional', enableMemory: 'optional', settings: 'optional' },
  ],
};

/** Creates workflows over the streams of a memory. Sends nothing and opens nothing. */
export function createWorkflows(options: WorkflowsOptions): AgentWorkflows {
  checkArguments.options('createWorkflows', options, workflowsOptions);
  checkArguments.options('createWorkflows requests', options.requests, requestOptions);
  const { memory, toolSets = [], root, notes = 'remove', leaseMs } = options;
  if (toolSets.length > 0 && root === undefined) {
    throw new AgentError('INVALID_OPTION', ['`toolSets` without `root`', 'Pass the directory of the tools.']);
  }
  /** The memories of workflows without one, by id. They end with the process. */
  const volatile = new Map<string, Memory>();
  const end = new AbortController();
  const languageOf = (stream: Stream): Language => options.language ?? stream.language;

  const withSession = createSessions(options, { languageOf, closed: end.signal });

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
    usage: new UsageSum().sum,
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
      const usage = new UsageSum().sum;
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
    // Only the user may approve what the user asked for.
    const isOther = user !== undefined && state.user !== undefined && user !== state.user;
    if (call?.status === 'approval' && isOther) return undefined;
    try {
      return await work(found, { ...workOptions, answered: call && { call, answer } });
    } catch (error) {
      if (!MemoryError.isInstance(error) || error.code !== 'WORKFLOW_BUSY') throw error;
      const text = loopTexts[languageOf(stream)].busy(id);
      const usage = new UsageSum().sum;
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

  const api: AgentWorkflows = {
    stream: (name) => {
      const plain = memory.stream(name);
      const api: WorkflowStream = {
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
          resolveModel(modelOf(options));
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
      return checkArguments.calls(api, streamCalls);
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
  return checkArguments.calls(api, workflowCalls);
}
