import { MemoryError } from '../errors.ts';
import type { CallOptions } from '../records/backend.ts';
import { randomName } from '../records/random-name.ts';
import { isOpen, isWorkflowStatus, type Change, type WorkflowRecord } from './workflow-record.ts';

/** The heartbeats in the time of a lease. Each renews it. */
const RENEWALS_PER_LEASE = 3;
/** `setInterval` takes 31 bits. */
const MAX_LEASE_MS = 2 ** 31;

export interface LeaseOptions {
  readonly workflowId: string;
  readonly owner: string;
  readonly leaseMs: number;
  /** Whether a failed or cancelled workflow runs again. */
  readonly reopen: boolean;
  /** Changes the record of the workflow by compare and swap. */
  readonly change: (apply: Change, options: CallOptions) => Promise<WorkflowRecord>;
}

export function busyError({ id, lease }: WorkflowRecord, nowMs: number): MemoryError {
  const secondsLeft = Math.ceil(((lease?.expiresAt ?? nowMs) - nowMs) / 1000);
  return new MemoryError('WORKFLOW_BUSY', [
    `The workflow ${id} is being run by ${lease?.owner ?? 'another runner'}`,
    `Wait until it is finished; if that runner is gone, its lease expires in ${secondsLeft} s.`,
  ]);
}

/** The error about a workflow that neither runs nor waits. */
export function finishedError({ id, status }: WorkflowRecord): MemoryError {
  if (!isWorkflowStatus(status)) {
    const summary = `The workflow ${id} has the status ${JSON.stringify(status)}, which this version does not know`;
    return new MemoryError('INVALID_INPUT', [summary, 'Use a newer version.']);
  }
  const hint =
    status === 'done' ? 'Create a new one.' : 'Create a new one, or acquire it with `reopen` to run it again.';
  return new MemoryError('INVALID_INPUT', [`The workflow ${id} is finished (${status})`, hint]);
}

/** Returns a workflow that waits, failed or was cancelled as one that runs: its steps that wait are pending again. */
function resumed({ reason: _, ...record }: WorkflowRecord): WorkflowRecord {
  const todos = record.todos.map((todo) => (todo.status === 'waiting' ? { ...todo, status: 'pending' } : todo));
  return { ...record, status: 'running', todos };
}

function lostError(id: string, reason: string): MemoryError {
  const hint = 'Stop, and do not change the workflow again; read its record to see its progress.';
  return new MemoryError('LEASE_LOST', [`The lease of the workflow ${id} was lost: ${reason}`, hint]);
}

/**
 * The right of one runner to change a workflow. It is a field of the record, so that each change checks and renews it in one
 * step. A heartbeat renews it in between.
 */
export class Lease {
  readonly #options: LeaseOptions;
  /** Two runners may have the same name. */
  readonly #token: string;
  readonly #lost = new AbortController();
  #state: 'held' | 'lost' | 'released' = 'held';
  #record: WorkflowRecord;
  #renewedAt: number;
  #timer: NodeJS.Timeout | undefined;
  #heartbeat: Promise<void> = Promise.resolve();

  private constructor(options: LeaseOptions, { token, record }: { token: string; record: WorkflowRecord }) {
    this.#options = options;
    this.#token = token;
    this.#record = record;
    this.#renewedAt = performance.now();
  }

  /** @throws {MemoryError} `INVALID_OPTION`, `WORKFLOW_BUSY`, `INVALID_INPUT`, `UNKNOWN_WORKFLOW`. */
  static async acquire(options: LeaseOptions, { signal }: CallOptions): Promise<Lease> {
    const { owner, leaseMs, reopen, change } = options;
    if (!(leaseMs > 0 && leaseMs < MAX_LEASE_MS)) {
      const summary = `leaseMs must be above 0 and below ${MAX_LEASE_MS}, not ${leaseMs}`;
      throw new MemoryError('INVALID_OPTION', [summary, 'Omit it for 30,000.'], { option: 'leaseMs' });
    }
    const token = `${owner}#${randomName()}`;
    const startedAt = performance.now();
    const acquired = await change(
      (record, nowMs) => {
        const canReopen = reopen && (record.status === 'failed' || record.status === 'cancelled');
        if (!isOpen(record) && !canReopen) throw finishedError(record);
        if (record.lease && record.lease.expiresAt > nowMs) throw busyError(record, nowMs);
        return leased(resumed(record), { token, expiresAt: nowMs + leaseMs });
      },
      { signal },
    );
    const lease = new Lease(options, { token, record: acquired });
    lease.#renewedAt = startedAt;
    lease.#startHeartbeat();
    return lease;
  }

