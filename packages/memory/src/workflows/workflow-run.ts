import type { CallTable } from '@cairn/tool/errors';
import { refuse } from '../records/checks.ts';
import { checkArguments, MemoryError } from '../errors.ts';
import { callOptions, type CallOptions } from '../records/backend.ts';
import { checkContent, type Limits } from '../records/limits.ts';
import { randomName } from '../records/random-name.ts';
import { cutText } from './format-notes.ts';
import { Lease } from './lease.ts';
import type { Notes } from './notes.ts';
import { isTodoStatus, TODO_STATUSES, withTodos } from './workflow-record.ts';
import type { Change, Todo, TodoStatus, WorkflowRecord } from './workflow-record.ts';
import type { WaitingList } from './waiting.ts';

export interface AcquireOptions extends CallOptions {
  /** The name of the runner in messages. @default a random name */
  readonly owner?: string | undefined;
  /** After this time without a heartbeat, another runner may take over, in milliseconds. @default 30_000 */
  readonly leaseMs?: number | undefined;
  /** Whether to run a failed or cancelled workflow again. Its todos stay as they are. @default false */
  readonly reopen?: boolean | undefined;
}

/** A change of a todo. */
export interface TodoUpdate {
  readonly status: TodoStatus;
  /**
   * What later steps read when the notes of the step have expired. JSON of at most 2,000 characters; a longer text is cut, and
   * its end states by how much.
   */
  readonly result?: unknown;
  /** How far the step came, from 0 to 1. */
  readonly completion?: number | undefined;
  /** The step that made this one needless. */
  readonly closedBy?: string | undefined;
}

/** Several changes of a workflow, made in one step. */
interface WorkflowUpdate {
  /** Changes of todos by their ids. */
  readonly todos?: Readonly<Record<string, TodoUpdate>> | undefined;
  /** The contents of todos to add at the end. */
  readonly addTodos?: readonly string[] | undefined;
  /** See {@link WorkflowRun.setState}. */
  readonly state?: unknown;
}

/** What a workflow waits for. */
interface WaitOptions extends CallOptions {
  /** The step that waits. */
  readonly todoId?: string | undefined;
  /** The question to the user. */
  readonly question?: string | undefined;
}

export interface FinishOptions extends CallOptions {
  /** @default 'done' */
  readonly status?: 'done' | 'failed' | undefined;
  /** Why it failed. */
  readonly reason?: string | undefined;
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
  /**
   * Makes several changes in one step: after a kill the record has all of them, or none.
   *
   * @throws {MemoryError} `INVALID_INPUT`, `UNKNOWN_TODO`, `TOO_LARGE`, `LEASE_LOST`.
   */
  readonly update: (update?: WorkflowUpdate, options?: CallOptions) => Promise<WorkflowRecord>;
  /** @throws {MemoryError} `INVALID_INPUT`, `UNKNOWN_TODO`, `LEASE_LOST`. */
  readonly updateTodo: (todoId: string, update: TodoUpdate, options?: CallOptions) => Promise<WorkflowRecord>;
  /** Adds todos at the end. */
  readonly addTodos: (contents: readonly string[], options?: CallOptions) => Promise<WorkflowRecord>;
  /** Keeps something for the runner that resumes the workflow, as {@link WorkflowRecord.state}. Replaces what was kept. */
  readonly setState: (state: unknown, options?: CallOptions) => Promise<WorkflowRecord>;
  /**
   * Lets the workflow wait for the user, and gives up the lease. `Stream.addMessage` tells that a user message of the group
   * resumes the workflow; `acquire` resumes it. Call it before the user sees the question.
   *
   * @throws {MemoryError} `UNKNOWN_TODO`, `INVALID_INPUT`, `LEASE_LOST`.
   */
  readonly wait: (options?: WaitOptions) => Promise<WorkflowRecord>;
  /** Ends the workflow. Its record stays for 3 days. */
  readonly finish: (options?: FinishOptions) => Promise<WorkflowRecord>;
  /** Gives up the lease, so that others need not wait until it lapses. May be called twice. */
  readonly release: () => Promise<void>;
}

export interface RunDependencies {
  readonly id: string;
  readonly limits: Limits;
  readonly notes: Notes;
  readonly waiting: WaitingList;
  readonly change: (apply: Change, options: CallOptions) => Promise<WorkflowRecord>;
}

const DEFAULT_LEASE_MS = 30_000;

/** In UTF-16 code units. */
const MAX_RESULT_CHARACTERS = 2000;

/** Returns a value as the store will return it, with its JSON. @throws {MemoryError} `INVALID_INPUT` when it is not JSON. */
export function jsonOf(given: unknown, subject: string): { readonly value: unknown; readonly json: string } {
  try {
    // `undefined`, which is the JSON of a function, does not parse.
    const json = JSON.stringify(given);
    return { value: JSON.parse(json), json };
  } catch (error) {
    const hint = 'Use strings, numbers, arrays and plain objects.';
    throw new MemoryError('INVALID_INPUT', [`The ${subject} is not valid JSON`, hint], { cause: error });
  }
}

function resultOf(result: unknown, todoId: string): unknown {
  if (typeof result === 'string') return cutText(result, MAX_RESULT_CHARACTERS);
  const { value, json } = jsonOf(result, `result of ${todoId}`);
  if (json.length <= MAX_RESULT_CHARACTERS) return value;
  throw new MemoryError('TOO_LARGE', [
    `The result of ${todoId} has ${json.length} characters, more than ${MAX_RESULT_CHARACTERS}`,
    'Pass a summary as a text. Nothing was stored.',
  ]);
}

