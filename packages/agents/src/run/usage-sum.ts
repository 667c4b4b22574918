import type { Usage } from './agent-run.ts';
import type { ModelAnswer } from './model-request.ts';

export class UsageSum {
  #inputTokens = 0;
  #outputTokens = 0;
  #cachedInputTokens = 0;
  #isComplete = true;
  /** The tokens for the limit: an estimate where a server states nothing. */
  used = 0;

  addAnswer({ usage }: Pick<ModelAnswer, 'usage'>, estimate: () => number = () => 0): void {
    const isComplete = usage?.inputTokens !== undefined && usage.outputTokens !== undefined;
    const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
    const cachedInputTokens = usage?.inputTokenDetails.cacheReadTokens ?? 0;
    const before = this.used;
    this.add({ inputTokens, outputTokens, cachedInputTokens, isComplete });
    if (!isComplete) this.used = Math.max(this.used, before + estimate());
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
