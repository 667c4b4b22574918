import type { OptionNames } from '@cairn/tool/errors';
import type { Language } from '@cairn/tool/kernel';
import { estimateTokens, type CountTokens } from '@cairn/tool/prompt';
import { checkArguments, checkWholeNumber, ContextError } from '../errors.ts';
import { unknownEffect, type DescribeCall } from '../messages/calls.ts';
import type { UnifiedMessage } from '../messages/message.ts';
import { turnsToSend } from '../messages/transcript.ts';
import { fitTurns, type ShownTurns } from './fit-turns.ts';
import { headOf, type Head, type LeftOut, type LeftOutReason, type ModelSummary } from './head.ts';
import { checkMode, MODES, type ContextMode } from './mode.ts';
import { announcementOf, modeTextOf, viewTexts, type ModeTextChoice } from './texts.ts';

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
  /**
   * The choice of an earlier view: the text of the mode stays the same from request to request. One that is not true any more, such
   * as after a clear, is not used. @default chosen by the histories
   */
  readonly modeText?: ModeTextChoice | undefined;
  /** Of the messages and `promptTokens`. @default 32_000 */
  readonly maxTokens?: number | undefined;
  /** @default estimateTokens of `@cairn/tool/prompt` */
  readonly countTokens?: CountTokens | undefined;
  /** The tokens of the prompt that follows the messages. @default 0 */
  readonly promptTokens?: number | undefined;
  /**
   * Describes a call: a turn that is larger than the budget has a list of the files that it changed and the commands that it
   * ran. @default the list has the calls alone
   */
  readonly describeCall?: DescribeCall | undefined;
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
  /** The choice that `modeText` is of, for the next views of the agent in this mode. */
  readonly modeChoice: ModeTextChoice;
  /** For the end of the newest message: main got its first message after the text of the mode was chosen. Else empty. */
  readonly announcement: string;
  /** One line for the system prompt about what is left out. Empty when nothing is. */
  readonly notice: string;
  readonly details: ViewDetails;
}

export const DEFAULT_MAX_TOKENS = 32_000;
export const DEFAULT_SUMMARIZE_AFTER = 20;

const NO_HEAD: Head = { message: undefined, tokens: 0, leftOut: [], folded: 0 };

/**
 * Returns the part of the budget that is kept for the head message, in eighths: a head that grows must not move the cut of the turns
 * each time.
 */
function roomOf({ tokens }: Head, maxTokens: number): number {
  const part = maxTokens / 8;
  return Math.min(maxTokens, Math.ceil(tokens / part) * part);
}

function noticeOf(
  { window, budget, steps }: ShownTurns,
  head: Head,
  { language, maxTokens, size }: { language: Language; maxTokens: number; size: number },
): string {
  const texts = viewTexts[language];
  const has = (reason: LeftOutReason): boolean => head.leftOut.some((one) => one.reason === reason);
  const isMissing = head.message === undefined && has('budget');
  const ofMain = isMissing
    ? [texts.mainNotShown]
    : [
        has('selection') && (head.message === undefined ? texts.selectionNone : texts.selection),
        has('summary') && texts.summarized,
        has('tools') && !has('summary') && texts.tools,
        has('budget') && texts.mainBudget,
      ];
  const lines = [
    ...ofMain,
    window.messages > 0 && texts.window(size),
    budget.messages > 0 && texts.budget(window.messages > 0 ? undefined : budget.messages, maxTokens),
    steps.turns > 0 && texts.steps(steps.turns),
  ].filter((line) => line !== false);
  return lines.join(language === 'zh' ? '' : ' ');
}

const viewOptions: OptionNames<ViewOptions> = {
  mode: 'required',
  language: 'optional',
  agent: 'optional',
  main: 'required',
  own: 'required',
  window: 'optional',
  sharePatterns: 'optional',
  summarizeAfter: 'optional',
  summary: 'optional',
  maxTokens: 'optional',
  countTokens: 'optional',
  promptTokens: 'optional',
  describeCall: 'optional',
  modeText: 'optional',
};

/** Returns the kept choice, unless it states a history that is gone. */
function choiceOf(kept: ModeTextChoice | undefined, now: ModeTextChoice): ModeTextChoice {
  const isTrue = kept !== undefined && (now.hasHistory || !kept.hasHistory) && (now.hasMain || !kept.hasMain);
  return isTrue ? kept : now;
}

/**
 * Returns the view of an agent in a mode: pure, from the histories alone. In this order, main is selected or summarized into a head
 * message, the window keeps the last messages, and the budget the newest turns. Each call renders and counts only what was added to the
 * arrays since the last one; they may grow, and messages may not change in place.
 *
 * The beginning of the messages stays the same from call to call: when the budget is passed, the oldest turns are dropped until a
 * quarter of it is free.
 *
 * @throws {ContextError} `INVALID_MODE`; `INVALID_OPTION`; `TOO_LARGE` when the prompt alone is larger than the budget.
 */
export function createView(options: ViewOptions): ContextView {
  checkArguments.options('createView', options, viewOptions);
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
    describeCall = unknownEffect,
  } = options;
  const mode = checkMode(options.mode);
  checkArguments.language(language);
  checkWholeNumber('summarizeAfter', summarizeAfter, 1);
  checkWholeNumber('maxTokens', maxTokens, 1);
  if (window !== undefined) {
    const hint = 'Use a whole number of messages from 1, or leave it out to keep all that fit into the budget.';
    checkWholeNumber('contextWindow', window, 1, hint);
  }
  const choice = choiceOf(options.modeText, { hasHistory: own.length > 0, hasMain: main.length > 0 });
  const announcement = main.length > 0 && !choice.hasMain ? announcementOf(mode, language) : '';
  const promptTokens = (options.promptTokens ?? 0) + (announcement === '' ? 0 : countTokens(announcement));
  if (promptTokens > maxTokens) {
    const problem = `The prompt has about ${Math.ceil(promptTokens)} tokens, more than the budget of ${maxTokens}`;
    const hint = 'Shorten the prompt, name files instead of pasting them, or raise the budget.';
    throw new ContextError('TOO_LARGE', [problem, hint], { option: 'maxTokens' });
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
  const isMain = reads === 'main';
  const history = isMain ? 'main' : 'own';
  const turns = turnsToSend(isMain ? main : own, { language, agent, isMain, countTokens });
  const limit = maxTokens - roomOf(head, maxTokens);
  const shown = fitTurns(turns, { limit, promptTokens, window, countTokens, language, describeCall });
  const reasons = [
    { reason: 'window', ...shown.window },
    { reason: 'budget', ...shown.budget },
    { reason: 'steps', messages: shown.steps.messages, tokens: shown.steps.tokens },
  ] as const;
  return {
    messages: head.message === undefined ? shown.messages : [head.message, ...shown.messages],
    modeText: modeTextOf(mode, { language, ...choice }),
    modeChoice: choice,
    announcement,
    notice: noticeOf(shown, head, { language, maxTokens, size: window ?? 0 }),
    details: {
      tokens: head.tokens + shown.tokens,
      headTokens: head.tokens,
      leftOut: [
        ...head.leftOut.map((one): LeftOut => ({ ...one, history: 'main' })),
        ...reasons.filter(({ messages }) => messages > 0).map((one): LeftOut => ({ ...one, history })),
      ],
      ...(window !== undefined && { window: { size: window, shown: shown.shown } }),
      ...(head.folded > 0 && {
        summary: { messages: head.folded, by: summary?.messages === head.folded ? 'model' : 'sentences' },
      }),
    },
  };
}
