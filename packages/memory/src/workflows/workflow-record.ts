import { MemoryError } from '../errors.ts';
import { workflowKey } from '../records/keys.ts';
import type { Limits } from '../records/limits.ts';
import type { Note } from './notes.ts';
import { isTime } from '../records/time.ts';
import { parseFields } from '../records/record.ts';

export type TodoStatus = 'pending' | 'running' | 'done' | 'failed';

/** A step of a workflow. */
export interface Todo {
  /** `todo_0`, `todo_1`, in the order of the steps. */
  readonly id: string;
  readonly content: string;
  readonly status: TodoStatus;
  /** What came of it: any JSON. */
  readonly result?: unknown;
}

export type WorkflowStatus = 'running' | 'done' | 'failed';

/** Who runs a workflow, and until when unless it says so again. */
export interface Lease {
  readonly owner: string;
  /** By the clock of the store, milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** All that is needed to go on with a workflow in another process. */
export interface WorkflowRecord {
  /** `workflow_<milliseconds>_<random>`. */
  readonly id: string;
  readonly goal: string;
  readonly todos: readonly Todo[];
  /** The notes that live now, newest first. They have a key and lifetimes of their own. */
  readonly notes: readonly Note[];
  readonly streamName: string;
  /** The group that it works for. */
  readonly groupId?: string;
  readonly status: WorkflowStatus;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Counts the changes. */
  readonly revision: number;
  readonly lease?: Lease;
}

const todoStatuses: readonly unknown[] = ['pending', 'running', 'done', 'failed'] satisfies TodoStatus[];
const workflowStatuses: readonly unknown[] = ['running', 'done', 'failed'] satisfies WorkflowStatus[];

export function isTodoStatus(status: unknown): status is TodoStatus {
  return todoStatuses.includes(status);
}

function isTodo(value: unknown): value is Todo {
  if (typeof value !== 'object' || value === null) return false;
  const { id, content, status } = value as Readonly<Record<string, unknown>>;
  return typeof id === 'string' && typeof content === 'string' && isTodoStatus(status);
}

/** The document that a record is kept as. Its notes lie elsewhere. @throws {MemoryError} `TOO_LARGE`. */
export function workflowDocument(record: WorkflowRecord, { maxContentBytes }: Limits): string {
  const { id, goal, todos, streamName, ...rest } = record;
  const document = JSON.stringify({ id, goal, todos, ...rest, notes: [], streamName });
  const bytes = Buffer.byteLength(document);
  if (bytes > maxContentBytes) {
    throw new MemoryError('TOO_LARGE', [
      `The workflow ${id} has ${bytes} bytes, more than ${maxContentBytes}`,
      'Keep shorter results, or raise maxContentBytes. Nothing was stored.',
    ]);
  }
  return document;
}

/** What a document says; `undefined` when it is no workflow. */
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
    [`The record of the workflow ${id} cannot be read`, 'It was left as it is; remove the workflow to be rid of it.'],
    { key: workflowKey(id) },
  );
}
