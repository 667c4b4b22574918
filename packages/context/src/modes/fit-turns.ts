import type { Language } from '@cairn/tool/kernel';
import type { CountTokens } from '@cairn/tool/prompt';
import { listSteps, type DescribeCall } from '../messages/calls.ts';
import { partsOf, type UnifiedMessage } from '../messages/message.ts';
import { isImageMessage } from '../messages/images.ts';
import { callsOf } from '../messages/pairs.ts';
import { textOnly } from '../messages/render.ts';
import { tokensOf } from '../messages/tokens.ts';
import { uniqueCalls } from '../messages/unique-calls.ts';
import type { RenderedTurn } from '../messages/transcript.ts';
import { firstKept, windowStart, type Sized } from './budget.ts';

/** A turn within a limit: whole, else with a list of its oldest steps, else without its tool calls, else not at all. */
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
  readonly language: Language;
  readonly describeCall: DescribeCall;
}

type FitTurnOptions = Pick<FitOptions, 'limit' | 'countTokens' | 'language' | 'describeCall'>;

/** What a turn that is larger than the limit may take: its next turn needs room, too. */
const LARGE_TURN_SHARE = 1 / 2;

function isUserWords(message: UnifiedMessage): boolean {
  return message.role === 'user' && !isImageMessage(message);
}

/** Returns the messages of the user, and the last answer. */
function withoutSteps({ messages }: RenderedTurn): UnifiedMessage[] {
  const isAnswer = (message: UnifiedMessage): boolean =>
    message.role === 'assistant' && partsOf(message).every(({ type }) => type !== 'tool-call');
  const plain = messages.flatMap((message) => textOnly(message) ?? []);
  const answer = plain.findLast(isAnswer);
  return plain.filter((message) => isUserWords(message) || message === answer);
}

/**
 * Returns the messages of the user, a list of the oldest steps, and the newest steps whole. `undefined` for a turn without calls, such
 * as another agent's, and when the list does not fit.
 */
function withNewestSteps(
  { messages }: RenderedTurn,
  { limit, countTokens, language, describeCall }: FitTurnOptions,
): UnifiedMessage[] | undefined {
  const starts = messages.flatMap((message, index) => (callsOf(message).length > 0 ? [index] : []));
  if (starts.length === 0) return undefined;
  const from = (start: number): UnifiedMessage[] => {
    const older = messages.slice(0, start);
    const list = listSteps(
      older.filter((message) => !isUserWords(message)),
      { language, describeCall },
    );
    return [...older.filter(isUserWords), { role: 'user', content: list }, ...messages.slice(start)];
  };
  const fits = (start: number, most: number): boolean => sizeOf(from(start), countTokens) <= most;
  // The list alone: from what follows the last step on.
  const last = messages.findLastIndex((message) => message.role === 'tool' || isImageMessage(message)) + 1;
  let kept = starts.length;
  while (kept > 1 && fits(starts[kept - 1] ?? 0, limit * LARGE_TURN_SHARE)) kept -= 1;
  if (kept < starts.length) return from(starts[kept] ?? last);
  return fits(last, limit) ? from(last) : undefined;
}

function sizeOf(messages: readonly UnifiedMessage[], countTokens: CountTokens): number {
  return messages.reduce((sum, message) => sum + tokensOf(message, countTokens), 0);
}

function fitTurn(turn: RenderedTurn, options: FitTurnOptions): FittedTurn {
  const { limit, countTokens } = options;
  const { tokens, promptTokens } = turn;
  if (tokens <= limit) return { turn, messages: turn.messages, tokens, promptTokens };
  const listed = withNewestSteps(turn, options);
  if (listed !== undefined) return { turn, messages: listed, tokens: sizeOf(listed, countTokens), promptTokens };
  const messages = withoutSteps(turn);
  const left = sizeOf(messages, countTokens);
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
  { limit, promptTokens, window, ...options }: FitOptions,
): ShownTurns {
  const from = window === undefined ? 0 : windowStart(turns, window);
  const fitted = turns.map((turn) => fitTurn(turn, { limit, ...options }));
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
