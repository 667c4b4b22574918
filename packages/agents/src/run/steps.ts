import { tokensOf } from '@cairn/context/internal';
import type { UnifiedMessage } from '@cairn/context';
import type { LanguageModel, ModelMessage, ToolSet } from 'ai';
import { AgentError } from '../errors.ts';
import type { AgentEvent, FinishReason, OwnEvent, ToolRunContext } from './agent-run.ts';
import type { AgentsOptions, RunOptions } from './agents.ts';
import type { RunLimits } from './limits.ts';
import { requestModel } from './model-request.ts';
import type { ModelAnswer } from './model-request.ts';
import type { PreparedRun } from './prepare.ts';
import { runTexts } from './texts.ts';
import { refuseCalls, runCalls } from './tool-calls.ts';
import { Turn } from './turn.ts';
import type { Unsent } from './unsent.ts';
import type { UsageSum } from './usage-sum.ts';

export interface RunParts {
  readonly run: string;
  readonly options: RunOptions;
  readonly agents: AgentsOptions;
  readonly prepared: PreparedRun & { readonly prompt: UnifiedMessage };
  readonly limits: RunLimits;
  readonly model: LanguageModel;
  readonly unsent: Unsent;
  /** The model as nested runs are given it. */
  readonly inherited: LanguageModel;
  /** Also has what was used before the first step. */
  readonly usage: UsageSum;
  /** Aborted by the caller, by the time limit or by `close`. */
  readonly signal: AbortSignal;
  /** Whether the time limit aborted the signal. */
  readonly isTimeout: () => boolean;
  readonly emit: (event: OwnEvent) => void;
  /** Reports an event of a nested run. */
  readonly emitNested: (event: AgentEvent) => void;
}

/** Why a turn ended. `reason` is for the model, and absent when the model had finished with a text. */
export interface TurnEnd {
  readonly finishReason: FinishReason;
  readonly reason?: string;
  readonly error?: Error | undefined;
}

function wordsOf(reason: unknown): string | undefined {
  if (typeof reason === 'string') return reason;
  // The reason of an abort without one says nothing.
  return reason instanceof Error && reason.name !== 'AbortError' ? reason.message : undefined;
}

/** The hint of an error is for the user, and not for the model of a later run. */
function summaryOf(error: Error | undefined): string {
  return AgentError.isInstance(error) ? error.summary : (error?.message ?? '');
}

/** Whether a server rejected a request because of the largest answer that it asks for. */
function refusesLimit({ error }: ModelAnswer): boolean {
  const isRefused = AgentError.isInstance(error) && error.code === 'MODEL_REFUSED';
  return isRefused && /max_(?:completion_|output_|new_)?tokens/iu.test(error.message);
}

/** The steps of one run: requests to the model, and the calls of its answers. */
export class Steps {
  readonly turn: Turn;
  text = '';
  /** The text of the last answer, which may have none. */
  lastAnswer = '';
  count = 0;
  readonly #options: RunParts;
  readonly #texts: (typeof runTexts)['en'];
  readonly #context: ToolRunContext;
  /** Whether requests state the rest of the tokens as the largest answer. */
  #sendsLimit: boolean;

