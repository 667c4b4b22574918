import { createDataMarks } from '@cairn/tool/prompt';
import type { CountTokens } from '@cairn/tool/prompt';
import type { Language } from '../messages/language.ts';
import type { UnifiedMessage, UserMessage } from '../messages/message.ts';
import { textOf } from '../messages/text.ts';
import { tokensOf } from '../messages/tokens.ts';
import { createCut, cutFor, readItems } from './budget.ts';
import type { Cut } from './budget.ts';
import { foldedCount } from './fold.ts';
import { createMatcher, selectSentences } from './select.ts';
import type { MatchSentence } from './select.ts';
import { lineOf, speakerOf } from './speaker.ts';
import { summarize, SUMMARY_CHARACTERS } from './summarize.ts';
import { viewTexts } from './texts.ts';

/** What a message of main contributes to the head message. */
interface Entry {
  readonly text: string;
  readonly tokens: number;
  /** Whether all of the message is in the text. */
  readonly isWhole: boolean;
  /** The tokens of the message itself. */
  readonly originalTokens: number;
}

export interface LeftOutOfMain {
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

/** Builds the head message as main grows. */
class HeadBuilder {
  readonly #entries: Entry[] = [];
  readonly #matches: MatchSentence | undefined;
  readonly #options: HeadOptions;
  #last: UnifiedMessage | undefined;
  #cut: { readonly cut: Cut; readonly limit: number; readonly from: number } | undefined;
  #summary: ModelSummary | undefined;
  #built: { readonly key: string; readonly head: Head } | undefined;

  constructor(options: HeadOptions) {
    this.#options = options;
    this.#matches = options.sharePatterns === undefined ? undefined : createMatcher(options.sharePatterns);
  }

  build(main: readonly UnifiedMessage[], { maxTokens, summary }: HeadOptions): Head {
    this.#read(main);
    const { language, countTokens, summarizeAfter } = this.#options;
    const isSummarized = this.#matches === undefined;
    const folded = isSummarized ? foldedCount(main.length, summarizeAfter) : 0;
    const summaryText = folded === 0 ? '' : this.#summaryOf(main, folded, summary);
    const key = JSON.stringify([main.length, maxTokens, summaryText]);
    if (this.#built?.key === key) return this.#built.head;
    const texts = viewTexts[language];
    const intro = isSummarized ? (folded === 0 ? texts.conversation : texts.summary) : texts.sentences;
    const fixed =
      countTokens(
        `${intro}\n${marks.wrap({}, `${texts.summaryBegins}\n${summaryText}\n${texts.messagesBegin}\n${texts.cut}`)}`,
      ) + 10;
    const limit = maxTokens - fixed;
    const start = this.#startOf(folded, limit);
    const shown = this.#entries.slice(start).filter(({ text, tokens }) => text !== '' && tokens <= limit);
    const lines = [
      ...(summaryText === '' ? [] : [texts.summaryBegins, summaryText]),
      ...(summaryText === '' || shown.length === 0 ? [] : [texts.messagesBegin]),
      ...(this.#entries.slice(folded, start).some(({ text }) => text !== '') ? [texts.cut] : []),
      ...shown.map(({ text }) => text),
    ];
    const isEmpty = limit <= 0 || (summaryText === '' && shown.length === 0);
    const message: UserMessage | undefined = isEmpty
      ? undefined
      : { role: 'user', content: `${intro}\n${marks.wrap({}, lines.join('\n'))}` };
    const tokens = message === undefined ? 0 : tokensOf(message, countTokens);
    const head = {
      message,
      tokens,
      folded,
      leftOut: this.#leftOut(folded, isEmpty ? this.#entries.length : start, limit),
    };
    this.#built = { key, head };
    return head;
  }

  #read(main: readonly UnifiedMessage[]): void {
    const { language, countTokens } = this.#options;
    if (main.length < this.#entries.length || main[this.#entries.length - 1] !== this.#last) {
      this.#entries.length = 0;
      this.#cut = undefined;
      this.#summary = undefined;
      this.#built = undefined;
    }
    for (const message of main.slice(this.#entries.length)) {
      const speaker = speakerOf(message, language);
      const whole = message.role === 'tool' ? '' : textOf(message).trim();
      const { sentences, isWhole } =
        this.#matches === undefined
          ? { sentences: whole === '' ? [] : [whole], isWhole: true }
          : selectSentences(whole, this.#matches);
      // As they are written: the marks would make them longer.
      const text = marks.neutralize(sentences.map((sentence) => lineOf(speaker, sentence)).join('\n'));
      const isText = typeof message.content === 'string' || message.content.every(({ type }) => type === 'text');
      this.#entries.push({
        text,
        tokens: text === '' ? 0 : countTokens(text) + 1,
        isWhole: isWhole && isText,
        originalTokens: tokensOf(message, countTokens),
      });
    }
    this.#last = main.at(-1);
  }

  #summaryOf(main: readonly UnifiedMessage[], folded: number, given: ModelSummary | undefined): string {
    if (given?.messages === folded) return given.text;
    if (this.#summary?.messages !== folded) {
      const { language } = this.#options;
      const text = summarize(main.slice(0, folded), { maxCharacters: SUMMARY_CHARACTERS, language });
      this.#summary = { text, messages: folded };
    }
    return this.#summary.text;
  }

  #startOf(from: number, limit: number): number {
    if (this.#cut?.limit !== limit || this.#cut.from !== from) this.#cut = { cut: createCut(from), limit, from };
    readItems(this.#cut.cut, this.#entries, limit, this.#entries.length);
    return cutFor(this.#cut.cut, this.#entries, limit, 0).start;
  }

  #leftOut(folded: number, start: number, limit: number): LeftOutOfMain[] {
    const counts = new Map<LeftOutOfMain['reason'], { messages: number; tokens: number }>();
    for (const [index, entry] of this.#entries.entries()) {
      const reason = this.#reasonOf(
        entry,
        index < folded ? 'summary' : index < start || entry.tokens > limit ? 'budget' : undefined,
      );
      if (reason === undefined) continue;
      const count = counts.get(reason) ?? { messages: 0, tokens: 0 };
      count.messages++;
      count.tokens += Math.max(
        0,
        entry.originalTokens - (reason === 'budget' || reason === 'summary' ? 0 : entry.tokens),
      );
      counts.set(reason, count);
    }
    return [...counts].map(([reason, count]) => ({ reason, ...count }));
  }

  #reasonOf({ text, isWhole }: Entry, place: 'summary' | 'budget' | undefined): LeftOutOfMain['reason'] | undefined {
    if (place === 'summary') return 'summary';
    if (place === 'budget' && text !== '') return 'budget';
    if (isWhole && text !== '') return undefined;
    return this.#matches === undefined ? (isWhole ? undefined : 'tools') : 'selection';
  }
}

const builders = new WeakMap<
  readonly UnifiedMessage[],
  Map<string, { readonly countTokens: CountTokens; readonly builder: HeadBuilder }>
>();

/** Returns what is shown of main. It is kept as long as the array is, and reads only the messages that were added. */
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
