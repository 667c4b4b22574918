import type { Language } from '@cairn/tool/kernel';
import { createDataMarks, type CountTokens } from '@cairn/tool/prompt';
import { labelOf, partsOf, textOf, type UnifiedMessage, type UserMessage } from '../messages/message.ts';
import { messageTexts } from '../messages/texts.ts';
import { tokensOf } from '../messages/tokens.ts';
import { MadeOfHistories } from '../messages/transcript.ts';
import { firstKept, foldedCount, type Sized } from './budget.ts';
import { createMatcher, selectSentences, type MatchSentence } from './select-sentences.ts';
import { StatementPool } from './statements.ts';
import { SUMMARY_CHARACTERS, summarizePool } from './summarize.ts';
import { lineOf, speakerOf, viewTexts, withoutAnnouncement } from './texts.ts';

/** A message of main, and its line in the head message. */
interface Part extends Sized {
  /** Empty for a message without text to show. */
  readonly line: string;
  readonly messageTokens: number;
  /** Whether it has something that is not in its line, such as a tool call. */
  readonly isPartial: boolean;
}

/**
 * Why something is not in a view.
 *
 * - `window`: it is older than the window.
 * - `budget`: it does not fit into the budget.
 * - `steps`: the turn alone does not fit into the budget; its prompt, its answer and its newest steps are shown, the others as a list.
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

/** The part of main that is shown before the agent's own history. */
export interface Head {
  /** Undefined when nothing of main is shown. */
  readonly message: UserMessage | undefined;
  readonly tokens: number;
  readonly leftOut: readonly Omit<LeftOut, 'history'>[];
  /** The number of messages that are summarized. */
  readonly folded: number;
}

/** A summary that a model wrote of the first `messages` messages of main. */
export interface ModelSummary {
  readonly text: string;
  readonly messages: number;
}

export interface HeadOptions {
  readonly language: Language;
  readonly countTokens: CountTokens;
  /** The tokens that the head message may take. */
  readonly maxTokens: number;
  /** Undefined: the mode is `summarized`. */
  readonly sharePatterns?: readonly string[] | undefined;
  readonly summarizeAfter: number;
  readonly summary?: ModelSummary | undefined;
}

const marks = createDataMarks('main-conversation');

/** The tokens of the message itself, and those that a tokenizer counts more for a whole than for its parts. */
const MESSAGE_MARGIN = 10;

function tokensIn(lines: readonly Part[]): number {
  return lines.reduce((sum, { tokens }) => sum + tokens, 0);
}

function tokensOfMessages(parts: readonly Part[]): number {
  return parts.reduce((sum, { messageTokens }) => sum + messageTokens, 0);
}

class HeadBuilder {
  readonly #options: HeadOptions;
  readonly #matches: MatchSentence | undefined;
  #parts: Part[] = [];
  #last: UnifiedMessage | undefined;
  #summary: ModelSummary | undefined;
  /** The sentences of the folded messages. */
  #pool: { readonly pool: StatementPool; read: number } | undefined;
  #built: { readonly key: string; readonly head: Head } | undefined;

  constructor(options: HeadOptions) {
    this.#options = options;
    this.#matches = options.sharePatterns === undefined ? undefined : createMatcher(options.sharePatterns);
  }

