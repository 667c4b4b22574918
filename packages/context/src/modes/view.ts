import { estimateTokens } from '@cairn/tool/prompt';
import type { CountTokens } from '@cairn/tool/prompt';
import { ContextError } from '../errors.ts';
import { checkLanguage } from '../messages/language.ts';
import type { Language } from '../messages/language.ts';
import type { UnifiedMessage } from '../messages/message.ts';
import { tokensOf } from '../messages/tokens.ts';
import { transcriptOf } from '../messages/transcript.ts';
import type { RenderedTurn, Transcript } from '../messages/transcript.ts';
import { createCut, cutFor, readItems } from './budget.ts';
import type { Cut } from './budget.ts';
import { headOf } from './head.ts';
import type { Head, ModelSummary } from './head.ts';
import { checkMode, MODES } from './mode.ts';
import type { ContextMode } from './mode.ts';
import { modeTextOf, viewTexts } from './texts.ts';
import { checkWindow, windowStart } from './window.ts';

export interface ViewOptions {
  readonly mode: ContextMode;
  /** @default 'en' */
  readonly language?: Language | undefined;
  /** The agent whose view it is: the turns of other agents in main are written out as text. Absent for main itself. */
  readonly agent?: string | undefined;
  /** The history of the main session. */
  readonly main: readonly UnifiedMessage[];
  /** The history of the agent. */
  readonly own: readonly UnifiedMessage[];
  /** The last messages that are kept, with the turn that the oldest of them is in. @default all that fit into the budget */
  readonly window?: number | undefined;
  /** What `selective` shows of main. @default nothing */
  readonly sharePatterns?: readonly string[] | undefined;
  /** Past this number of messages `summarized` folds the older half of main. @default 20 */
  readonly summarizeAfter?: number | undefined;
  /** The summary that a model wrote. It is used when it covers exactly the messages that are to be folded. */
  readonly summary?: ModelSummary | undefined;
  /** Of the messages and `promptTokens`. @default 32_000 */
  readonly maxTokens?: number | undefined;
  /** @default estimateTokens of `@cairn/tool/prompt` */
  readonly countTokens?: CountTokens | undefined;
  /** The tokens of the prompt that follows the messages. @default 0 */
  readonly promptTokens?: number | undefined;
}

/**
 * Why something is not in a view.
 *
 * - `window`: it is older than the window.
 * - `budget`: it does not fit into the budget.
 * - `steps`: the turn alone does not fit into the budget; its prompt and its answer are shown, not its tool calls.
 * - `selection`: no pattern matches it.
 * - `summary`: it is folded into the summary.
 * - `tools`: it is a tool call, a result, an image or a file of main, which `summarized` does not show.
 */
export type LeftOutReason = 'window' | 'budget' | 'steps' | 'selection' | 'summary' | 'tools';

export interface LeftOut {
  readonly reason: LeftOutReason;
  readonly history: 'main' | 'own';
  /** The messages that are not shown, or not whole. */
  readonly messages: number;
  /** Estimated. */
  readonly tokens: number;
}

export interface ViewDetails {
  /** Of the messages, estimated, without the prompt. */
  readonly tokens: number;
  /** Of these, those of the head message, which shows main in `selective` and `summarized`. */
  readonly headTokens: number;
  readonly leftOut: readonly LeftOut[];
  /** The window: what was asked for, and the messages that are shown, which are more when the window begins inside a turn. */
  readonly window?: { readonly size: number; readonly shown: number };
  /** The messages of main that are summarized, and by what. */
  readonly summary?: { readonly messages: number; readonly by: 'sentences' | 'model' };
}

/** What an agent sees of the histories. */
export interface ContextView {
  /** To send before the prompt. */
  readonly messages: UnifiedMessage[];
  /** The part of the system prompt that states the mode. */
  readonly modeText: string;
  /** One line for the system prompt about what is left out. Empty when nothing is. */
  readonly notice: string;
  readonly details: ViewDetails;
}

export const DEFAULT_MAX_TOKENS = 32_000;
export const DEFAULT_SUMMARIZE_AFTER = 20;

function checkCount(option: string, value: number, min: number): void {
  if (Number.isInteger(value) && value >= min) return;
  throw new ContextError('INVALID_OPTION', [`Invalid ${option} ${String(value)}`, `Use a whole number from ${min}.`], {
    option,
  });
}

/** A turn as the budget sees it: one that alone is too large has only its prompt and its answer, or nothing. */
interface ShownTurn extends RenderedTurn {
  readonly isShort: boolean;
}

