import { MemoryError } from '../errors.ts';
import type { CallOptions } from '../records/backend.ts';
import { checkContent } from '../records/limits.ts';
import type { Limits } from '../records/limits.ts';
import { randomName } from '../records/random-name.ts';
import { Lease } from './lease.ts';
import type { Notes } from './notes.ts';
import { isTodoStatus, newTodo, TODO_STATUSES } from './workflow-record.ts';
import type { Change, TodoStatus, WorkflowRecord } from './workflow-record.ts';

/** How a workflow is acquired. */
export interface AcquireOptions extends CallOptions {
  /** The name of the runner in messages. @default a random name */
  readonly owner?: string | undefined;
  /** After this time without a heartbeat, another runner may take over, in milliseconds. @default 30_000 */
  readonly leaseMs?: number | undefined;
}

/** A change of a todo. */
export interface TodoUpdate {
  readonly status: TodoStatus;
  /** Any JSON. */
  readonly result?: unknown;
}

/** How a workflow ends. */
export interface FinishOptions extends CallOptions {
  /** @default 'done' */
  readonly status?: 'done' | 'failed' | undefined;
  /** Whether to remove the notes now, or let them expire. @default 'remove' */
  readonly notes?: 'remove' | 'expire' | undefined;
}

/**
 * A workflow that this runner holds. A heartbeat renews the lease three times in the time of the lease, and each update
 * renews it too. Updates fail with `LEASE_LOST` after another runner took over.
 */
export interface WorkflowRun extends AsyncDisposable {
  readonly id: string;
  readonly owner: string;
  /** Aborted with a `LEASE_LOST` error when another runner took over, or when the lease could not be renewed in time. */
  readonly signal: AbortSignal;
  /** The record after the last update of this runner. Read its notes with `getNotes`. */
  readonly record: WorkflowRecord;
  /** @throws {MemoryError} `INVALID_INPUT`, `UNKNOWN_TODO`, `LEASE_LOST`. */
  readonly updateTodo: (todoId: string, update: TodoUpdate, options?: CallOptions) => Promise<WorkflowRecord>;
  /** Adds todos at the end. */
  readonly addTodos: (contents: readonly string[], options?: CallOptions) => Promise<WorkflowRecord>;
  /** Ends the workflow. Its record stays for 3 days. */
  readonly finish: (options?: FinishOptions) => Promise<WorkflowRecord>;
  /** Gives up the lease, so that others need not wait until it lapses. May be called twice. */
  readonly release: () => Promise<void>;
}

export interface RunDependencies {
  readonly id: string;
  readonly limits: Limits;
  readonly notes: Notes;
  readonly change: (apply: Change, options: CallOptions) => Promise<WorkflowRecord>;
}

const DEFAULT_LEASE_MS = 30_000;

/** Returns a result as the store will return it. @throws {MemoryError} `INVALID_INPUT` when it is not JSON. */
function jsonOf(result: unknown, todoId: string): unknown {
  try {
    // Throws for values without JSON, and for `undefined`, which is the JSON of a function.
    return JSON.parse(JSON.stringify(result));
  } catch (error) {
    const summary = `The result of ${todoId} is not valid JSON`;
    throw new MemoryError('INVALID_INPUT', [summary, 'Use strings, numbers, arrays and plain objects.'], {
      cause: error,
    });
  }
}

/** @throws {MemoryError} `UNKNOWN_TODO`. */
function withTodo(record: WorkflowRecord, todoId: string, fields: TodoUpdate): WorkflowRecord {
  if (!record.todos.some(({ id }) => id === todoId)) {
    const known = record.todos.map(({ id }) => id).join(', ');
    throw new MemoryError('UNKNOWN_TODO', [`The workflow ${record.id} has no todo ${todoId}`, `It has ${known}.`]);
  }
  const todos = record.todos.map((todo) => (todo.id === todoId ? { ...todo, ...fields } : todo));
  return { ...record, todos };
}

/** Acquires a workflow. @throws {MemoryError} `WORKFLOW_BUSY`, `INVALID_INPUT`, `INVALID_OPTION`, `UNKNOWN_WORKFLOW`. */
export async function createRun(
  { id, limits, notes, change }: RunDependencies,
  { owner = `runner_${randomName()}`, leaseMs = DEFAULT_LEASE_MS, signal }: AcquireOptions,
): Promise<WorkflowRun> {
  const lease = await Lease.acquire({ workflowId: id, owner, leaseMs, change }, { signal });
  const release = (): Promise<void> => lease.release();
  return {
    id,
    owner,
    signal: lease.signal,
    get record() {
      return lease.record;
    },
    updateTodo: async (todoId, { status, result }, call) => {
      if (!isTodoStatus(status)) {
        const summary = `Invalid status ${JSON.stringify(status)}`;
        throw new MemoryError('INVALID_INPUT', [summary, `Use ${TODO_STATUSES.join(', ')}.`]);
      }
      const fields = { status, ...(result !== undefined && { result: jsonOf(result, todoId) }) };
      return lease.update((record) => withTodo(record, todoId, fields), call);
    },
    addTodos: async (contents, call) => {
      const checked = contents.map((content) => checkContent(content, 'todo', limits));
      return lease.update((record) => {
        const added = checked.map((content, index) => newTodo(record.todos.length + index, content));
        return { ...record, todos: [...record.todos, ...added] };
      }, call);
    },
    finish: async ({ status = 'done', notes: after = 'remove', signal: stop } = {}) => {
      const record = await lease.end((own) => ({ ...own, status }), { signal: stop });
      if (after === 'remove') await notes.removeNotes(id);
      return record;
    },
    release,
    [Symbol.asyncDispose]: release,
  };
}
