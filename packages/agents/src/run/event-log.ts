import type { AgentEvent } from './agent-run.ts';

/** The events of a run. Each iteration begins with the first event and ends with the log. */
export class EventLog implements AsyncIterable<AgentEvent> {
  readonly #events: AgentEvent[] = [];
  #isEnded = false;
  #error: Error | undefined;
  readonly #waiting: (() => void)[] = [];
  #readers = 0;

  get isRead(): boolean {
    return this.#readers > 0;
  }

  push(event: AgentEvent): void {
    if (this.#isEnded) return;
    this.#events.push(event);
    this.#wake();
  }

  /** Ends the log. With an error, iterations reject with it after the last event. */
  end(error?: Error): void {
    this.#isEnded = true;
    this.#error = error;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent, void> {
    this.#readers += 1;
    try {
      for (let index = 0; ; index++) {
        while (index === this.#events.length && !this.#isEnded) {
          await new Promise<void>((resolve) => this.#waiting.push(resolve));
        }
        const event = this.#events[index];
        if (event === undefined) break;
        yield event;
      }
      if (this.#error !== undefined) throw this.#error;
    } finally {
      this.#readers -= 1;
    }
  }
}