  /** Aborted with a `LEASE_LOST` error when the lease is lost. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** The record after the last change through this lease. */
  get record(): WorkflowRecord {
    return this.#record;
  }

  /** Changes the record and renews the lease in one step. @throws {MemoryError} `LEASE_LOST`. */
  async update(apply: Change, call: CallOptions = {}): Promise<WorkflowRecord> {
    const { workflowId, leaseMs, change } = this.#options;
    if (this.#state === 'released') throw lostError(workflowId, 'it was finished or released');
    if (this.#state === 'lost') throw this.#lost.signal.reason as MemoryError;
    const startedAt = performance.now();
    this.#record = await change((record, nowMs) => {
      if (record.lease?.owner !== this.#token) {
        const { status } = record;
        const reason = isOpen(record) ? `${record.lease?.owner ?? 'another runner'} acquired it` : `it is ${status}`;
        throw this.#lose(lostError(workflowId, reason));
      }
      return apply(leased(record, { token: this.#token, expiresAt: nowMs + leaseMs }), nowMs);
    }, call);
    this.#renewedAt = startedAt;
    return this.#record;
  }

  /** Makes a last change and gives up the lease. */
  async end(apply: Change, call: CallOptions): Promise<WorkflowRecord> {
    clearInterval(this.#timer);
    await this.#heartbeat;
    try {
      const record = await this.update((own, nowMs) => {
        const { lease: _, ...rest } = apply(own, nowMs);
        return rest;
      }, call);
      this.#state = 'released';
      return record;
    } catch (error) {
      if (this.#state === 'held') this.#startHeartbeat();
      throw error;
    }
  }

  /** Gives up the lease without another change. Does nothing when it is not held. */
  async release(): Promise<void> {
    if (this.#state !== 'held') return;
    try {
      await this.end((record) => record, {});
    } catch (error) {
      // Another runner has the lease, or the workflow is gone: there is nothing to give up.
      if (!MemoryError.isInstance(error) || !['LEASE_LOST', 'UNKNOWN_WORKFLOW'].includes(error.code)) throw error;
    }
  }

  #startHeartbeat(): void {
    this.#timer = setInterval(() => {
      this.#heartbeat = this.#heartbeat.then(() => (this.#state === 'held' ? this.#renew() : undefined));
    }, this.#options.leaseMs / RENEWALS_PER_LEASE);
    // The heartbeat alone does not keep a process alive.
    this.#timer.unref();
  }

  /** Renews the lease. A failure is not thrown, because no caller waits: the signal reports it. */
  async #renew(): Promise<void> {
    const { workflowId, leaseMs } = this.#options;
    try {
      await this.update((record) => record);
    } catch (error) {
      // The store may answer again in time. After that the owner of the lease is unknown.
      const isGone = MemoryError.isInstance(error) && error.code === 'UNKNOWN_WORKFLOW';
      if (this.#state === 'held' && (isGone || performance.now() - this.#renewedAt > leaseMs)) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#lose(lostError(workflowId, `it could not be renewed (${reason})`));
      }
    }
  }

  #lose(error: MemoryError): MemoryError {
    this.#state = 'lost';
    clearInterval(this.#timer);
    this.#lost.abort(error);
    return error;
  }
}

function leased(
  record: WorkflowRecord,
  { token, expiresAt }: { readonly token: string; readonly expiresAt: number },
): WorkflowRecord {
  return { ...record, lease: { owner: token, expiresAt: Math.ceil(expiresAt) } };
}
