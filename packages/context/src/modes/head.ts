import type { Language } from '@cairn/tool/kernel';
import { createDataMarks } from '@cairn/tool/prompt';
import type { CountTokens } from '@cairn/tool/prompt';
import { labelOf } from '../messages/message.ts';
import type { UnifiedMessage, UserMessage } from '../messages/message.ts';
import { textOf } from '../messages/text.ts';
import { messageTexts } from '../messages/texts.ts';
import { tokensOf } from '../messages/tokens.ts';
import { createCut, readItems } from './budget.ts';
import type { Cut } from './budget.ts';
import { foldedCount } from './fold.ts';
import { createMatcher, selectSentences } from './select.ts';
import type { MatchSentence } from './select.ts';
import { lineOf, speakerOf } from './speaker.ts';
import { StatementPool } from './statements.ts';
import { SUMMARY_CHARACTERS, summarizePool } from './summarize.ts';
import { viewTexts, withoutAnnouncement } from './texts.ts';

/** The text of a message of main in the head message. A message without one has no line. */
interface Line {
  readonly text: string;
  readonly tokens: number;
  /** Of the lines before it. */
  readonly tokensBefore: number;
  /** The index of the message. */
  readonly message: number;
}

/** Counts of the messages before one. */
interface Sums {
  /** The messages with something that has no line, such as a tool call. */
  readonly partial: number;
  readonly partialTokens: number;
  readonly tokens: number;
}

interface LeftOutOfMain {
  readonly reason: 'budget' | 'selection' | 'summary' | 'tools';
  readonly messages: number;
  readonly tokens: number;
}

/** The part of main that is shown before the agent's own history. */
export interface Head {
  /** Undefined when nothing of main is shown. */
  readonly message: UserMessage | undefined;
  readonly tokens: number;
  readonly leftOut: readonly LeftOutOfMain[];
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

const NO_SUMS: Sums = { partial: 0, partialTokens: 0, tokens: 0 };

/** Builds the head message as main grows. */
class HeadBuilder {
  readonly #lines: Line[] = [];
  /** By the index of the message; one more than there are messages. */
  readonly #sums: Sums[] = [NO_SUMS];
  readonly #matches: MatchSentence | undefined;
  readonly #options: HeadOptions;
  #last: UnifiedMessage | undefined;
  #cut: { readonly cut: Cut; readonly limit: number; readonly from: number } | undefined;
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
    const from = this.#lineOf(folded);
    const start = limit <= 0 ? this.#lines.length : this.#startOf(from, limit);
    const newest = this.#lines.slice(start);
    const shown = newest.filter(({ tokens }) => tokens <= limit);
    const large = newest.filter(({ tokens }) => tokens > limit);
    const parts = [
      ...(summaryText === '' ? [] : [texts.summaryBegins, summaryText]),
      ...(summaryText === '' || newest.length === 0 ? [] : [texts.messagesBegin]),
      ...(start > from && shown.length > 0 ? [texts.cut] : []),
      ...(large.length > 0 ? [texts.large] : []),
      ...shown.map(({ text }) => text),
    ];
    const isShown = limit > 0 && (summaryText !== '' || shown.length > 0);
    const message: UserMessage | undefined = isShown
      ? { role: 'user', content: `${intro}\n${marks.wrap({}, parts.join('\n'))}` }
      : undefined;
    // Nothing fits, not even the summary.
    const isMissing = !isShown && (summaryText !== '' || from < this.#lines.length);
    const shownFolded = isMissing ? 0 : folded;
    const leftOut = this.#leftOut(shownFolded, {
      messages: folded - shownFolded + start - from + large.length,
      tokens:
        (isMissing ? (this.#sums[folded]?.tokens ?? 0) : 0) +
        this.#tokensBefore(start) -
        this.#tokensBefore(from) +
        large.reduce((sum, { tokens }) => sum + tokens, 0),
    });
    const tokens = message === undefined ? 0 : tokensOf(message, countTokens);
    const head = { message, tokens, folded: shownFolded, leftOut };
    this.#built = { key, head };
    return head;
  }

