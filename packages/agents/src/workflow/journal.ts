import { MemoryError, type WorkflowRecord, type WorkflowRun } from '@cairn/memory';
import { setTimeout as delay } from 'node:timers/promises';
import { fitCalls, isPending, type LoopState } from './loop-state.ts';
import type { CallRecord } from './types.ts';

type TodoChange = Omit<Parameters<WorkflowRun['update']>[0], 'state'>;

/** The pause between two tries to record the outcome of a call. */
const RETRY_MS = 500;

function isStoreAway(error: unknown): boolean {
  return MemoryError.isInstance(error) && (error.code === 'STORE_UNAVAILABLE' || error.code === 'STORE_LOCKED');
}

/** The state and the calls of a workflow, in its record: a call is written before it runs, and again with its outcome. */
export class Journal {
  readonly run: WorkflowRun;
  #state: LoopState;
  /** Writes replace the whole state, so that one must not overtake another. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(run: WorkflowRun, state: LoopState) {
    this.run = run;
    this.#state = state;
  }

  get state(): LoopState {
    return this.#state;
  }

  get record(): WorkflowRecord {
    return this.run.record;
  }

  get pending(): CallRecord | undefined {
    return this.#state.calls.find(isPending);
  }

  /** Changes the state, and todos, in one step. @throws {MemoryError} */
  update(change: Partial<LoopState> | ((state: LoopState) => Partial<LoopState>), todos?: TodoChange): Promise<void> {
    const write = async (): Promise<void> => {
      const state = { ...this.#state, ...(typeof change === 'function' ? change(this.#state) : change) };
      await this.run.update({ ...todos, state });
      this.#state = state;
    };
    // A failed write does not stop a later one, such as the outcome of another call.
    const written = this.#written.then(write, write);
    this.#written = written;
    return written;
  }

  /** Records a call before it runs, or while it waits for a person. @throws {MemoryError} */
  async add(call: Pick<CallRecord, 'todoId' | 'name' | 'input' | 'status'>): Promise<CallRecord> {
    let added: CallRecord | undefined;
    await this.update(({ calls, callCount }) => {
      added = { id: `call_${callCount}`, ...call };
      return { calls: fitCalls([...calls, added]), callCount: callCount + 1 };
    });
    // `update` called the function.
    return added as CallRecord;
  }

  change(id: string, fields: Partial<Omit<CallRecord, 'id'>>, more: Partial<LoopState> = {}): Promise<void> {
    return this.update(({ calls }) => ({
      ...more,
      calls: fitCalls(calls.map((call) => (call.id === id ? { ...call, ...fields } : call))),
    }));
  }

  /** Records the outcome of a call, while the store is away again and again: the next runner knows only what is recorded. */
  async end(id: string, outcome: Pick<CallRecord, 'status' | 'output'>): Promise<void> {
    for (;;) {
      try {
        return await this.change(id, outcome);
      } catch (error) {
        if (!isStoreAway(error) || this.run.signal.aborted) throw error;
        await delay(RETRY_MS, undefined, { signal: this.run.signal }).catch(() => {
          throw error;
        });
      }
    }
  }
}
