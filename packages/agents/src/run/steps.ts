import { ContextError, type UnifiedMessage } from '@cairn/context';
import { storableMessage, tokensOf } from '@cairn/context/internal';
import type { Language } from '@cairn/tool/kernel';
import type { LanguageModel, ModelMessage, ToolSet } from 'ai';
import type { ApprovalOutcome } from '../approvals/approvals.ts';
import { AgentError } from '../errors.ts';
import { systemText } from '../prompt/system-prompt.ts';
import type { AgentEvent, AgentResult, FinishReason, OwnEvent, ToolRunContext } from './agent-run.ts';
import type { AgentsOptions, RunOptions } from './agents.ts';
import type { RunLimits } from './limits.ts';
import { requestModel, type ModelAnswer } from './model-request.ts';
import type { PreparedRun } from './prepare.ts';
import { runTexts } from './texts.ts';
import { refuseCalls, runCalls } from './tool-calls.ts';
import { labelled, Turn } from './turn.ts';
import type { UsageSum } from './usage-sum.ts';

export interface RunParts {
  readonly run: string;
  readonly options: RunOptions;
  readonly agents: AgentsOptions;
  readonly prepared: PreparedRun & { readonly prompt: UnifiedMessage };
  readonly limits: RunLimits;
  readonly model: LanguageModel;
  /** What arrived of an answer that failed before it was passed on. */
  readonly unsent: { text: string };
  /** The model as nested runs are given it. */
  readonly inherited: LanguageModel;
  /** Also has what was used before the first step. */
  readonly usage: UsageSum;
  readonly signal: AbortSignal;
  readonly isTimeout: () => boolean;
  readonly emit: (event: OwnEvent) => void;
  readonly emitNested: (event: AgentEvent) => void;
}

/** Why a turn ended. `reason` is for the model, and absent when the model finished with an answer. */
interface TurnEnd {
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

export class Steps {
  readonly #turn: Turn;
  #text = '';
  /** The text of the last answer, which may have none. */
  #lastAnswer = '';
  #count = 0;
  readonly #options: RunParts;
  readonly #language: Language;
  readonly #texts: (typeof runTexts)['en'];
  readonly #context: ToolRunContext;
  /** What the calls of the run have made known to the user. */
  readonly #notices = new Set<string>();
  /** Whether requests state the rest of the tokens as the largest answer. */
  #sendsLimit: boolean;

  constructor(options: RunParts) {
    const { run, prepared, agents, limits, usage, inherited, emitNested } = options;
    const { parent } = options.options;
    this.#options = options;
    this.#language = agents.language ?? 'en';
    this.#texts = runTexts[this.#language];
    this.#sendsLimit = Number.isFinite(limits.maxTokens);
    this.#turn = new Turn(prepared.before, prepared.prompt, this.#language);
    this.#context = {
      run,
      depth: parent === undefined ? 0 : parent.depth + 1,
      agents: [...(parent?.agents ?? []), prepared.definition.name],
      model: inherited,
      grant: prepared.opened.grant,
      partialText: options.options.partialText ?? true,
      onApproval: (id, name, outcome) => this.#onApproval(id, name, outcome),
      emit: emitNested,
      addUsage: (nested) => usage.add(nested),
    };
  }

  #onApproval(id: string, name: string, outcome: ApprovalOutcome | undefined): void {
    const { emit } = this.#options;
    if (outcome === undefined) {
      emit({ type: 'approval', id, name, state: 'asked' });
      return;
    }
    const { isAllowed, by } = outcome;
    const reason = isAllowed ? undefined : outcome.reason;
    const state = isAllowed ? 'allowed' : 'rejected';
    emit({ type: 'approval', id, name, state, by, ...(reason !== undefined && { reason }) });
    if (by !== 'nobody' || reason === undefined) return;
    const text = this.#texts.notAllowed(name, reason);
    if (this.#notices.has(text)) return;
    this.#notices.add(text);
    emit({ type: 'notice', text });
  }

