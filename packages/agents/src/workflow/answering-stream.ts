import { createMemory, MemoryError, type Stream } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { AgentError } from '../errors.ts';
import { resolveModel } from '../model/resolve-model.ts';
import type { Engine } from './engine.ts';
import { isPending, NEW_STATE, stateOf } from './loop-state.ts';
import { loopTexts } from './loop-texts.ts';
import { modelOf, responseWithoutWork } from './workflows-api.ts';
import type {
  ProcessEvent,
  ProcessOptions,
  WorkflowResponse,
  WorkflowsOptions,
  WorkflowStream,
  WorkOptions,
} from './workflows-api.ts';

export class AnsweringStream implements WorkflowStream {
  readonly #stream: Stream;
  readonly #engine: Engine;
  readonly #options: WorkflowsOptions;

  /** @throws {MemoryError} `UNKNOWN_STREAM` */
  constructor(name: string, engine: Engine, options: WorkflowsOptions) {
    this.#stream = engine.memory.stream(name);
    this.#engine = engine;
    this.#options = options;
  }

  async process(event: ProcessEvent, question: string, options: ProcessOptions = {}): Promise<WorkflowResponse> {
    const { mergeStreams = [], enableTodo = true, enableMemory = true, settings, ...workOptions } = options;
    const { group, user, messageId: id } = event;
    const { memory } = this.#engine;
    const merge = mergeStreams.length === 0 ? undefined : { main: this.#stream.name, secondary: mergeStreams };
    const stream = merge === undefined ? this.#stream : memory.mergeStreams(merge);
    if (question === '') throw new AgentError('INVALID_INPUT', ['The question is empty', 'Pass a text.']);
    // The model is checked before anything is stored.
    resolveModel(modelOf(this.#options));
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
