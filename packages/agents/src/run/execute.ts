import type { UnifiedMessage } from '@cairn/context';
import { tokensOf } from '@cairn/context';
import type { LanguageModel, ModelMessage, ToolSet } from 'ai';
import type { AgentEvent, AgentResult, FinishReason, OwnEvent } from './agent-run.ts';
import type { AgentsOptions, RunOptions } from './agents.ts';
import type { RunLimits } from './limits.ts';
import { requestModel } from './model-request.ts';
import type { ModelAnswer } from './model-request.ts';
import type { PreparedRun } from './prepare.ts';
import { runTexts } from './texts.ts';
import { refuseCalls, runCalls } from './tool-calls.ts';
import type { ToolRunContext } from './tool-context.ts';
import { labelled, Turn } from './turn.ts';
import type { UsageSum } from './usage-sum.ts';

/** What one run is made of. */
export interface ExecuteOptions {
  readonly run: string;
  readonly options: RunOptions;
  readonly agents: AgentsOptions;
  readonly prepared: PreparedRun & { readonly prompt: UnifiedMessage };
  readonly limits: RunLimits;
  readonly model: LanguageModel;
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

/** Why a turn ended. The text is for the model, and absent when the model had finished. */
interface End {
  readonly finishReason: FinishReason;
  readonly reason?: string;
  readonly error?: unknown;
}

function wordsOf(reason: unknown): string | undefined {
  if (typeof reason === 'string') return reason;
  // The reason of an abort without one says nothing.
  return reason instanceof Error && reason.name !== 'AbortError' ? reason.message : undefined;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Runs the steps of a prepared run, stores its turn, and returns its result. Rejects only when the turn cannot be stored. */
export async function execute(execution: ExecuteOptions): Promise<AgentResult> {
  const { run, options, agents, prepared, limits, model, usage, signal, emit } = execution;
  const { definition, opened } = prepared;
  const { language = 'en', contexts } = agents;
  const texts = runTexts[language];
  const turn = new Turn(prepared.before, prepared.prompt);
  const tools = opened.tools as unknown as ToolSet;
  let text = '';
  let steps = 0;

  const abortEnd = (): End => {
    if (execution.isTimeout()) {
      return { finishReason: 'timeout', reason: texts.timeout(limits.timeoutMs / 1000) };
    }
    return { finishReason: 'aborted', reason: texts.aborted(wordsOf(signal.reason)) };
  };
  const context: ToolRunContext = {
    run,
    depth: options.parent === undefined ? 0 : options.parent.depth + 1,
    agents: [...(options.parent?.agents ?? []), definition.name],
    model: execution.inherited,
    grant: opened.grant,
    emit: execution.emitNested,
    addUsage: (nested) => usage.add(nested),
  };

  /** Returns why the run ends with this answer, if it does. */
  const endAfter = (answer: ModelAnswer, { isLast, rest }: { isLast: boolean; rest: number }): End | undefined => {
    const { finishReason, error, calls } = answer;
    if (finishReason === 'aborted') return abortEnd();
    if (finishReason === 'error') return { finishReason, reason: texts.error(asError(error).message), error };
    if (finishReason === 'content-filter') return { finishReason, reason: texts.filter };
    if (finishReason === 'length') {
      const isOurs = (answer.usage?.outputTokens ?? rest) >= rest;
      if (isOurs) return { finishReason: 'tokens', reason: texts.tokens(limits.maxTokens) };
      return { finishReason, reason: texts.length };
    }
    if (isLast && (steps > 1 || calls.length > 0)) {
      // The model that knows of its last step may still want to call tools.
      const isCut = finishReason === 'tool-calls' || calls.length > 0;
      return { finishReason: 'steps', ...(isCut && { reason: texts.steps(limits.maxSteps) }) };
    }
    if (calls.length === 0) return { finishReason: 'stop' };
    if (usage.used >= limits.maxTokens) return { finishReason: 'tokens', reason: texts.tokens(limits.maxTokens) };
    return undefined;
  };

  const loop = async (): Promise<End> => {
    for (;;) {
      if (signal.aborted) return abortEnd();
      const rest = limits.maxTokens - usage.used;
      if (rest <= 0) return { finishReason: 'tokens', reason: texts.tokens(limits.maxTokens) };
      steps += 1;
      const isLast = steps === limits.maxSteps;
      if (isLast && steps > 1) turn.addNote(texts.lastStep(limits.maxSteps));
      emit({ type: 'step', step: steps });
      const request = turn.request;
      const answer = await requestModel({
        model,
        system: prepared.systemText,
        messages: request as ModelMessage[],
        tools,
        toolChoice: isLast && steps > 1 ? 'none' : 'auto',
        maxOutputTokens: Number.isFinite(rest) ? rest : undefined,
        signal,
        onText: (delta) => emit({ type: 'text', text: delta }),
        onReasoning: (delta) => emit({ type: 'reasoning', text: delta }),
      });
      if (answer.text !== '') text = answer.text;
      const calls = answer.message === undefined ? [] : turn.addAnswer(answer.message, answer.calls);
      usage.addAnswer(answer, () => prepared.tokens.total + turn.request.reduce((sum, one) => sum + tokensOf(one), 0));
      const end = endAfter(answer, { isLast, rest });
      if (end !== undefined) {
        if (calls.length > 0) turn.addResults(refuseCalls(calls, texts.notRun(end.reason ?? '')));
        return end;
      }
      const results = await runCalls(calls, {
        tools,
        refuse: opened.refuse,
        messages: request as ModelMessage[],
        context,
        signal,
        reason: () => abortEnd().reason ?? '',
        language,
        emit,
      });
      turn.addResults(results);
    }
  };

  const { finishReason, reason, error } = await loop();
  const label = {
    agent: definition.name,
    run,
    ...(prepared.continues !== undefined && { continues: prepared.continues }),
    ...(reason !== undefined && { ended: reason }),
  };
  const isFailure = finishReason === 'aborted' || finishReason === 'timeout' || finishReason === 'error';
  const isDropped = isFailure && options.onFailure === 'drop';
  const messages = isDropped ? [] : turn.labelled(label);
  if (!isDropped) {
    await contexts.appendTurn(definition.name, messages, prepared.mode);
    if (prepared.mode === 'handback' && !isFailure && text !== '') {
      const handed: UnifiedMessage[] = [
        { role: 'user', content: options.prompt },
        { role: 'assistant', content: text },
      ];
      await contexts.appendTurn(definition.name, labelled(handed, label), 'shared');
    }
  }
  emit({ type: 'end', finishReason });
  return {
    run,
    agent: definition.name,
    finishReason,
    text,
    messages,
    steps,
    usage: usage.sum,
    notices: prepared.notices,
    ...(error !== undefined && { error: asError(error) }),
  };
}
