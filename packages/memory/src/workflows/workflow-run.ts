import type { CallOptions } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { checkContent } from '../records/limits.ts';
import type { Limits } from '../records/limits.ts';
import { randomName } from '../conversations/message.ts';
import type { Notes } from './notes.ts';
import type { Change } from './workflows.ts';
import { isTodoStatus } from './workflow-record.ts';
import type { TodoStatus, WorkflowRecord } from './workflow-record.ts';

/** How a workflow is taken. */
export interface AcquireOptions extends CallOptions {
  /** Who takes it, for messages. @default a random name */
  readonly owner?: string | undefined;
  /** Without a sign of life for so many milliseconds others may take it over. @default 30_000 */
  readonly leaseMs?: number | undefined;
}

/** What becomes of a step. */
export interface TodoUpdate {
  readonly status: TodoStatus;
  /** Any JSON. */
  readonly result?: unknown;
}

/** How a workflow ends. */
export interface FinishOptions extends CallOptions {
  /** @default 'done' */
  readonly status?: 'done' | 'failed' | undefined;
  /** Remove its notes now, or leave them to end by themselves. @default 'remove' */
  readonly notes?: 'remove' | 'expire' | undefined;
}

/**
 * A workflow in the hands of the one who runs it. A sign of life is given three times in the time of the lease; every
 * update is one too. Updates are refused with `LEASE_LOST` once somebody else has taken over.
 */
export interface WorkflowRun extends AsyncDisposable {
  readonly id: string;
  readonly owner: string;
  /** Aborted with a `LEASE_LOST` when somebody else has taken over, or the store was away for too long to know. */
  readonly signal: AbortSignal;
  /** As it was after the last update from here. Its notes are read with `getNotes`. */
  readonly record: WorkflowRecord;
  /** @throws {MemoryError} `UNKNOWN_TODO`, `LEASE_LOST`. */
  readonly updateTodo: (todoId: string, update: TodoUpdate, options?: CallOptions) => Promise<WorkflowRecord>;
  /** Adds steps at the end. */
  readonly addTodos: (contents: readonly string[], options?: CallOptions) => Promise<WorkflowRecord>;
  /** Ends the workflow; its record stays for its 3 days. */
  readonly finish: (options?: FinishOptions) => Promise<WorkflowRecord>;
  /** Gives it back unfinished, so that others need not wait for the lease to lapse. Twice is fine. */
  readonly release: () => Promise<void>;
}

export interface RunDependencies {
  readonly id: string;
  readonly limits: Limits;
  readonly notes: Notes;
  readonly change: (apply: Change, options: CallOptions) => Promise<WorkflowRecord>;
}

const DEFAULT_LEASE_MS = 30_000;
const SIGNS_PER_LEASE = 3;

function busy({ id, lease }: WorkflowRecord, nowMs: number): MemoryError {
  const left = Math.ceil(((lease?.expiresAt ?? nowMs) - nowMs) / 1000);
  return new MemoryError('WORKFLOW_BUSY', [
    `The workflow ${id} is run by ${lease?.owner ?? 'somebody else'}`,
    `Wait until it is done; if that one is gone, it can be taken over in ${left} s.`,
  ]);
}

function lost(id: string, why: string): MemoryError {
  const hint = 'Stop, and change nothing more for it: read its record to see how far it came.';
  return new MemoryError('LEASE_LOST', [`The workflow ${id} is no longer yours: ${why}`, hint]);
}

/** A result as it is read back from the store. @throws {MemoryError} `INVALID_INPUT` when it is no JSON. */
function asJson(result: unknown, todoId: string): unknown {
  try {
    // Throws for what JSON has no place for, and for `undefined`, which is what it makes of a function.
    return JSON.parse(JSON.stringify(result));
  } catch (error) {
    const summary = `The result of ${todoId} cannot be written as JSON`;
    throw new MemoryError('INVALID_INPUT', [summary, 'Give texts, numbers, lists and plain objects.'], {
      cause: error,
    });
  }
}