  constructor(options: RunParts) {
    const { run, prepared, agents, limits, usage, inherited, emitNested } = options;
    const { parent } = options.options;
    this.#options = options;
    this.#texts = runTexts[agents.language ?? 'en'];
    this.#sendsLimit = Number.isFinite(limits.maxTokens);
    this.turn = new Turn(prepared.before, prepared.prompt, agents.language ?? 'en');
    this.#context = {
      run,
      depth: parent === undefined ? 0 : parent.depth + 1,
      agents: [...(parent?.agents ?? []), prepared.definition.name],
      model: inherited,
      grant: prepared.opened.grant,
      partialText: options.options.partialText ?? true,
      emit: emitNested,
      addUsage: (nested) => usage.add(nested),
    };
  }

  get #isLast(): boolean {
    return this.count === this.#options.limits.maxSteps;
  }

  get #rest(): number {
    return this.#options.limits.maxTokens - this.#options.usage.used;
  }

  /** Runs steps until the run ends. Never rejects. */
  async run(): Promise<TurnEnd> {
    const { signal, limits, usage, prepared, emit } = this.#options;
    for (;;) {
      if (signal.aborted) return this.#abortEnd();
      const rest = this.#rest;
      if (rest <= 0) return this.#tokensEnd();
      this.count += 1;
      if (this.#isLast && this.count > 1) this.turn.addNote(this.#texts.lastStep(limits.maxSteps));
      emit({ type: 'step', step: this.count });
      const request = this.turn.request as ModelMessage[];
      const answer = await this.#ask(request);
      this.lastAnswer = answer.text;
      if (answer.text !== '') this.text = answer.text;
      const calls = answer.message === undefined ? [] : this.turn.addAnswer(answer.message, answer.calls);
      usage.addAnswer(answer, () =>
        this.turn.request.reduce((sum, one) => sum + tokensOf(one), prepared.tokens.system),
      );
      const end = this.#endAfter(answer, rest);
      if (end !== undefined) {
        if (calls.length > 0) this.turn.addResults(refuseCalls(calls, this.#texts.notRun(end.reason ?? '')));
        return end;
      }
      const results = await runCalls(calls, {
        tools: prepared.opened.tools as unknown as ToolSet,
        refuse: (name) => prepared.opened.refuse(name),
        messages: request,
        context: this.#context,
        signal,
        reason: () => this.#abortEnd().reason ?? '',
        language: this.#options.agents.language ?? 'en',
        emit,
      });
      this.turn.addResults(results);
    }
  }

  async #ask(messages: readonly ModelMessage[]): Promise<ModelAnswer> {
    const { model, unsent, prepared, signal, emit } = this.#options;
    const answer = await requestModel({
      model,
      system: prepared.systemText,
      messages,
      tools: prepared.opened.tools as unknown as ToolSet,
      toolChoice: this.#isLast && this.count > 1 ? 'none' : 'auto',
      maxOutputTokens: this.#sendsLimit ? this.#rest : undefined,
      signal,
      onText: (text) => emit({ type: 'text', text }),
      onReasoning: (text) => emit({ type: 'reasoning', text }),
    });
    if (!this.#sendsLimit || !refusesLimit(answer)) {
      const whole = unsent.addTo(answer);
      if (whole !== answer) emit({ type: 'text', text: whole.text });
      return whole;
    }
    // The limit of the run may be larger than an answer of this model can be.
    this.#sendsLimit = false;
    return this.#ask(messages);
  }

  /** Returns the reason why the run ends with this answer, if it does. */
  #endAfter({ finishReason, error, calls, text, usage }: ModelAnswer, rest: number): TurnEnd | undefined {
    const { limits, usage: sum } = this.#options;
    const texts = this.#texts;
    if (finishReason === 'aborted') return this.#abortEnd();
    if (finishReason === 'error') return { finishReason, reason: texts.error(summaryOf(error)), error };
    if (finishReason === 'content-filter') return { finishReason, reason: texts.filter };
    if (finishReason === 'length') {
      const isOurs = this.#sendsLimit && (usage?.outputTokens ?? rest) >= rest;
      return isOurs ? this.#tokensEnd() : { finishReason, reason: texts.length };
    }
    if (this.#isLast && (this.count > 1 || calls.length > 0)) {
      // The model that knows of its last step may still want to call tools.
      const isCut = finishReason === 'tool-calls' || calls.length > 0;
      return { finishReason: 'steps', ...(isCut && { reason: texts.steps(limits.maxSteps) }) };
    }
    if (calls.length === 0) return { finishReason: 'stop', ...(text.trim() === '' && { reason: texts.noText }) };
    return sum.used >= limits.maxTokens ? this.#tokensEnd() : undefined;
  }

  #abortEnd(): TurnEnd {
    const { signal, limits, isTimeout } = this.#options;
    if (isTimeout()) return { finishReason: 'timeout', reason: this.#texts.timeout(limits.timeoutMs / 1000) };
    return { finishReason: 'aborted', reason: this.#texts.aborted(wordsOf(signal.reason)) };
  }

  #tokensEnd(): TurnEnd {
    return { finishReason: 'tokens', reason: this.#texts.tokens(this.#options.limits.maxTokens) };
  }
}
