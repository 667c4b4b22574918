import { MemoryError } from '../errors.ts';
import { workflowKey } from '../records/keys.ts';
import type { Limits } from '../records/limits.ts';
import type { Note } from './notes.ts';
import { isTime } from '../records/time.ts';
import { parseFields } from '../records/record.ts';

/** The states of a step. A step waits while its workflow waits for the user. */
export type TodoStatus = 'pending' | 'running' | 'waiting' | 'done' | 'failed';

/** One step of a workflow. Fields that this version does not know survive its updates. */
export interface Todo {
  /** `todo_0`, `todo_1`, in the order of the todos. */
  readonly id: string;
  readonly content: string;
  /** A {@link TodoStatus}, or what a newer version wrote. */
  readonly status: string;
  /** How far the step came, from 0 to 1, by its last try. */
  readonly completion?: number;
  /** JSON of at most 2,000 characters, even for a string. */
  readonly result?: unknown;
  /** The step that made this one needless: it is done without having run. */
  readonly closedBy?: string;
}

/** From this completion on, a step is done as a whole. */
export const DONE_COMPLETION = 0.8;

/** Returns whether a step ended with a part of its work left to a later one. */
export function isPartlyDone({ status, completion }: Pick<Todo, 'status' | 'completion'>): boolean {
  return status === 'done' && completion !== undefined && completion < DONE_COMPLETION;
}

/** The states of a workflow. It waits for the user until someone acquires it. */
export type WorkflowStatus = 'running' | 'waiting' | 'done' | 'failed' | 'cancelled';

/** The last question to the user. */
interface Question {
  /** The step that asks. */
  readonly todoId?: string;
  readonly text?: string;
  /** Milliseconds since the epoch, by the clock of the store. The answer is a message of the group with a later time. */
  readonly time: number;
}

/** The right of one runner to change a workflow until it expires. */
interface Lease {
  readonly owner: string;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly expiresAt: number;
}

/**
 * The state of a workflow: another process can resume it from this. Fields that this version does not know survive its updates.
 */
export interface WorkflowRecord {
  /** `workflow_<milliseconds>_<random>`. */
  readonly id: string;
  readonly goal: string;
  readonly todos: readonly Todo[];
  /** The live notes, newest first. They are stored under a separate key with their own lifetimes. */
  readonly notes: readonly Note[];
  readonly streamName: string;
  /** The group that the workflow runs for. */
  readonly groupId?: string;
  /** A {@link WorkflowStatus}, or what a newer version wrote. */
  readonly status: string;
  /** Why it failed or was cancelled. */
  readonly reason?: string;
  readonly question?: Question;
  /** What the runner keeps for the next one, such as a count of its iterations. JSON. */
  readonly state?: unknown;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The number of changes. */
  readonly revision: number;
  readonly lease?: Lease;
}

export type Change = (record: WorkflowRecord, nowMs: number) => WorkflowRecord;

export const TODO_STATUSES: readonly TodoStatus[] = ['pending', 'running', 'waiting', 'done', 'failed'];

export function isTodoStatus(status: unknown): status is TodoStatus {
  return (TODO_STATUSES as readonly unknown[]).includes(status);
}

const WORKFLOW_STATUSES: readonly WorkflowStatus[] = ['running', 'waiting', 'done', 'failed', 'cancelled'];

export function isWorkflowStatus(status: unknown): status is WorkflowStatus {
  return (WORKFLOW_STATUSES as readonly unknown[]).includes(status);
}

/** Returns whether a runner can acquire a workflow of this status without reopening it. */
export function isOpen({ status }: WorkflowRecord): boolean {
  return status === 'running' || status === 'waiting';
}

/** Returns todos with more at the end. A new id is above all that the workflow has. */
export function withTodos(todos: readonly Todo[], contents: readonly string[]): Todo[] {
  const numbers = todos.map(({ id }) => Number(/^todo_(\d+)$/u.exec(id)?.[1] ?? -1));
  const next = 1 + numbers.reduce((highest, number) => Math.max(highest, number), -1);
  const added = contents.map((content, index): Todo => ({ id: `todo_${next + index}`, content, status: 'pending' }));
  return [...todos, ...added];
}

function isTodo(value: unknown): value is Todo {
  if (typeof value !== 'object' || value === null) return false;
  const { id, content, status } = value as Readonly<Record<string, unknown>>;
  return typeof id === 'string' && typeof content === 'string' && typeof status === 'string';
}

/** Returns the document for a record, without its notes. @throws {MemoryError} `TOO_LARGE`. */
export function workflowDocument(record: WorkflowRecord, { maxContentBytes }: Limits): string {
  const { id, goal, todos, streamName, ...rest } = record;
  const document = JSON.stringify({ id, goal, todos, ...rest, notes: [], streamName });
  const bytes = Buffer.byteLength(document);
  if (bytes > maxContentBytes) {
    throw new MemoryError('TOO_LARGE', [
      `The workflow ${id} has ${bytes} bytes, more than ${maxContentBytes}`,
      'Store shorter results, or raise maxContentBytes. Nothing was stored.',
    ]);
  }
  return document;
}

function questionOf(value: unknown): Question | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { todoId, text, time, ...rest } = value as Partial<Question>;
  if (!isTime(time)) return undefined;
  return { ...rest, ...(typeof todoId === 'string' && { todoId }), ...(typeof text === 'string' && { text }), time };
}

function leaseOf(value: unknown): Lease | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { owner, expiresAt } = value as Partial<Lease>;
  return typeof owner === 'string' && isTime(expiresAt) ? { owner, expiresAt } : undefined;
}

/** Parses a document; `undefined` when it is not a workflow. */
export function parseWorkflow(document: string): WorkflowRecord | undefined {
  const fields = parseFields(document);
  if (fields === undefined) return undefined;
  const { id, goal, todos, notes: _, streamName, groupId, status = 'running', reason, ...others } = fields;
  const { question, createdAt = 0, updatedAt = 0, revision = 0, lease, ...rest } = others;
  if (![id, goal, streamName, status].every((value) => typeof value === 'string')) return undefined;
  if (!Array.isArray(todos) || !todos.every(isTodo)) return undefined;
  if (![createdAt, updatedAt].every(isTime) || !Number.isSafeInteger(revision)) return undefined;
  const knownQuestion = questionOf(question);
  const knownLease = leaseOf(lease);
  return {
    ...rest,
    id: id as string,
    goal: goal as string,
    todos,
    notes: [],
    streamName: streamName as string,
    ...(typeof groupId === 'string' && { groupId }),
    status: status as string,
    ...(typeof reason === 'string' && { reason }),
    ...(knownQuestion && { question: knownQuestion }),
    createdAt: createdAt as number,
    updatedAt: updatedAt as number,
    revision: revision as number,
    ...(knownLease && { lease: knownLease }),
  };
}

/** @throws {MemoryError} `CORRUPT_RECORD`. */
export function readWorkflow(id: string, document: string): WorkflowRecord {
  const record = parseWorkflow(document);
  if (record) return record;
  throw new MemoryError(
    'CORRUPT_RECORD',
    [`The record of the workflow ${id} is not readable`, 'It was not changed; remove the workflow to delete it.'],
    { key: workflowKey(id) },
  );
}
