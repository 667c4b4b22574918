import type { CountTokens } from '@cairn/tool/prompt';
import { partsOf, type UnifiedMessage } from '../messages/message.ts';
import { isImageMessage } from '../messages/images.ts';
import { textOnly } from '../messages/render.ts';
import { tokensOf } from '../messages/tokens.ts';
import { uniqueCalls } from '../messages/unique-calls.ts';
import type { RenderedTurn } from '../messages/transcript.ts';
import { firstKept, windowStart, type Sized } from './budget.ts';

/** A turn within a limit: whole, else without its tool calls, else not at all. */
interface FittedTurn extends Sized {
  readonly turn: RenderedTurn;
  readonly messages: readonly UnifiedMessage[];
}

interface Count {
  readonly messages: number;
  readonly tokens: number;
}

export interface ShownTurns {
  readonly messages: UnifiedMessage[];
  readonly tokens: number;
  /** The messages of the history that they are of. */
  readonly shown: number;
  /** Before the window. */
  readonly window: Count;
  /** Within the window, and not within the limit. */
  readonly budget: Count;
  /** The steps of turns that alone are larger than the limit. */
  readonly steps: Count & { readonly turns: number };
}

export interface FitOptions {
  /** Of the messages and the prompt, in tokens. */
  readonly limit: number;
  readonly promptTokens: number;
  readonly window: number | undefined;
  readonly countTokens: CountTokens;
}

/** Returns the messages of the user, and the last answer. */
function withoutSteps({ messages }: RenderedTurn): UnifiedMessage[] {
  const isAnswer = (message: UnifiedMessage): boolean =>
    message.role === 'assistant' && partsOf(message).every(({ type }) => type !== 'tool-call');
  const plain = messages.flatMap((message) => textOnly(message) ?? []);
  const answer = plain.findLast(isAnswer);
  return plain.filter((message) => (message.role === 'user' && !isImageMessage(message)) || message === answer);
}

function fitTurn(turn: RenderedTurn, limit: number, countTokens: CountTokens): FittedTurn {
  const { tokens, promptTokens } = turn;
  if (tokens <= limit) return { turn, messages: turn.messages, tokens, promptTokens };
  const messages = withoutSteps(turn);
  const left = messages.reduce((sum, message) => sum + tokensOf(message, countTokens), 0);
  // A prompt without its answer would be an open task.
  const isKept = left <= limit && messages.at(-1)?.role === 'assistant';
  return { turn, messages: isKept ? messages : [], tokens: isKept ? left : 0, promptTokens };
}

function between(turns: readonly RenderedTurn[], from: number, to: number): Count {
  const some = turns.slice(from, to);
  const messages = (some.at(-1)?.to ?? 0) - (some[0]?.from ?? 0);
  return { messages, tokens: some.reduce((sum, turn) => sum + turn.tokens, 0) };
}

/** Applies a window and a limit to a history: the newest turns that fit. */
export function fitTurns(
  turns: readonly RenderedTurn[],
  { limit, promptTokens, window, countTokens }: FitOptions,
): ShownTurns {
  const from = window === undefined ? 0 : windowStart(turns, window);
  const fitted = turns.map((turn) => fitTurn(turn, limit, countTokens));
  // The last messages of a window are shown whenever they fit. Else the cut is that of the whole history, which stays in place.
  const isWhole =
    window !== undefined && fitted.slice(from).reduce((sum, fit) => sum + fit.tokens, promptTokens) <= limit;
  const start = isWhole ? from : Math.max(from, firstKept(fitted, limit, promptTokens));
  let tokens = 0;
  let shown = 0;
  let dropped = between(turns, from, start);
  let steps = { messages: 0, tokens: 0, turns: 0 };
  const messages: UnifiedMessage[] = [];
  for (const fit of fitted.slice(start)) {
    const count = fit.turn.to - fit.turn.from;
    messages.push(...fit.messages);
    tokens += fit.tokens;
    const isShort = fit.messages !== fit.turn.messages;
    if (isShort && fit.messages.length === 0) {
      dropped = { messages: dropped.messages + count, tokens: dropped.tokens + fit.turn.tokens };
      continue;
    }
    shown += count;
    if (!isShort) continue;
    steps = {
      messages: steps.messages + Math.max(1, count - fit.messages.length),
      tokens: steps.tokens + fit.turn.tokens - fit.tokens,
      turns: steps.turns + 1,
    };
  }
  return { messages: uniqueCalls(messages), tokens, shown, window: between(turns, 0, from), budget: dropped, steps };
}