  get #isLast(): boolean {
    return this.#count === this.#options.limits.maxSteps;
  }

  get #rest(): number {
    return this.#options.limits.maxTokens - this.#options.usage.used;
  }

  /** Runs the steps, stores the turn, and returns the result of the run. Rejects only when the turn cannot be stored. */
  async result(): Promise<AgentResult> {
    const { run, options, agents, prepared, usage, emit } = this.#options;
    const { agent, mode, continues } = prepared;
    const { finishReason, reason, error } = await this.#run();
    const chain = continues === undefined ? {} : { continues };
    const label = { agent, run, ...chain, ...(reason !== undefined && { ended: reason }) };
    const isFailure = finishReason === 'aborted' || finishReason === 'timeout' || finishReason === 'error';
    const isDropped = isFailure && options.onFailure === 'drop';
    const { messages, cut } = await this.#store(isDropped ? [] : labelled(this.#turn.messages, label));
    if (mode === 'handback' && !isFailure && this.#lastAnswer.trim() !== '') {
      // The result alone: the prompt and the steps, with what was written at them, are in the agent's own history.
      const handed = labelled([{ role: 'assistant', content: this.#lastAnswer }], label);
      await agents.contexts.appendTurn(agent, handed, 'shared');
    }
    const notices = cut.length === 0 ? [] : [this.#texts.notKept(cut)];
    // Every other reason is stated by the finish reason.
    if (finishReason === 'stop' && reason !== undefined) notices.push(reason);
    for (const text of notices) emit({ type: 'notice', text });
    emit({ type: 'end', finishReason });
    return {
      run,
      agent,
      finishReason,
      text: this.#text,
      messages,
      steps: this.#count,
      usage: usage.sum,
      ...(prepared.isMainEmpty === true && { isMainEmpty: true }),
      notices: [...prepared.notices, ...this.#notices, ...notices],
      ...(error !== undefined && { error }),
    };
  }

  /** Appends the turn. What no history can keep is cut: the tools of the turn have run, so that it must not be lost as a whole. */
  async #store(messages: readonly UnifiedMessage[]): Promise<{ messages: readonly UnifiedMessage[]; cut: string[] }> {
    const { agents, prepared } = this.#options;
    const { agent, mode } = prepared;
    try {
      await agents.contexts.appendTurn(agent, messages, mode);
      return { messages, cut: [] };
    } catch (error) {
      if (!ContextError.isInstance(error) || !['TOO_LARGE', 'INVALID_INPUT'].includes(error.code)) throw error;
      const storable = messages.map((message) => storableMessage(message, this.#language));
      const kept = storable.map(({ message }) => message);
      await agents.contexts.appendTurn(agent, kept, mode);
      return { messages: kept, cut: storable.flatMap((one) => one.cut) };
    }
  }

  /** Runs steps until the run ends. Never rejects. */
  async #run(): Promise<TurnEnd> {
    const { signal, limits, usage, prepared, emit } = this.#options;
    for (;;) {
      if (signal.aborted) return this.#abortEnd();
      const rest = this.#rest;
      if (rest <= 0) return this.#tokensEnd();
      this.#count += 1;
      if (this.#isLast && this.#count > 1) this.#turn.addNote(this.#texts.lastStep(limits.maxSteps));
      emit({ type: 'step', step: this.#count });
      const request = this.#turn.request as ModelMessage[];
      const answer = await this.#ask(request);
      this.#lastAnswer = answer.text;
      if (answer.text !== '') this.#text = answer.text;
      const calls = answer.message === undefined ? [] : this.#turn.addAnswer(answer.message, answer.calls);
      usage.addAnswer(answer, () =>
        this.#turn.request.reduce((sum, one) => sum + tokensOf(one), prepared.tokens.system),
      );
      const end = this.#endAfter(answer, rest);
      if (end !== undefined) {
        if (calls.length > 0) this.#turn.addResults(refuseCalls(calls, this.#texts.notRun(end.reason ?? '')));
        return end;
      }
      const results = await runCalls(calls, {
        tools: prepared.opened.tools as unknown as ToolSet,
        refuse: (name) => prepared.opened.refuse(name),
        messages: request,
        context: this.#context,
        signal,
        reason: () => this.#abortEnd().reason ?? '',
        language: this.#language,
        emit,
      });
      this.#turn.addResults(results);
    }
  }

  async #ask(messages: readonly ModelMessage[]): Promise<ModelAnswer> {
    const { model, unsent, prepared, signal, emit } = this.#options;
    const answer = await requestModel({
      model,
      system: systemText(prepared.system),
      messages,
      tools: prepared.opened.tools as unknown as ToolSet,
      toolChoice: this.#isLast && this.#count > 1 ? 'none' : 'auto',
      maxOutputTokens: this.#sendsLimit ? this.#rest : undefined,
      signal,
      onText: (text) => emit({ type: 'text', text }),
      onReasoning: (text) => emit({ type: 'reasoning', text }),
    });
    if (!this.#sendsLimit || !refusesLimit(answer)) {
      const { text } = unsent;
      unsent.text = '';
      const isCut = answer.finishReason === 'error' || answer.finishReason === 'aborted';
      if (text === '' || answer.text !== '' || !isCut) return answer;
      emit({ type: 'text', text });
      return { ...answer, text, message: { role: 'assistant', content: [{ type: 'text', text }] } };
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
    if (this.#isLast && (this.#count > 1 || calls.length > 0)) {
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
