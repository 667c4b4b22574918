import { setImmediate } from 'node:timers/promises';

/** A few milliseconds of work: units are UTF-16 code units that are split into terms, or half a posting. */
const UNITS_PER_TURN = 16 * 1024;

/** Divides long work into turns of the event loop. */
export class Turns {
  readonly #signal: AbortSignal | undefined;
  #units = 0;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Counts work. @returns whether the turn should end. */
  spend(units: number): boolean {
    this.#units += units;
    return this.#units >= UNITS_PER_TURN;
  }

  /** Lets other work run. @throws the reason of the signal when it was aborted. */
  async next(): Promise<void> {
    this.#units = 0;
    await setImmediate();
    this.#signal?.throwIfAborted();
  }

  /** Runs a generator that yields the units of each step. */
  async run<Result>(steps: Generator<number, Result, void>): Promise<Result> {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (this.spend(value)) await this.next();
    }
  }
}

/** The work of reading or parsing a record. */
export function unitsOf(record: string): number {
  return 16 + record.length / 8;
}