function todoFields(update: TodoUpdate | null, todoId: string, limits: Limits): Partial<Todo> {
  const { status, result, completion, closedBy } = update ?? {};
  if (!isTodoStatus(status)) refuse(`Invalid status ${JSON.stringify(status)}`, `Use ${TODO_STATUSES.join(', ')}.`);
  if (completion !== undefined && !(completion >= 0 && completion <= 1)) {
    refuse(`Invalid completion ${JSON.stringify(completion)} of ${todoId}`, 'Use a number from 0 to 1.');
  }
  return {
    status,
    ...(result !== undefined && { result: resultOf(result, todoId) }),
    ...(completion !== undefined && { completion }),
    ...(closedBy !== undefined && { closedBy: checkContent(closedBy, 'closedBy', limits) }),
  };
}

function withTodo(record: WorkflowRecord, todoId: string, fields: Partial<Todo>): WorkflowRecord {
  if (!record.todos.some(({ id }) => id === todoId)) {
    const known = record.todos.map(({ id }) => id).join(', ');
    throw new MemoryError('UNKNOWN_TODO', [`The workflow ${record.id} has no todo ${todoId}`, `It has ${known}.`]);
  }
  const todos = record.todos.map((todo) => (todo.id === todoId ? { ...todo, ...fields } : todo));
  return { ...record, todos };
}

export function checkChoice(name: string, value: string, choices: readonly string[]): void {
  if (choices.includes(value)) return;
  refuse(`Invalid ${name} ${JSON.stringify(value)}`, `Use ${choices.join(' or ')}.`);
}

const runCalls: CallTable<WorkflowRun> = {
  update: [{ todos: 'optional', addTodos: 'optional', state: 'optional' }, callOptions],
  updateTodo: [
    'any',
    { status: 'required', result: 'optional', completion: 'optional', closedBy: 'optional' },
    callOptions,
  ],
  addTodos: ['strings', callOptions],
  setState: ['any', callOptions],
  wait: [{ ...callOptions, todoId: 'optional', question: 'optional' }],
  finish: [{ ...callOptions, status: 'optional', reason: 'optional', notes: 'optional' }],
};

/** Acquires a workflow. @throws {MemoryError} `WORKFLOW_BUSY`, `INVALID_INPUT`, `INVALID_OPTION`, `UNKNOWN_WORKFLOW`. */
export async function createRun(
  { id, limits, notes, waiting, change }: RunDependencies,
  { owner = `runner_${randomName()}`, leaseMs = DEFAULT_LEASE_MS, reopen = false, signal }: AcquireOptions,
): Promise<WorkflowRun> {
  const lease = await Lease.acquire({ workflowId: id, owner, leaseMs, reopen, change }, { signal });
  const release = (): Promise<void> => lease.release();
  const update: WorkflowRun['update'] = async ({ todos = {}, addTodos = [], state } = {}, call) => {
    if (!Array.isArray(addTodos)) refuse('`addTodos` is not a list', 'Pass a list of texts, one for each step.');
    const changed = Object.entries(todos ?? {}).map(
      ([todoId, todo]) => [todoId, todoFields(todo, todoId, limits)] as const,
    );
    const added = (addTodos as readonly string[]).map((content) => checkContent(content, 'todo', limits));
    const kept = state === undefined ? {} : { state: jsonOf(state, 'state').value };
    return lease.update((record) => {
      const next = changed.reduce((one, [todoId, fields]) => withTodo(one, todoId, fields), record);
      return { ...next, todos: withTodos(next.todos, added), ...kept };
    }, call);
  };
  const run: WorkflowRun = {
    id,
    owner,
    signal: lease.signal,
    get record() {
      return lease.record;
    },
    update,
    updateTodo: (todoId, todo, call) => update({ todos: { [todoId]: todo } }, call),
    addTodos: (contents, call) => update({ addTodos: contents }, call),
    setState: async (state, call) => update({ state: jsonOf(state, 'state').value }, call),
    wait: async ({ todoId, question: text, signal: stop } = {}) => {
      if (text !== undefined) checkContent(text, 'question', limits);
      if (todoId !== undefined) withTodo(lease.record, todoId, {});
      // It goes first: a kill in between leaves a workflow that is not waiting, which `waiting` leaves out.
      await waiting.add(lease.record, { signal: stop });
      return lease.end(
        (own, nowMs) => {
          const asking = todoId === undefined ? own : withTodo(own, todoId, { status: 'waiting' });
          const question = {
            ...(todoId !== undefined && { todoId }),
            ...(text !== undefined && { text }),
            time: nowMs,
          };
          return { ...asking, status: 'waiting', question };
        },
        { signal: stop },
      );
    },
    finish: async ({ status = 'done', reason, notes: after = 'remove', signal: stop } = {}) => {
      checkChoice('status', status, ['done', 'failed']);
      checkChoice('notes', after, ['remove', 'expire']);
      const why = reason === undefined ? {} : { reason: checkContent(reason, 'reason', limits) };
      const record = await lease.end((own) => ({ ...own, status, ...why }), { signal: stop });
      if (after === 'remove') await notes.removeNotes(id);
      return record;
    },
    release,
    [Symbol.asyncDispose]: release,
  };
  return checkArguments.calls(run, runCalls);
}
