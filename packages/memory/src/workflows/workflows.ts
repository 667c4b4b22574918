import type { CallTable, OptionNames } from '@cairn/tool/errors';
import { quoted } from '@cairn/tool/kernel';
import { setTimeout as delay } from 'node:timers/promises';
import { refuse } from '../records/checks.ts';
import { callOptions, type CallOptions } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { checkName, waitingKey, waitingPrefix, WORKFLOW_PREFIX, workflowKey, nameIn } from '../records/keys.ts';
import { readDocument, swapDocument } from '../records/documents.ts';
import { checkContent } from '../records/limits.ts';
import { randomName } from '../records/random-name.ts';
import type { Store } from '../records/reader.ts';
import { busyError, finishedError } from './lease.ts';
import type { Notes } from './notes.ts';
import { WaitingList } from './waiting.ts';
import { isOpen, isPartlyDone, parseWorkflow, readWorkflow, withTodos, workflowDocument } from './workflow-record.ts';
import type { Change, Todo, WorkflowRecord } from './workflow-record.ts';
import { checkChoice, createRun, jsonOf } from './workflow-run.ts';
import type { AcquireOptions, FinishOptions, WorkflowRun } from './workflow-run.ts';

interface NewWorkflow {
  readonly goal: string;
  /** The contents of the todos, in order. */
  readonly todos: readonly string[];
  /** The stream that the workflow runs in. */
  readonly streamName: string;
  /** The group that the workflow runs for. */
  readonly groupId?: string | undefined;
  /** What its first runner finds in the record, see {@link WorkflowRecord.state}. JSON. */
  readonly state?: unknown;
}

/** A workflow in a list. */
export interface WorkflowSummary extends Pick<WorkflowRecord, 'id' | 'goal' | 'streamName' | 'updatedAt'> {
  /** A {@link WorkflowStatus}, what a newer version wrote, or `corrupt`. */
  readonly status: string;
  /** The number of done todos, those that are partly done included. */
  readonly done: number;
  /** The number of todos that ended with a part of their work left to a later one. */
  readonly partlyDone: number;
  /** The number of all todos. */
  readonly todos: number;
}

/** Selects workflows that wait. */
interface WaitingOptions extends CallOptions {
  readonly stream: string;
  /** @default all groups of the stream */
  readonly group?: string | undefined;
}

type CancelOptions = Omit<FinishOptions, 'status'>;

/** A todo in an edited list. */
export interface EditedTodo {
  /** The id of an open todo of the workflow. @default a new todo */
  readonly id?: string | undefined;
  readonly content: string;
}

/** The workflows of a memory. A record expires 3 days after its last update. */
export interface Workflows {
  /** @throws {MemoryError} `INVALID_NAME`, `INVALID_INPUT`, `TOO_LARGE`. */
  readonly create: (workflow: NewWorkflow, options?: CallOptions) => Promise<WorkflowRecord>;
  /** @throws {MemoryError} `UNKNOWN_WORKFLOW`, `CORRUPT_RECORD`. */
  readonly get: (id: string, options?: CallOptions) => Promise<WorkflowRecord>;
  /** Returns all workflows, the last updated first. */
  readonly list: (options?: CallOptions) => Promise<WorkflowSummary[]>;
  /** Returns the workflows that wait for a message of a group, or of any group of a stream; the latest first, without notes. */
  readonly waiting: (options: WaitingOptions) => Promise<WorkflowRecord[]>;
  /**
   * Acquires a workflow that no other runner holds: a new one, one that waits, or one with a lapsed lease. One that waits runs
   * again, and its steps that wait are pending.
   *
   * @throws {MemoryError} `WORKFLOW_BUSY` while another runner holds it, `INVALID_INPUT` when it is finished.
   */
  readonly acquire: (id: string, options?: AcquireOptions) => Promise<WorkflowRun>;
  /**
   * Replaces the open todos of a workflow that no runner holds, such as one that waits for the user. Finished todos stay, before
   * the open ones. A todo with an id keeps its state; one that the list lacks is removed.
   *
   * @throws {MemoryError} `UNKNOWN_TODO` for an id that is not of an open todo, `WORKFLOW_BUSY`, `INVALID_INPUT` when the
   *   workflow is finished or an id is in the list twice.
   */
  readonly editTodos: (id: string, todos: readonly EditedTodo[], options?: CallOptions) => Promise<WorkflowRecord>;
  /**
   * Ends a workflow that runs or waits. Its runner loses the lease. The record stays for 3 days. May be called twice.
   *
   * @throws {MemoryError} `UNKNOWN_WORKFLOW`, `INVALID_INPUT` when it is finished.
   */
  readonly cancel: (id: string, options?: CancelOptions) => Promise<WorkflowRecord>;
  /** Removes the record and the notes. @returns whether there was a record. */
  readonly remove: (id: string, options?: CallOptions) => Promise<boolean>;
  /** Restores an exported record. @returns whether it was missing. */
  readonly restore: (record: WorkflowRecord, options?: CallOptions) => Promise<boolean>;
}

