import type { CallOptions, ListRule, MemoryBackend } from '../records/backend.ts';
import { waitingKey } from '../records/keys.ts';
import type { Limits } from '../records/limits.ts';
import { randomName } from '../records/random-name.ts';
import { parseFields } from '../records/record.ts';
import type { WorkflowRecord } from './workflow-record.ts';

/** The entries must not end before the record does, which is written a moment later. */
const SPARE_MS = 3_600_000;

/**
 * The ids of the workflows that may wait for a message of a group, in a list beside their records. Only the record decides whether
 * a workflow waits: the list saves reading all records at each message.
 */
export interface WaitingList {
  /** Adds a workflow with a group. Does nothing for one without. */
  readonly add: (record: WorkflowRecord, options: CallOptions) => Promise<void>;
  /** Returns the ids under a key of {@link waitingKey}, the latest first, each once. */
  readonly ids: (key: string, options: CallOptions) => Promise<string[]>;
  /** Returns the entries of a workflow, to remove them later: a new entry of the workflow then stays. */
  readonly entries: (record: WorkflowRecord, options: CallOptions) => Promise<string[]>;
  readonly remove: (record: WorkflowRecord, entries: readonly string[], options: CallOptions) => Promise<void>;
}

function idOf(entry: string): string | undefined {
  const { workflow } = parseFields(entry) ?? {};
  return typeof workflow === 'string' ? workflow : undefined;
}

export function createWaitingList(backend: MemoryBackend, { workflowLifetimeMs }: Limits): WaitingList {
  const lifetimeMs = workflowLifetimeMs + SPARE_MS;
  const rule: ListRule = {
    maxRecords: Infinity,
    maxTemporaryRecords: Infinity,
    lifetimeMs,
    temporaryLifetimeMs: lifetimeMs,
  };
  const keyOf = ({ streamName, groupId }: WorkflowRecord): string | undefined =>
    groupId === undefined ? undefined : waitingKey(streamName, groupId);
  return {
    add: async (record, { signal }) => {
      const key = keyOf(record);
      if (key === undefined) return;
      const fields = JSON.stringify({ workflow: record.id, token: randomName() });
      await backend.append(key, [{ before: `${fields.slice(0, -1)},"time":`, after: '}' }], { rule, signal });
    },
    ids: async (key, { signal }) => {
      const entries = await backend.list(key, { rule, signal });
      return [...new Set(entries.flatMap((entry) => idOf(entry) ?? []))];
    },
    entries: async (record, { signal }) => {
      const key = keyOf(record);
      if (key === undefined) return [];
      return (await backend.list(key, { rule, signal })).filter((entry) => idOf(entry) === record.id);
    },
    remove: async (record, entries, options) => {
      const key = keyOf(record);
      if (key !== undefined && entries.length > 0) await backend.remove(key, entries, options);
    },
  };
}