/** Takes a workflow. @throws {MemoryError} `WORKFLOW_BUSY`, `INVALID_INPUT`, `UNKNOWN_WORKFLOW`. */
export async function createRun(dependencies: RunDependencies, options: AcquireOptions): Promise<WorkflowRun> {
  const { id, limits, notes, change } = dependencies;
  const { owner = `runner_${randomName()}`, leaseMs = DEFAULT_LEASE_MS, signal } = options;
  if (!(leaseMs > 0 && leaseMs < 2 ** 31)) {
    const summary = `leaseMs must be above 0 and below ${2 ** 31}, not ${leaseMs}`;
    throw new MemoryError('INVALID_OPTION', [summary, 'Leave it out for 30,000.'], { option: 'leaseMs' });
  }
  // Two runners of one name are still two.
  const token = `${owner}#${randomName()}`;
  const withLease = (record: WorkflowRecord, nowMs: number): WorkflowRecord => ({
    ...record,
    lease: { owner: token, expiresAt: Math.ceil(nowMs + leaseMs) },
  });
  const ended = new AbortController();
  let state: 'held' | 'lost' | 'over' = 'held';
  let renewedAt = performance.now();
  let current = await change(
    (record, nowMs) => {
      if (record.status !== 'running') {
        const summary = `The workflow ${id} is finished (${record.status})`;
        throw new MemoryError('INVALID_INPUT', [summary, 'Begin a new one.']);
      }
      if (record.lease && record.lease.expiresAt > nowMs) throw busy(record, nowMs);
      return withLease(record, nowMs);
    },
    { signal },
  );

  const lose = (error: MemoryError): MemoryError => {
    state = 'lost';
    clearInterval(timer);
    ended.abort(error);
    return error;
  };
  /** Changes the record as long as it is ours, and holds on to it. */
  const update = async (apply: Change, call: CallOptions = {}): Promise<WorkflowRecord> => {
    if (state === 'over') throw lost(id, 'it was finished or given back');
    if (state === 'lost') throw ended.signal.reason as MemoryError;
    const begunAt = performance.now();
    current = await change((record, nowMs) => {
      if (record.lease?.owner !== token) throw lose(lost(id, `${record.lease?.owner ?? 'somebody'} has taken it over`));
      return apply(withLease(record, nowMs), nowMs);
    }, call);
    renewedAt = begunAt;
    return current;
  };
  const giveSign = async (): Promise<void> => {
    try {
      await update((record) => record);
    } catch (error) {
      // The store may come back in time; after that nobody knows whose it is. Nobody waits for this: whatever went wrong
      // is said by the signal.
      const isGone = MemoryError.isInstance(error) && error.code === 'UNKNOWN_WORKFLOW';
      if (state === 'held' && (isGone || performance.now() - renewedAt > leaseMs)) {
        const why = error instanceof Error ? error.message : String(error);
        lose(lost(id, `no sign of life could be given (${why})`));
      }
    }
  };
  let sign: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    sign = sign.then(() => (state === 'held' ? giveSign() : undefined));
  }, leaseMs / SIGNS_PER_LEASE);
  // A process that has nothing else to do may end.
  timer.unref();
  /** Gives it back, with a last change. */
  const end = async (apply: Change, call: CallOptions): Promise<WorkflowRecord> => {
    clearInterval(timer);
    await sign;
    const record = await update((own, nowMs) => {
      const { lease: _, ...rest } = apply(own, nowMs);
      return rest;
    }, call);
    state = 'over';
    return record;
  };
  const release = async (): Promise<void> => {
    if (state !== 'held') return;
    try {
      await end((record) => record, {});
    } catch (error) {
      // It is given back already when somebody else has it, or nobody can.
      if (!MemoryError.isInstance(error) || !['LEASE_LOST', 'UNKNOWN_WORKFLOW'].includes(error.code)) throw error;
    }
  };

  return {
    id,
    owner,
    signal: ended.signal,
    get record() {
      return current;
    },
    updateTodo: async (todoId, { status, result }, call) => {
      if (!isTodoStatus(status)) {
        const summary = `The status ${JSON.stringify(status)} is none`;
        throw new MemoryError('INVALID_INPUT', [summary, 'Use one of pending, running, done, failed.']);
      }
      const outcome = result === undefined ? undefined : asJson(result, todoId);
      return update((record) => {
        if (!record.todos.some((todo) => todo.id === todoId)) {
          const known = record.todos.map((todo) => todo.id).join(', ');
          throw new MemoryError('UNKNOWN_TODO', [`The workflow ${id} has no ${todoId}`, `It has ${known}.`]);
        }
        const todos = record.todos.map((todo) =>
          todo.id === todoId ? { ...todo, status, ...(outcome !== undefined && { result: outcome }) } : todo,
        );
        return { ...record, todos };
      }, call);
    },
    addTodos: async (contents, call) => {
      const checked = contents.map((content) => checkContent(content, 'todo', limits));
      return update((record) => {
        const first = record.todos.length;
        const added = checked.map((content, index) => ({
          id: `todo_${first + index}`,
          content,
          status: 'pending' as const,
        }));
        return { ...record, todos: [...record.todos, ...added] };
      }, call);
    },
    finish: async ({ status = 'done', notes: after = 'remove', signal: stop } = {}) => {
      const record = await end((own) => ({ ...own, status }), { signal: stop });
      if (after === 'remove') await notes.removeNotes(id);
      return record;
    },
    release,
    [Symbol.asyncDispose]: release,
  };
}