/** The attempts of a change while other processes change the same record. */
const MAX_ATTEMPTS = 100;

function unknownWorkflow(id: string): MemoryError {
  const hint =
    'It may have expired: a record is kept for 3 days after its last update. List the workflows to see their ids.';
  return new MemoryError('UNKNOWN_WORKFLOW', [`Unknown workflow ${quoted(id)}`, hint], { key: workflowKey(id) });
}

function editedTodos({ id, todos }: WorkflowRecord, edits: readonly EditedTodo[]): Todo[] {
  const finished = todos.filter(({ status }) => status === 'done' || status === 'failed');
  const open = todos.filter((todo) => !finished.includes(todo));
  const ids = edits.flatMap((edit) => edit.id ?? []);
  const twice = ids.find((one, index) => ids.indexOf(one) < index);
  if (twice !== undefined) refuse(`The todo ${twice} is in the list twice`, 'Name each todo once.');
  let known = todos;
  const edited = edits.map(({ id: todoId, content }): Todo => {
    const before = open.find((todo) => todo.id === todoId);
    if (before) return { ...before, content };
    if (todoId !== undefined) {
      const names = open.map((todo) => todo.id).join(', ') || 'none';
      const summary = `The workflow ${id} has no open todo ${quoted(todoId)}`;
      throw new MemoryError('UNKNOWN_TODO', [summary, `Open todos: ${names}. Omit the id of a new one.`]);
    }
    known = withTodos(known, [content]);
    // `withTodos` added it.
    return known.at(-1) as Todo;
  });
  return [...finished, ...edited];
}

const ending: OptionNames<CancelOptions> = { ...callOptions, reason: 'optional', notes: 'optional' };

export const workflowCalls: CallTable<Workflows> = {
  create: ['object', callOptions],
  get: ['any', callOptions],
  list: [callOptions],
  waiting: [{ ...callOptions, stream: 'required', group: 'optional' }],
  acquire: ['any', { ...callOptions, owner: 'optional', leaseMs: 'optional', reopen: 'optional' }],
  editTodos: ['any', 'objects', callOptions],
  cancel: ['any', ending],
  remove: ['any', callOptions],
  restore: ['object', callOptions],
};