  build(main: readonly UnifiedMessage[], { maxTokens, summary }: HeadOptions): Head {
    this.#read(main);
    const { language, countTokens, summarizeAfter } = this.#options;
    const isSummarized = this.#matches === undefined;
    const older = isSummarized ? foldedCount(main.length, summarizeAfter) : 0;
    const summaryText = older === 0 ? '' : this.#summaryOf(main, older, summary);
    // Messages without a statement, such as blocks of code alone, have no summary: they are shown as the others.
    const folded = summaryText === '' ? 0 : older;
    const key = JSON.stringify([main.length, maxTokens, summaryText]);
    if (this.#built?.key === key) return this.#built.head;
    const texts = viewTexts[language];
    const intro = isSummarized ? (folded === 0 ? texts.conversation : texts.summary) : texts.sentences;
    const around = [texts.summaryBegins, summaryText, texts.messagesBegin, texts.cut, texts.large].join('\n');
    const limit = maxTokens - countTokens(`${intro}\n${marks.wrap({}, around)}`) - MESSAGE_MARGIN;
    const lines = this.#parts.slice(folded).filter(({ line }) => line !== '');
    const start = limit <= 0 ? lines.length : firstKept(lines, limit);
    const newest = lines.slice(start);
    const shown = newest.filter(({ tokens }) => tokens <= limit);
    const large = newest.filter(({ tokens }) => tokens > limit);
    const written = [
      ...(summaryText === '' ? [] : [texts.summaryBegins, summaryText]),
      ...(summaryText === '' || newest.length === 0 ? [] : [texts.messagesBegin]),
      ...(start > 0 && shown.length > 0 ? [texts.cut] : []),
      ...(large.length > 0 ? [texts.large] : []),
      ...shown.map(({ line }) => line),
    ];
    const isShown = limit > 0 && (summaryText !== '' || shown.length > 0);
    const message: UserMessage | undefined = isShown
      ? { role: 'user', content: `${intro}\n${marks.wrap({}, written.join('\n'))}` }
      : undefined;
    // When nothing fits, not even the summary, the messages of the summary are missing too.
    const shownFolded = isShown ? folded : 0;
    const missing = this.#parts.slice(shownFolded, folded);
    const leftOut = this.#leftOut(shownFolded, {
      messages: missing.length + start + large.length,
      tokens: tokensOfMessages(missing) + tokensIn(lines.slice(0, start)) + tokensIn(large),
    });
    const tokens = message === undefined ? 0 : tokensOf(message, countTokens);
    const head = { message, tokens, folded: shownFolded, leftOut };
    this.#built = { key, head };
    return head;
  }

  #read(main: readonly UnifiedMessage[]): void {
    const count = this.#parts.length;
    if (main.length < count || main[count - 1] !== this.#last) {
      this.#parts = [];
      this.#summary = undefined;
      this.#pool = undefined;
      this.#built = undefined;
    }
    for (const message of main.slice(this.#parts.length)) this.#parts.push(this.#partOf(message));
    this.#last = main.at(-1);
  }

  #partOf(message: UnifiedMessage): Part {
    const { language, countTokens } = this.#options;
    const whole = withoutAnnouncement(textOf(message)).trim();
    const { sentences, isWhole } =
      this.#matches === undefined
        ? { sentences: whole === '' ? [] : [whole], isWhole: true }
        : selectSentences(whole, this.#matches);
    const speaker = speakerOf(message, language);
    const { ended } = labelOf(message);
    const texts =
      ended === undefined || this.#matches !== undefined
        ? sentences
        : [...sentences, messageTexts[language].ended(ended)];
    // As they are written: the marks would make them longer.
    const line = marks.neutralize(texts.map((one) => lineOf(speaker, one)).join('\n'));
    const isText = partsOf(message).every(({ type }) => type === 'text');
    return {
      line,
      tokens: line === '' ? 0 : countTokens(line) + 1,
      messageTokens: tokensOf(message, countTokens),
      isPartial: !isWhole || !isText,
    };
  }

  #summaryOf(main: readonly UnifiedMessage[], folded: number, given: ModelSummary | undefined): string {
    if (given?.messages === folded) return given.text;
    if (this.#summary?.messages !== folded) {
      this.#pool ??= { pool: new StatementPool(this.#options.language), read: 0 };
      // Of the messages themselves, not of the summary before: it does not drift.
      this.#pool.pool.add(main.slice(this.#pool.read, folded));
      this.#pool.read = folded;
      this.#summary = { text: summarizePool(this.#pool.pool, SUMMARY_CHARACTERS), messages: folded };
    }
    return this.#summary.text;
  }

  #leftOut(folded: number, budget: { readonly messages: number; readonly tokens: number }): Omit<LeftOut, 'history'>[] {
    const partial = this.#parts.slice(folded).filter(({ isPartial }) => isPartial);
    const reasons: Omit<LeftOut, 'history'>[] = [
      { reason: 'summary', messages: folded, tokens: tokensOfMessages(this.#parts.slice(0, folded)) },
      {
        reason: this.#matches === undefined ? 'tools' : 'selection',
        messages: partial.length,
        tokens: partial.reduce((sum, { tokens, messageTokens }) => sum + Math.max(0, messageTokens - tokens), 0),
      },
      { reason: 'budget', ...budget },
    ];
    return reasons.filter(({ messages }) => messages > 0);
  }
}

const builders = new MadeOfHistories<HeadBuilder>();

/** Returns the shown part of main. It reads only the messages that were added to the array since the last call. */
export function headOf(main: readonly UnifiedMessage[], options: HeadOptions): Head {
  const { language, sharePatterns, summarizeAfter, countTokens } = options;
  const key = JSON.stringify([language, sharePatterns, summarizeAfter]);
  return builders.get(main, { key, countTokens, make: () => new HeadBuilder(options) }).build(main, options);
}
