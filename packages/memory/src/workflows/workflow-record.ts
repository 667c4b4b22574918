import { MemoryError } from '../errors.ts';
import { workflowKey } from '../records/keys.ts';
import type { Limits } from '../records/limits.ts';
import type { Note } from './notes.ts';
import { isTime } from '../records/time.ts';
import { parseFields } from '../records/record.ts';

export type TodoStatus = 'pending' | 'running' | 'done' | 'failed';

/** One step of a workflow. */
export interface Todo {
  /** `todo_0`, `todo_1`, in the order of the todos. */
  readonly id: string;
  readonly content: string;
  readonly status: TodoStatus;
  /** Any JSON. */
  readonly result?: unknown;
}

export type WorkflowStatus = 'running' | 'done' | 'failed';

/** The right of one runner to change a workflow until it expires. */
export interface Lease {
  readonly owner: string;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly expiresAt: number;
}

/** The state of a workflow: another process can resume it from this. */
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
  readonly status: WorkflowStatus;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The number of changes. */
  readonly revision: number;
  readonly lease?: Lease;
}

/** Computes the next record from the current one. */
export type Change = (record: WorkflowRecord, nowMs: number) => WorkflowRecord;

export const TODO_STATUSES: readonly TodoStatus[] = ['pending', 'running', 'done', 'failed'];
const workflowStatuses: readonly unknown[] = ['running', 'done', 'failed'] satisfies WorkflowStatus[];

export function isTodoStatus(status: unknown): status is TodoStatus {
  return (TODO_STATUSES as readonly unknown[]).includes(status);
}

/** Makes the todo at a position. */
export function newTodo(index: number, content: string): Todo {
  return { id: `todo_${index}`, content, status: 'pending' };
}

function isTodo(value: unknown): value is Todo {
  if (typeof value !== 'object' || value === null) return false;
  const { id, content, status } = value as Readonly<Record<string, unknown>>;
  return typeof id === 'string' && typeof content === 'string' && isTodoStatus(status);
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

/** Parses a document; `undefined` when it is not a workflow. */
export function parseWorkflow(document: string): WorkflowRecord | undefined {
  const fields = parseFields(document);
  if (fields === undefined) return undefined;
  const {
    id,
    goal,
    todos,
    streamName,
    groupId,
    status = 'running',
    createdAt = 0,
    updatedAt = 0,
    revision = 0,
  } = fields;
  if (typeof id !== 'string' || typeof goal !== 'string' || typeof streamName !== 'string') return undefined;
  if (!Array.isArray(todos) || !todos.every(isTodo) || !workflowStatuses.includes(status)) return undefined;
  if (![createdAt, updatedAt].every(isTime) || !Number.isSafeInteger(revision)) return undefined;
  const lease = fields['lease'] as Partial<Lease> | null | undefined;
  return {
    id,
    goal,
    todos,
    notes: [],
    streamName,
    ...(typeof groupId === 'string' && { groupId }),
    status: status as WorkflowStatus,
    createdAt: createdAt as number,
    updatedAt: updatedAt as number,
    revision: revision as number,
    ...(typeof lease?.owner === 'string' &&
      isTime(lease.expiresAt) && { lease: { owner: lease.owner, expiresAt: lease.expiresAt } }),
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