export function createWorkflows({ backend, reader, limits, notes }: Store & { readonly notes: Notes }): Workflows {
  const ttlMs = limits.workflowLifetimeMs;
  const waitingList = new WaitingList(backend, limits);

  /** Reports a value of another program under a key, which must not hide other keys. */
  const readable = async <T>(key: string, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (!MemoryError.isInstance(error) || error.code !== 'CORRUPT_RECORD') throw error;
      reader.report({ key, record: '', reason: error.summary });
      return undefined;
    }
  };
  const load = async (id: string, options: CallOptions): Promise<{ document: string; record: WorkflowRecord }> => {
    const document = await readDocument(backend, workflowKey(id), options);
    if (document === undefined) throw unknownWorkflow(id);
    return { document, record: readWorkflow(id, document) };
  };
  const change = async (id: string, options: CallOptions, apply: Change): Promise<WorkflowRecord> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { document, record } = await load(id, options);
      const nowMs = await backend.now(options);
      const next = { ...apply(record, nowMs), updatedAt: nowMs, revision: record.revision + 1 };
      const swap = { expected: document, next: workflowDocument(next, limits), ttlMs };
      if (await swapDocument(backend, workflowKey(id), swap, options)) return next;
      await delay(Math.random() * attempt, undefined, options);
    }
    const summary = `Other processes changed the workflow ${id} during ${MAX_ATTEMPTS} attempts`;
    throw new MemoryError('WORKFLOW_BUSY', [summary, 'Nothing was changed; repeat the call.'], {
      key: workflowKey(id),
    });
  };

  return {
    create: async ({ goal, todos, streamName, groupId, state }, options = {}) => {
      if (!Array.isArray(todos)) refuse('The todos are not a list', 'Pass a list of texts, one for each step.');
      const contents = todos.map((content) => checkContent(content, 'todo', limits));
      const nowMs = await backend.now(options);
      const id = `workflow_${nowMs}_${randomName()}`;
      const record: WorkflowRecord = {
        id,
        goal: checkContent(goal, 'goal', limits),
        todos: withTodos([], contents),
        notes: [],
        streamName: checkName(streamName, 'stream'),
        ...(groupId !== undefined && { groupId: checkName(groupId, 'group') }),
        status: 'running',
        ...(state !== undefined && { state: jsonOf(state, 'state').value }),
        createdAt: nowMs,
        updatedAt: nowMs,
        revision: 0,
      };
      const next = workflowDocument(record, limits);
      if (await swapDocument(backend, workflowKey(id), { expected: undefined, next, ttlMs }, options)) return record;
      throw new MemoryError('WORKFLOW_EXISTS', [`The workflow ${id} already exists`, 'Repeat the call.']);
    },
    get: async (id, options = {}) => {
      const { record } = await load(id, options);
      return { ...record, notes: await notes.getNotes(id, options) };
    },
    list: async (options = {}) => {
      const infos = await backend.keys(WORKFLOW_PREFIX, options);
      const summaries: WorkflowSummary[] = [];
      for (const { key } of infos) {
        const document = await readDocument(backend, key, options).catch((error: unknown) => {
          // A value of another program under one key must not hide the other workflows.
          if (MemoryError.isInstance(error) && error.code === 'CORRUPT_RECORD') return '';
          throw error;
        });
        // The workflow expired after it was listed.
        if (document === undefined) continue;
        const record = parseWorkflow(document);
        const id = nameIn(key);
        const { goal = '', streamName = '', todos = [], status = 'corrupt', updatedAt = 0 } = record ?? {};
        const done = todos.filter((todo) => todo.status === 'done').length;
        const partlyDone = todos.filter(isPartlyDone).length;
        summaries.push({ id, goal, streamName, status, done, partlyDone, todos: todos.length, updatedAt });
      }
      return summaries.toSorted((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1));
    },
    waiting: async ({ stream, group, signal }) => {
      const keys =
        group === undefined
          ? (await backend.keys(waitingPrefix(stream), { signal })).map(({ key }) => key)
          : [waitingKey(stream, group)];
      const ids = new Set<string>();
      for (const key of keys) {
        for (const id of (await readable(key, () => waitingList.ids(key, { signal }))) ?? []) ids.add(id);
      }
      const records: WorkflowRecord[] = [];
      for (const id of ids) {
        const key = workflowKey(id);
        const document = await readable(key, () => readDocument(backend, key, { signal }));
        const record = document === undefined ? undefined : parseWorkflow(document);
        if (record?.status === 'waiting') records.push(record);
      }
      return records.toSorted((a, b) => (b.question?.time ?? 0) - (a.question?.time ?? 0));
    },
    acquire: async (id, options = {}) => {
      const { signal } = options;
      const { record } = await load(id, { signal });
      const entries = record.status === 'waiting' ? await waitingList.entries(record, { signal }) : [];
      const changeThis = (apply: Change, call: CallOptions): Promise<WorkflowRecord> => change(id, call, apply);
      const run = await createRun({ id, limits, notes, waiting: waitingList, change: changeThis }, options);
      await waitingList.remove(record, entries, {}).catch((error: unknown) => {
        // The entries expire, and the record decides.
        if (!MemoryError.isInstance(error)) throw error;
      });
      return run;
    },
    editTodos: async (id, todos, options = {}) => {
      const edits = todos.map((todo) => ({ ...todo, content: checkContent(todo.content, 'todo', limits) }));
      return change(id, options, (record, nowMs) => {
        if (!isOpen(record)) throw finishedError(record);
        if (record.lease && record.lease.expiresAt > nowMs) throw busyError(record, nowMs);
        return { ...record, todos: editedTodos(record, edits) };
      });
    },
    cancel: async (id, { reason, notes: after = 'remove', signal } = {}) => {
      checkChoice('notes', after, ['remove', 'expire']);
      const why = reason === undefined ? {} : { reason: checkContent(reason, 'reason', limits) };
      const { record: before } = await load(id, { signal });
      const entries = before.status === 'waiting' ? await waitingList.entries(before, { signal }) : [];
      const cancelled: Change = ({ lease: _, ...record }) => {
        if (!isOpen(record) && record.status !== 'cancelled') throw finishedError(record);
        return { ...record, ...why, status: 'cancelled' };
      };
      const record = before.status === 'cancelled' ? before : await change(id, { signal }, cancelled);
      await waitingList.remove(record, entries, { signal });
      if (after === 'remove') await notes.removeNotes(id, { signal });
      return record;
    },
    remove: async (id, options = {}) => {
      const key = workflowKey(id);
      const document = await readDocument(backend, key, options);
      await notes.removeNotes(id, options);
      if (document === undefined) return false;
      const record = parseWorkflow(document);
      if (record) await waitingList.remove(record, await waitingList.entries(record, options), options);
      return swapDocument(backend, key, { expected: document, next: undefined, ttlMs }, options);
    },
    restore: async (record, options = {}) => {
      const { lease: _, ...rest } = record;
      if (record.status === 'waiting') await waitingList.add(record, options);
      const next = workflowDocument(rest, limits);
      return swapDocument(backend, workflowKey(record.id), { expected: undefined, next, ttlMs }, options);
    },
  };
}
