import { createMemory, MemoryError, type EditedTodo, type Stream, type WorkflowRecord } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import type { CallTable, OptionNames } from '@cairn/tool/kernel';
import { AgentError, checkArguments } from '../errors.ts';
import { modelOptions, requestOptions } from '../model/resolve-model.ts';
import { Engine, type FoundWorkflow } from './engine.ts';
import type { Journal } from './journal.ts';
import { isPending, NEW_STATE, stateOf } from './loop-state.ts';
import { loopTexts } from './loop-texts.ts';
import { answerOf, questionOf } from './loop.ts';
import { checkJson, type ApprovalDecision } from './pending.ts';
import { responseWithoutWork, waitsForOf } from './workflows-api.ts';
import type {
  AgentWorkflows,
  ProcessEvent,
  ProcessOptions,
  ResumeOptions,
  WorkflowResponse,
  WorkflowsOptions,
  WorkflowStream,
  WorkOptions,
} from './workflows-api.ts';

const workflowsOptions: OptionNames<WorkflowsOptions> = {
  ...modelOptions,
  memory: 'required',
  toolSets: 'optional',
  root: 'optional',
  language: 'optional',
  needsApproval: 'optional',
  approvals: 'optional',
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

/** A stream whose messages the workflows answer. */
class AnsweringStream implements WorkflowStream {
  readonly #stream: Stream;
  readonly #engine: Engine;

  /** @throws {MemoryError} `UNKNOWN_STREAM` */
  constructor(name: string, engine: Engine) {
    this.#stream = engine.memory.stream(name);
    this.#engine = engine;
  }

  async process(event: ProcessEvent, question: string, options: ProcessOptions = {}): Promise<WorkflowResponse> {
    const { mergeStreams = [], enableTodo = true, enableMemory = true, settings, ...workOptions } = options;
    const { group, user, messageId: id } = event;
    const { memory } = this.#engine;
    const merge = mergeStreams.length === 0 ? undefined : { main: this.#stream.name, secondary: mergeStreams };
    const stream = merge === undefined ? this.#stream : memory.mergeStreams(merge);
    if (question === '') throw new AgentError('INVALID_INPUT', ['The question is empty', 'Pass a text.']);
    // The model is checked before anything is stored.
    this.#engine.sessions.resolveModel();
    let messageId: string | undefined;
    if (enableMemory) {
      const { signal } = workOptions;
      const stored = await stream.addMessage(group, { id, content: question, author: user }, { signal });
      messageId = stored.id;
      const resumed = stored.resumes && (await this.#resume(stored.resumes, { question, user }, workOptions));
      if (resumed) return resumed;
    }
    const store = enableMemory ? memory : createMemory({ backend: inProcess() });
    const place = { stream, group, store, usesMemory: enableMemory };
    const state = { ...NEW_STATE, merge, user, settings };
    return this.#engine.answer(place, { question, messageId, enableTodo, state }, workOptions);
  }

  /** Resumes a workflow by a message of its group. @returns `undefined` when the message is not for it. */
  async #resume(
    id: string,
    { question: answer, user }: { readonly question: string; readonly user: string | undefined },
    options: WorkOptions,
  ): Promise<WorkflowResponse | undefined> {
    const engine = this.#engine;
    const kept = await engine.memory.workflows.get(id, { signal: options.signal });
    // Another program works on it.
    if (stateOf(kept) === undefined) return undefined;
    const found = await engine.find(id, options.signal);
    const { record, state, stream } = found;
    const call = state.calls.find(isPending);
    // Only the user may approve what the user asked for.
    const isOther = user !== undefined && state.user !== undefined && user !== state.user;
    if (call?.status === 'approval' && isOther) return undefined;
    try {
      return await engine.work(found, { answered: call && { call, answer } }, options);
    } catch (error) {
      if (!MemoryError.isInstance(error) || error.code !== 'WORKFLOW_BUSY') throw error;
      const text = loopTexts[engine.sessions.languageOf(stream)].busy(id);
      return responseWithoutWork(record, { status: 'running', text });
    }
  }
}

/** Returns the message of the user that answers the question of a workflow. */
async function answerIn({ stream, group, usesMemory, record }: FoundWorkflow): Promise<string | undefined> {
  const { question } = record;
  if (!usesMemory || group === undefined || question === undefined) return undefined;
  const messages = await stream.history(group, { limit: 100 });
  return messages.find(({ role, time }) => role === 'user' && time > question.time)?.content;
}

class Workflows implements AgentWorkflows {
  readonly #options: WorkflowsOptions;
  readonly #engine: Engine;

  constructor(options: WorkflowsOptions) {
    this.#options = options;
    this.#engine = new Engine(options);
  }

  stream(name: string): WorkflowStream {
    return checkArguments.calls(new AnsweringStream(name, this.#engine), streamCalls);
  }

  async resume(id: string, { answer: given, ...options }: ResumeOptions = {}): Promise<WorkflowResponse> {
    const found = await this.#engine.find(id, options.signal);
    const { record, state, stream, usesMemory } = found;
    const language = this.#engine.sessions.languageOf(stream);
    if (record.status === 'failed' || record.status === 'cancelled') {
      const summary = `The workflow ${id} is finished (${record.status})`;
      throw new AgentError('INVALID_INPUT', [summary, 'Retry it to try its failed and open todos again.']);
    }
    if (record.status === 'done') {
      if (given === undefined) {
        return responseWithoutWork(record, { status: 'done', text: answerOf(found, { language }) });
      }
      const summary = `The workflow ${id} is done, and asks nothing`;
      throw new AgentError('INVALID_INPUT', [summary, 'Send the message as a new request.']);
    }
    const call = state.calls.find(isPending);
    const isWaiting = record.status === 'waiting' || call !== undefined;
    const answer = given ?? (isWaiting && call?.status !== 'approval' ? await answerIn(found) : undefined);
    if (record.status === 'waiting' && answer === undefined) {
      const text = record.question?.text ?? (call ? questionOf(call, { language }) : '');
      return responseWithoutWork(record, { status: 'waiting', text, waitsFor: waitsForOf(call) });
    }
    const answered = call && answer !== undefined ? { call, answer } : undefined;
    // It is stored by the process that holds the workflow: one that cannot get it tries again with the same answer.
    const message = given !== undefined && usesMemory ? given : undefined;
    return this.#engine.work(found, { answered, message }, options);
  }

  async approve(
    id: string,
    { input, ...options }: WorkOptions & { readonly input?: unknown } = {},
  ): Promise<WorkflowResponse> {
    checkJson(input);
    return this.#decide(id, { isApproved: true, ...(input !== undefined && { input }) }, options);
  }

  refuse(id: string, { reason, ...options }: Parameters<AgentWorkflows['refuse']>[1] = {}): Promise<WorkflowResponse> {
    return this.#decide(id, { isApproved: false, reason }, options);
  }

  async #decide(id: string, answer: ApprovalDecision, options: WorkOptions): Promise<WorkflowResponse> {
    const found = await this.#engine.find(id, options.signal);
    const call = found.state.calls.find(({ status }) => status === 'approval');
    if (call) return this.#engine.work(found, { answered: { call, answer } }, options);
    const summary = `No call of the workflow ${id} waits for approval`;
    const hint = 'Read the workflow; resume it with an answer if it waits for one.';
    throw new AgentError('INVALID_INPUT', [summary, hint]);
  }

  async retry(
    id: string,
    { todo, ...options }: Parameters<AgentWorkflows['retry']>[1] = {},
  ): Promise<WorkflowResponse> {
    const found = await this.#engine.find(id, options.signal);
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
    const again = Object.fromEntries(failed.map((one) => [one.id, { status: 'pending' } as const]));
    const begin = async (journal: Journal): Promise<void> => {
      const { answers, tries } = journal.state;
      const others = Object.entries(tries).filter(([one]) => !Object.hasOwn(again, one));
      const change = { iterations: 0, tries: Object.fromEntries(others), answers: answers + 1 };
      await journal.update(change, { todos: again });
    };
    return this.#engine.work(found, { reopen: true, begin }, options);
  }

  async cancel(id: string, { reason }: { readonly reason?: string | undefined } = {}): Promise<WorkflowRecord> {
    const { notes = 'remove' } = this.#options;
    const record = await this.#engine.storeOf(id).workflows.cancel(id, { reason, notes });
    this.#engine.forget(id);
    return record;
  }

  editTodos(id: string, todos: readonly EditedTodo[]): Promise<WorkflowRecord> {
    return this.#engine.storeOf(id).workflows.editTodos(id, todos);
  }

  get(id: string): Promise<WorkflowRecord> {
    return this.#engine.storeOf(id).workflows.get(id);
  }

  close(): Promise<void> {
    return this.#engine.sessions.close();
  }
}

/** Creates workflows over the streams of a memory. Sends nothing and opens nothing. */
export function createWorkflows(options: WorkflowsOptions): AgentWorkflows {
  checkArguments.options('createWorkflows', options, workflowsOptions);
  checkArguments.options('createWorkflows requests', options.requests, requestOptions);
  if ((options.toolSets ?? []).length > 0 && options.root === undefined) {
    throw new AgentError('INVALID_OPTION', ['`toolSets` without `root`', 'Pass the directory of the tools.']);
  }
  return checkArguments.calls<AgentWorkflows>(new Workflows(options), workflowCalls);
}
