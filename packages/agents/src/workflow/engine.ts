import { MemoryError, type Memory, type WorkflowRecord } from '@cairn/memory';
import { AgentError } from '../errors.ts';
import { answerRequest, type Request } from './direct.ts';
import { Journal } from './journal.ts';
import { NEW_STATE, stateOf, type LoopState } from './loop-state.ts';
import { runLoop, settleUnfinished } from './loop.ts';
import { WorkflowSessions } from './open-session.ts';
import { functionOf, settlePending, type Answered } from './pending.ts';
import { endWork, type WorkflowContext, type Place } from './workflow-context.ts';
import type { WorkflowResponse, WorkflowsOptions, WorkOptions } from './workflows-api.ts';

export interface FoundWorkflow extends Place {
  readonly record: WorkflowRecord;
  readonly state: LoopState;
}

interface WorkStart {
  readonly reopen?: boolean;
  readonly answered?: Answered | undefined;
  /** The answer of the user, for the conversation of the group. */
  readonly message?: string | undefined;
  readonly begin?: (journal: Journal) => Promise<void>;
}

function isLeaseLost(error: unknown): boolean {
  return MemoryError.isInstance(error) && error.code === 'LEASE_LOST';
}

export class Engine {
  readonly memory: Memory;
  readonly sessions: WorkflowSessions;
  readonly #leaseMs: number | undefined;
  /** The memories of workflows without one, by id. They end with the process. */
  readonly #volatile = new Map<string, Memory>();

  constructor(options: WorkflowsOptions) {
    this.memory = options.memory;
    this.sessions = new WorkflowSessions(options);
    this.#leaseMs = options.leaseMs;
  }

  storeOf(id: string): Memory {
    return this.#volatile.get(id) ?? this.memory;
  }

  forget(id: string): void {
    this.#volatile.delete(id);
  }

  /** @throws {AgentError} `INVALID_INPUT` for the workflow of another program. */
  async find(id: string, signal: AbortSignal | undefined): Promise<FoundWorkflow> {
    const { memory } = this;
    const store = this.storeOf(id);
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
  }

  answer(
    place: Place,
    request: Omit<Request, 'begin'> & { readonly state: LoopState },
    options: WorkOptions,
  ): Promise<WorkflowResponse> {
    const { store, stream, group, usesMemory } = place;
    const { question: goal, state } = request;
    return this.sessions.use(place, options, async (session) => {
      let journal: Journal | undefined;
      const begin = async (todos: readonly string[]): Promise<Journal> => {
        const { signal } = session;
        const created = { goal, todos, streamName: stream.name, groupId: group, state };
        const { id } = await store.workflows.create(created, { signal });
        if (!usesMemory) this.#volatile.set(id, store);
        const run = await store.workflows.acquire(id, { leaseMs: this.#leaseMs, signal });
        journal = new Journal(run, state);
        session.emit({ type: 'workflow-start', workflow: id, goal, todos: run.record.todos, isResumed: false });
        return journal;
      };
      return this.#hold(session, { journal: () => journal, work: () => answerRequest(session, { ...request, begin }) });
    });
  }

  /** Acquires a workflow and works on it, after a change of its state. */
  work(found: FoundWorkflow, start: WorkStart, options: WorkOptions): Promise<WorkflowResponse> {
    const { store, stream, group } = found;
    const { reopen = false, answered, message, begin } = start;
    const { signal } = options;
    return this.sessions.use(found, options, async (session) => {
      const { id } = found.record;
      // A workflow that cannot go on here goes on waiting.
      if (answered?.call.status === 'approval') functionOf(session, answered.call);
      const run = await store.workflows.acquire(id, { leaseMs: this.#leaseMs, reopen, signal });
      // The state may have changed since it was read.
      const journal = new Journal(run, stateOf(run.record) ?? NEW_STATE);
      const work = async (): Promise<WorkflowResponse> => {
        const { goal, todos } = run.record;
        session.emit({ type: 'workflow-start', workflow: id, goal, todos, isResumed: true });
        if (message !== undefined && group !== undefined) {
          await stream.addMessage(group, { content: message }, { signal });
        }
        await settleUnfinished(session, journal);
        if (answered) await settlePending(session, journal, answered);
        await begin?.(journal);
        return runLoop(session, journal);
      };
      return this.#hold(session, { journal: () => journal, work });
    });
  }

  /** Does the work, and releases the lease. A workflow that was cancelled meanwhile is a response, and no error. */
  async #hold(
    session: WorkflowContext,
    held: { readonly journal: () => Journal | undefined; readonly work: () => Promise<WorkflowResponse> },
  ): Promise<WorkflowResponse> {
    try {
      const response = await held.work();
      const { workflow, status } = response;
      if (workflow !== undefined && (status === 'done' || status === 'cancelled')) this.forget(workflow);
      return response;
    } catch (error) {
      const run = held.journal()?.run;
      if (run === undefined || (!isLeaseLost(error) && !isLeaseLost(run.signal.reason))) throw error;
      const { status, reason, todos } = await session.store.workflows.get(run.id);
      if (status !== 'cancelled') throw error;
      return endWork(session, { id: run.id, todos }, { status, text: reason ?? '', reason });
    } finally {
      // What the store does not accept now lapses by itself.
      await held
        .journal()
        ?.run.release()
        .catch(() => undefined);
    }
  }
}
