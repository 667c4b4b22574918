import type { Usage } from './agent-run.ts';
import type { ModelAnswer } from './model-request.ts';

/** The tokens of a run. */
export class UsageSum {
  #inputTokens = 0;
  #outputTokens = 0;
  #cachedInputTokens = 0;
  #isComplete = true;
  /** The tokens for the limit: an estimate where a server states nothing. */
  used = 0;

  addAnswer({ usage }: ModelAnswer, estimate: () => number): void {
    if (usage?.inputTokens === undefined || usage.outputTokens === undefined) {
      this.#isComplete = false;
      this.used += estimate();
      return;
    }
    this.add({
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      cachedInputTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
      isComplete: true,
    });
  }

  add({ inputTokens, outputTokens, cachedInputTokens, isComplete }: Usage): void {
    this.#inputTokens += inputTokens;
    this.#outputTokens += outputTokens;
    this.#cachedInputTokens += cachedInputTokens;
    this.#isComplete &&= isComplete;
    this.used += inputTokens + outputTokens;
  }

  get sum(): Usage {
    return {
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      cachedInputTokens: this.#cachedInputTokens,
      isComplete: this.#isComplete,
    };
  }
}