function isText({ content }: UnifiedMessage): boolean {
  return typeof content === 'string' || content.every(({ type }) => type === 'text');
}

/** Returns a turn without its tool calls: the messages of the user, and the last text of the assistant. */
function shorten(turn: RenderedTurn, countTokens: CountTokens): ShownTurn {
  const answer = turn.messages.findLast((message) => message.role === 'assistant' && isText(message));
  const messages = turn.messages.filter((message) => message.role === 'user' || message === answer);
  const tokens = messages.reduce((sum, message) => sum + tokensOf(message, countTokens), 0);
  return { ...turn, messages, tokens, isShort: true };
}

interface Budget {
  readonly limit: number;
  readonly turns: ShownTurn[];
  readonly cut: Cut;
  version: number;
  /** The turn of the transcript that each of `turns` was made from. */
  readonly sources: RenderedTurn[];
}

const budgets = new WeakMap<Transcript, Budget[]>();
const MAX_BUDGETS = 4;

function shownTurn(turn: RenderedTurn, limit: number, countTokens: CountTokens): ShownTurn {
  return turn.tokens <= limit ? { ...turn, isShort: false } : shorten(turn, countTokens);
}

/** Returns the turns of a transcript within a limit, and what is kept of those that cannot change any more. */
function budgetOf(transcript: Transcript, limit: number, countTokens: CountTokens): Budget {
  let known = budgets.get(transcript);
  if (known === undefined) {
    known = [];
    budgets.set(transcript, known);
  }
  const { turns, version } = transcript;
  let found = known.find((one) => one.limit === limit && one.version === version);
  if (found === undefined) {
    found = { limit, turns: [], cut: createCut(), version, sources: [] };
    known.unshift(found);
    known.length = Math.min(known.length, MAX_BUDGETS);
  }
  const last = Math.max(0, found.turns.length - 1);
  if (found.sources[last] !== turns[last]) {
    found.turns.length = last;
    found.sources.length = last;
  }
  for (const turn of turns.slice(found.turns.length)) {
    found.turns.push(shownTurn(turn, limit, countTokens));
    found.sources.push(turn);
  }
  // The last turn may grow.
  readItems(found.cut, found.turns, limit, Math.max(0, turns.length - 1));
  return found;
}

function sum(turns: readonly { readonly from: number; readonly to: number; readonly tokens: number }[]): {
  messages: number;
  tokens: number;
} {
  let messages = 0;
  let tokens = 0;
  for (const turn of turns) {
    messages += turn.to - turn.from;
    tokens += turn.tokens;
  }
  return { messages, tokens };
}

interface Shown {
  readonly messages: UnifiedMessage[];
  readonly tokens: number;
  readonly leftOut: Omit<LeftOut, 'history'>[];
  readonly window?: { readonly size: number; readonly shown: number };
  readonly shortTurns: number;
}

/** Applies the window and the budget to a history. */
function showTurns(
  transcript: Transcript,
  {
    limit,
    promptTokens,
    window,
    countTokens,
  }: { limit: number; promptTokens: number; window: number | undefined; countTokens: CountTokens },
): Shown {
  const { turns } = transcript;
  const from = window === undefined ? 0 : windowStart(turns, window);
  const budget = budgetOf(transcript, limit, countTokens);
  const base = from === 0 ? budget.cut : createCut(from);
  const cut = { ...base };
  readItems(cut, budget.turns, limit, turns.length);
  const { start } = cutFor(cut, budget.turns, limit, promptTokens);
  const kept = budget.turns.slice(start).filter(({ tokens }) => tokens <= limit);
  const short = kept.filter(({ isShort }) => isShort);
  const tokens = kept.reduce((total, turn) => total + turn.tokens, 0);
  const outside = sum(turns.slice(0, from));
  const dropped = sum([
    ...turns.slice(from, start),
    ...turns.slice(start).filter((_, at) => (budget.turns[start + at]?.tokens ?? 0) > limit),
  ]);
  const whole = sum(short.map((turn) => turns[budget.turns.indexOf(turn)] ?? turn));
  const steps = {
    messages: whole.messages - short.reduce((count, turn) => count + turn.messages.length, 0),
    tokens: whole.tokens - sum(short).tokens,
  };
  const reasons = [
    { reason: 'window', ...outside },
    { reason: 'budget', ...dropped },
    { reason: 'steps', ...steps },
  ] as const;
  return {
    messages: kept.flatMap((turn) => turn.messages),
    tokens,
    leftOut: reasons.filter(({ messages }) => messages > 0),
    ...(window !== undefined && { window: { size: window, shown: sum(turns.slice(from)).messages } }),
    shortTurns: short.length,
  };
}