  #read(main: readonly UnifiedMessage[]): void {
    if (main.length < this.#sums.length - 1 || main[this.#sums.length - 2] !== this.#last) {
      this.#lines.length = 0;
      this.#sums.length = 1;
      this.#cut = undefined;
      this.#summary = undefined;
      this.#pool = undefined;
      this.#built = undefined;
    }
    for (const message of main.slice(this.#sums.length - 1)) this.#add(message);
    this.#last = main.at(-1);
  }

  #add(message: UnifiedMessage): void {
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
    const text = marks.neutralize(texts.map((one) => lineOf(speaker, one)).join('\n'));
    const lineTokens = text === '' ? 0 : countTokens(text) + 1;
    if (text !== '') {
      const tokensBefore = this.#tokensBefore(this.#lines.length);
      this.#lines.push({ text, tokens: lineTokens, tokensBefore, message: this.#sums.length - 1 });
    }
    const isText = typeof message.content === 'string' || message.content.every(({ type }) => type === 'text');
    const before = this.#sums.at(-1) ?? NO_SUMS;
    const tokens = tokensOf(message, countTokens);
    const isPartial = !isWhole || !isText;
    this.#sums.push({
      partial: before.partial + (isPartial ? 1 : 0),
      partialTokens: before.partialTokens + (isPartial ? Math.max(0, tokens - lineTokens) : 0),
      tokens: before.tokens + tokens,
    });
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

  /** Returns the first line of a message from `message` on. */
  #lineOf(message: number): number {
    if (message === 0) return 0;
    let line = this.#lines.length;
    while (line > 0 && (this.#lines[line - 1]?.message ?? 0) >= message) line--;
    return line;
  }

  #startOf(from: number, limit: number): number {
    if (this.#cut?.limit !== limit || this.#cut.from !== from) this.#cut = { cut: createCut(from), limit, from };
    readItems(this.#cut.cut, this.#lines, limit, this.#lines.length);
    return this.#cut.cut.start;
  }

  /** Returns the tokens of the lines before one. */
  #tokensBefore(line: number): number {
    const last = this.#lines.at(-1);
    return this.#lines[line]?.tokensBefore ?? (last === undefined ? 0 : last.tokensBefore + last.tokens);
  }

  #leftOut(folded: number, budget: { readonly messages: number; readonly tokens: number }): LeftOutOfMain[] {
    const before = this.#sums[folded] ?? NO_SUMS;
    const all = this.#sums.at(-1) ?? NO_SUMS;
    const reasons: LeftOutOfMain[] = [
      { reason: 'summary', messages: folded, tokens: before.tokens },
      {
        reason: this.#matches === undefined ? 'tools' : 'selection',
        messages: all.partial - before.partial,
        tokens: all.partialTokens - before.partialTokens,
      },
      { reason: 'budget', ...budget },
    ];
    return reasons.filter(({ messages }) => messages > 0);
  }
}

const builders = new WeakMap<
  readonly UnifiedMessage[],
  Map<string, { readonly countTokens: CountTokens; readonly builder: HeadBuilder }>
>();

/** Returns the shown part of main. It is kept as long as the array is, and reads only the messages that were added. */
export function headOf(main: readonly UnifiedMessage[], options: HeadOptions): Head {
  let known = builders.get(main);
  if (known === undefined) {
    known = new Map();
    builders.set(main, known);
  }
  const { language, sharePatterns, summarizeAfter, countTokens } = options;
  const key = JSON.stringify([language, sharePatterns, summarizeAfter]);
  let found = known.get(key);
  if (found?.countTokens !== countTokens) {
    found = { countTokens, builder: new HeadBuilder(options) };
    known.set(key, found);
  }
  return found.builder.build(main, options);
}
