import { ContextError } from '@cairn/context';
import { storableMessage } from '@cairn/context/internal';
import type { ContextMode, UnifiedMessage } from '@cairn/context';
import type { AgentResult } from './agent-run.ts';
import type { AgentsOptions } from './agents.ts';
import { Steps } from './steps.ts';
import type { RunParts } from './steps.ts';
import { runTexts } from './texts.ts';
import { labelled } from './turn.ts';

/** The messages of a turn as they were stored, and what of them was not. */
interface StoredTurn {
  readonly messages: readonly UnifiedMessage[];
  readonly notices: readonly string[];
}

/** Appends a turn. What no history can keep is cut: the tools of the turn have run, so that it must not be lost as a whole. */
async function store(
  { contexts, language = 'en' }: AgentsOptions,
  turn: { readonly agent: string; readonly mode: ContextMode; readonly messages: readonly UnifiedMessage[] },
): Promise<StoredTurn> {
  const { agent, mode, messages } = turn;
  try {
    await contexts.appendTurn(agent, messages, mode);
    return { messages, notices: [] };
  } catch (error) {
    if (!ContextError.isInstance(error) || (error.code !== 'TOO_LARGE' && error.code !== 'INVALID_INPUT')) throw error;
    const storable = messages.map((message) => storableMessage(message, language));
    const cut = storable.flatMap((one) => one.cut);
    const kept = storable.map(({ message }) => message);
    await contexts.appendTurn(agent, kept, mode);
    return { messages: kept, notices: cut.length === 0 ? [] : [runTexts[language].notKept(cut)] };
  }
}

/** Runs the steps of a prepared run, stores its turn, and returns its result. Rejects only when the turn cannot be stored. */
export async function execute(execution: RunParts): Promise<AgentResult> {
  const { run, options, agents, prepared, usage, emit } = execution;
  const { agent, mode, continues } = prepared;
  const steps = new Steps(execution);
  const { finishReason, reason, error } = await steps.run();
  const { text, lastAnswer } = steps;
  const label = {
    agent,
    run,
    ...(continues !== undefined && { continues }),
    ...(reason !== undefined && { ended: reason }),
  };
  const isFailure = finishReason === 'aborted' || finishReason === 'timeout' || finishReason === 'error';
  const isDropped = isFailure && options.onFailure === 'drop';
  const turn = isDropped ? [] : labelled(steps.turn.messages, label);
  const { messages, notices } = await store(agents, { agent, mode, messages: turn });
  if (mode === 'handback' && !isFailure && lastAnswer.trim() !== '') {
    // The result alone: the prompt and the steps, with what was written at them, are in the agent's own history.
    const handed = labelled([{ role: 'assistant', content: lastAnswer }], label);
    await agents.contexts.appendTurn(agent, handed, 'shared');
  }
  // Every other reason is stated by the finish reason.
  const own = [...notices, ...(finishReason === 'stop' && reason !== undefined ? [reason] : [])];
  for (const notice of own) emit({ type: 'notice', text: notice });
  emit({ type: 'end', finishReason });
  return {
    run,
    agent,
    finishReason,
    text,
    messages,
    steps: steps.count,
    usage: usage.sum,
    ...(prepared.isMainEmpty === true && { isMainEmpty: true }),
    notices: [...prepared.notices, ...own],
    ...(error !== undefined && { error }),
  };
}