const NO_HEAD: Head = { message: undefined, tokens: 0, leftOut: [], folded: 0 };

function noticeOf(
  shown: Shown,
  head: Head,
  { language, mode, maxTokens }: { language: Language; mode: ContextMode; maxTokens: number },
): string {
  const texts = viewTexts[language];
  const isCut = (reason: LeftOutReason): boolean => head.leftOut.some((one) => one.reason === reason);
  const budget = shown.leftOut.find(({ reason }) => reason === 'budget');
  const lines = [
    ...(mode === 'selective' && isCut('selection')
      ? [head.message === undefined && !isCut('budget') ? texts.selectionNone : texts.selection]
      : []),
    ...(isCut('summary') ? [texts.summarized] : isCut('tools') ? [texts.tools] : []),
    ...(isCut('budget') ? [texts.mainBudget] : []),
    ...(shown.window !== undefined && shown.leftOut.some(({ reason }) => reason === 'window')
      ? [texts.window(shown.window.size)]
      : []),
    ...(budget === undefined ? [] : [texts.budget(budget.messages, maxTokens)]),
    ...(shown.shortTurns > 0 ? [texts.steps(shown.shortTurns)] : []),
  ];
  return lines.join(language === 'zh' ? '' : ' ');
}

/**
 * Returns what an agent sees in a mode: pure, from the histories alone. In this order, main is selected or summarized into a head
 * message, the window keeps the last messages, and the budget the newest turns. Each call reads only what was added to the arrays
 * since the last one; they may grow, and messages may not change in place.
 *
 * The beginning of the messages stays the same from call to call: when the budget is passed, the oldest turns are dropped until a
 * quarter of it is free.
 *
 * @throws {ContextError} `INVALID_MODE`; `INVALID_OPTION`; `TOO_LARGE` when the prompt alone is larger than the budget.
 */
export function createView(options: ViewOptions): ContextView {
  const {
    language = 'en',
    agent,
    main,
    own,
    window,
    sharePatterns = [],
    summarizeAfter = DEFAULT_SUMMARIZE_AFTER,
    summary,
    maxTokens = DEFAULT_MAX_TOKENS,
    countTokens = estimateTokens,
    promptTokens = 0,
  } = options;
  const mode = checkMode(options.mode);
  checkLanguage(language);
  checkCount('summarizeAfter', summarizeAfter, 1);
  checkCount('maxTokens', maxTokens, 1);
  if (window !== undefined) checkWindow(window);
  if (promptTokens > maxTokens) {
    const problem = `The prompt has about ${Math.ceil(promptTokens)} tokens, more than the budget of ${maxTokens}`;
    throw new ContextError(
      'TOO_LARGE',
      [problem, 'Shorten the prompt, name files instead of pasting them, or raise the budget.'],
      { option: 'maxTokens' },
    );
  }
  const { reads } = MODES[mode];
  const head =
    reads === 'both'
      ? headOf(main, {
          language,
          countTokens,
          summarizeAfter,
          summary,
          maxTokens: Math.min(Math.floor(maxTokens / 2), maxTokens - promptTokens),
          sharePatterns: mode === 'selective' ? sharePatterns : undefined,
        })
      : NO_HEAD;
  const history = reads === 'main' ? 'main' : 'own';
  const transcript = transcriptOf(history === 'main' ? main : own, {
    language,
    agent,
    isMain: history === 'main',
    countTokens,
  });
  const shown = showTurns(transcript, { limit: maxTokens - head.tokens, promptTokens, window, countTokens });
  return {
    messages: head.message === undefined ? shown.messages : [head.message, ...shown.messages],
    modeText: modeTextOf(mode, { language, hasHistory: own.length > 0 }),
    notice: noticeOf(shown, head, { language, mode, maxTokens }),
    details: {
      tokens: head.tokens + shown.tokens,
      headTokens: head.tokens,
      leftOut: [
        ...head.leftOut.map((one) => ({ ...one, history: 'main' as const })),
        ...shown.leftOut.map((one) => ({ ...one, history: history as LeftOut['history'] })),
      ],
      ...(shown.window !== undefined && { window: shown.window }),
      ...(head.folded > 0 && {
        summary: {
          messages: head.folded,
          by: summary?.messages === head.folded ? ('model' as const) : ('sentences' as const),
        },
      }),
    },
  };
}
