import type { CallOptions, MemoryBackend, RowChange } from '../records/backend.ts';
import { waitingKey } from '../records/keys.ts';
import type { Limits } from '../records/limits.ts';
import { removeRows } from '../records/lists.ts';
import { newestRows } from '../records/pages.ts';
import { randomName } from '../records/random-name.ts';
import type { WorkflowRecord } from './workflow-record.ts';

/** The entries must not end before the record does, which is written a moment later. */
const SPARE_MS = 3_600_000;

/**
 * The ids of the workflows that may wait for a message of a group, in a table next to their records. Only the record decides whether
 * a workflow waits: the table saves reading all records at each message.
 */
export class WaitingList {
  readonly #backend: MemoryBackend;
  readonly #lifetimeMs: number;

  constructor(backend: MemoryBackend, { workflowLifetimeMs }: Limits) {
    this.#backend = backend;
    this.#lifetimeMs = workflowLifetimeMs + SPARE_MS;
  }

  /** Adds a workflow with a group. Does nothing for one without. */
  async add(record: WorkflowRecord, { signal }: CallOptions): Promise<void> {
    const key = keyOf(record);
    if (key === undefined) return;
    const row: RowChange = { id: randomName(), next: record.id, lifetimeMs: this.#lifetimeMs };
    await this.#backend.change(key, { rows: [row] }, { signal });
  }

  /** Returns the ids under a key of {@link waitingKey}, the latest first, each once. */
  async ids(key: string, { signal }: CallOptions): Promise<string[]> {
    const ids = new Set<string>();
    for await (const { text } of newestRows(this.#backend, key, { signal })) ids.add(text);
    return [...ids];
  }

  /** Returns the entries of a workflow, to remove them later: a new entry of the workflow then stays. */
  async entries(record: WorkflowRecord, { signal }: CallOptions): Promise<string[]> {
    const key = keyOf(record);
    if (key === undefined) return [];
    const entries: string[] = [];
    for await (const { id, text } of newestRows(this.#backend, key, { signal })) {
      if (text === record.id) entries.push(id);
    }
    return entries;
  }

  async remove(record: WorkflowRecord, entries: readonly string[], options: CallOptions): Promise<void> {
    const key = keyOf(record);
    if (key !== undefined) await removeRows(this.#backend, key, entries, options);
  }
}

function keyOf({ streamName, groupId }: WorkflowRecord): string | undefined {
  return groupId === undefined ? undefined : waitingKey(streamName, groupId);
}
