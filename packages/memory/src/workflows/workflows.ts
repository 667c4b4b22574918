import { setTimeout as delay } from 'node:timers/promises';
import type { CallOptions } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { checkName, parseWorkflowKey, quoted, WORKFLOW_PREFIX, workflowKey } from '../records/keys.ts';
import { checkContent } from '../records/limits.ts';
import { randomName } from '../conversations/message.ts';
import type { Notes, NotesDependencies } from './notes.ts';
import { parseWorkflow, readWorkflow, workflowDocument } from './workflow-record.ts';
import type { WorkflowRecord, WorkflowStatus } from './workflow-record.ts';
import { createRun } from './workflow-run.ts';
import type { AcquireOptions, WorkflowRun } from './workflow-run.ts';

/** A workflow that is begun. */
export interface NewWorkflow {
  readonly goal: string;
  /** The steps, in order. */
  readonly todos: readonly string[];
  /** The stream that it runs in. */
  readonly streamName: string;
  /** The group that it works for. */
  readonly groupId?: string | undefined;
}

/** A workflow in a list. */
export interface WorkflowSummary {
  readonly id: string;
  readonly goal: string;
  readonly streamName: string;
  readonly status: WorkflowStatus | 'corrupt';
  readonly done: number;
  readonly todos: number;
  readonly updatedAt: number;
}

/** The workflows of a memory. Their records end 3 days after the last update. */
export interface Workflows {
  /** @throws {MemoryError} `INVALID_NAME`, `INVALID_INPUT`, `TOO_LARGE`. */
  readonly create: (workflow: NewWorkflow, options?: CallOptions) => Promise<WorkflowRecord>;
  /** @throws {MemoryError} `UNKNOWN_WORKFLOW`, `CORRUPT_RECORD`. */
  readonly get: (id: string, options?: CallOptions) => Promise<WorkflowRecord>;
  /** All of them, the last updated first. */
  readonly list: (options?: CallOptions) => Promise<WorkflowSummary[]>;
  /**
   * Takes a workflow to run it, new or left by somebody who is gone.
   *
   * @throws {MemoryError} `WORKFLOW_BUSY` while somebody else runs it, `INVALID_INPUT` when it is finished.
   */
  readonly acquire: (id: string, options?: AcquireOptions) => Promise<WorkflowRun>;
  /** Removes the record and the notes. @returns whether there was one. */
  readonly remove: (id: string, options?: CallOptions) => Promise<boolean>;
  /** Puts back a record that was exported. @returns whether it was not there yet. */
  readonly restore: (record: WorkflowRecord, options?: CallOptions) => Promise<boolean>;
}

/** What is changed of a record, by somebody who looks at it as it is. */
export type Change = (record: WorkflowRecord, nowMs: number) => WorkflowRecord;

/** So often a change is tried when others change the same record at the same time. */
const MAX_ATTEMPTS = 100;

export interface WorkflowDependencies extends NotesDependencies {
  readonly notes: Notes;
}

function unknownWorkflow(id: string): MemoryError {
  const hint = 'It may have ended: records are kept for 3 days after the last update. List those that there are.';
  return new MemoryError('UNKNOWN_WORKFLOW', [`There is no workflow ${quoted(id)}`, hint], { key: workflowKey(id) });
}

export function createWorkflows({ backend, limits, notes }: WorkflowDependencies): Workflows {
  const ttlMs = limits.workflowLifetimeMs;

  const load = async (id: string, options: CallOptions): Promise<{ document: string; record: WorkflowRecord }> => {
    const document = await backend.read(workflowKey(id), options);
    if (document === undefined) throw unknownWorkflow(id);
    return { document, record: readWorkflow(id, document) };
  };
  const change = async (id: string, apply: Change, options: CallOptions): Promise<WorkflowRecord> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { document, record } = await load(id, options);
      const nowMs = await backend.now(options);
      const next = { ...apply(record, nowMs), updatedAt: nowMs, revision: record.revision + 1 };
      const swap = { expected: document, next: workflowDocument(next, limits), ttlMs };
      if (await backend.swap(workflowKey(id), swap, options)) return next;
      await delay(Math.random() * attempt, undefined, options);
    }
    const summary = `The workflow ${id} was changed by others ${MAX_ATTEMPTS} times in a row`;
    throw new MemoryError('WORKFLOW_BUSY', [summary, 'Try again in a moment.'], { key: workflowKey(id) });
  };

  return {
    create: async ({ goal, todos, streamName, groupId }, options = {}) => {
      const nowMs = await backend.now(options);
      const id = `workflow_${nowMs}_${randomName()}`;
      const record: WorkflowRecord = {
        id,
        goal: checkContent(goal, 'goal', limits),
        todos: todos.map((content, index) => ({
          id: `todo_${index}`,
          content: checkContent(content, 'todo', limits),
          status: 'pending',
        })),
        notes: [],
        streamName: checkName(streamName, 'stream'),
        ...(groupId !== undefined && { groupId: checkName(groupId, 'group') }),
        status: 'running',
        createdAt: nowMs,
        updatedAt: nowMs,
        revision: 0,
      };
      const next = workflowDocument(record, limits);
      if (await backend.swap(workflowKey(id), { expected: undefined, next, ttlMs }, options)) return record;
      throw new MemoryError('WORKFLOW_EXISTS', [`The workflow ${id} exists already`, 'Try again.']);
    },
    get: async (id, options = {}) => {
      const { record } = await load(id, options);
      return { ...record, notes: await notes.getNotes(id, options) };
    },
    list: async (options = {}) => {
      const infos = await backend.keys(WORKFLOW_PREFIX, options);
      const summaries: WorkflowSummary[] = [];
      for (const { key } of infos) {
        const document = await backend.read(key, options).catch((error: unknown) => {
          // What another program put under the key hides no other workflow.
          if (MemoryError.isInstance(error) && error.code === 'CORRUPT_RECORD') return '';
          throw error;
        });
        // It may have ended meanwhile.
        if (document === undefined) continue;
        const record = parseWorkflow(document);
        const id = parseWorkflowKey(key) ?? key;
        const { goal = '', streamName = '', todos = [], updatedAt = 0 } = record ?? {};
        const done = todos.filter(({ status }) => status === 'done').length;
        summaries.push({
          id,
          goal,
          streamName,
          status: record?.status ?? 'corrupt',
          done,
          todos: todos.length,
          updatedAt,
        });
      }
      return summaries.toSorted((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1));
    },
    acquire: (id, options = {}) =>
      createRun({ id, limits, notes, change: (apply, call) => change(id, apply, call) }, options),
    remove: async (id, options = {}) => {
      const key = workflowKey(id);
      const document = await backend.read(key, options);
      await notes.removeNotes(id, options);
      if (document === undefined) return false;
      return backend.swap(key, { expected: document, next: undefined, ttlMs }, options);
    },
    restore: async (record, options = {}) => {
      const { lease: _, ...rest } = record;
      const next = workflowDocument(rest, limits);
      return backend.swap(workflowKey(record.id), { expected: undefined, next, ttlMs }, options);
    },
  };
}
