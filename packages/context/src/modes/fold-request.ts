/** How a request of a long run stays within the window of its model. */
import type { Language } from '@cairn/tool/kernel';
import type { CountTokens } from '@cairn/tool/prompt';
import { headAndTail, listSteps, resultLine, type DescribeCall } from '../messages/calls.ts';
import { isImageMessage } from '../messages/images.ts';
import { resultTextOf } from '../messages/message.ts';
import type { ToolCallPart, ToolMessage, ToolResultPart, UnifiedMessage } from '../messages/message.ts';
import { callsOf } from '../messages/pairs.ts';
import { tokensOf } from '../messages/tokens.ts';
import { summarize } from './summarize.ts';

/** The window of a model that nothing is known about, in tokens. */
export const DEFAULT_WINDOW_TOKENS = 128_000;

/** The shares of the window. A request above the first is folded, if a batch is large enough; one above the second in any case. */
const SOFT_SHARE = 3 / 4;
const HARD_SHARE = 9 / 10;
/** The least that a batch takes out: a provider reads again what follows it. */
const BATCH_SHARE = 1 / 4;
/** What a batch leaves, if it can. */
const KEPT_SHARE = 3 / 8;

/** The newest steps, which are shown whole. */
const WHOLE_STEPS = 4;
/** A result is not cut to fewer characters. */
const MIN_CUT = 200;

export interface FoldOptions {
  readonly language: Language;
  readonly countTokens: CountTokens;
  readonly describeCall: DescribeCall;
  /** The window of the model, in tokens. */
  readonly windowTokens: number;
  /** The tokens of what is sent with the messages: the system prompt and the tools. */
  readonly fixedTokens: number;
}

/** What a batch took out of a request. */
export interface FoldedBatch {
  /** The results that are now a line each. */
  readonly results: number;
  /** The steps that are now part of the list. */
  readonly steps: number;
  /** The results of the newest steps that are now their head and tail. */
  readonly cut: number;
  /** The window, in tokens. */
  readonly windowTokens: number;
}

export interface FoldedRequest {
  readonly messages: readonly UnifiedMessage[];
  /** With the system prompt and the tools. */
  readonly tokens: number;
  /** Absent when nothing was folded since the last request. */
  readonly batch?: FoldedBatch;
}

/** The folded parts: the results before an index, the steps before another, and results of newer steps. */
interface State {
  readonly results: number;
  readonly steps: number;
  readonly cuts: ReadonlyMap<UnifiedMessage, UnifiedMessage>;
}

/**
 * Folds the growing messages of one run so that they fit into the window of the model. A folded part keeps its form:
 * requests share their beginning until the next batch. The words of the user stay; each call keeps a result.
 */
export class RequestFold {
  readonly #options: FoldOptions;
  #window: number;
  #tokens = 0;
  #state: State = { results: 0, steps: 0, cuts: new Map() };
  readonly #lines = new WeakMap<UnifiedMessage, UnifiedMessage>();
  #list: { readonly steps: number; readonly message: UnifiedMessage } | undefined;

  constructor(options: FoldOptions) {
    this.#options = options;
    this.#window = options.windowTokens;
  }

  /** The window, in tokens as `countTokens` counts them. */
  get windowTokens(): number {
    return this.#window;
  }

  set windowTokens(tokens: number) {
    this.#window = tokens;
  }

  /** The tokens of the last request, with the system prompt and the tools. */
  get tokens(): number {
    return this.#tokens;
  }

  /**
   * Returns the messages of the next request.
   *
   * @param messages all messages of the request: those of the last one, and more
   */
  next(messages: readonly UnifiedMessage[]): FoldedRequest {
    const before = this.#state;
    const shown = this.#render(messages, before);
    const tokens = this.#size(shown);
    this.#tokens = tokens;
    if (tokens <= this.#window * SOFT_SHARE) return { messages: shown, tokens };
    const after = this.#foldOnce(messages, tokens);
    const folded = this.#render(messages, after);
    const foldedTokens = this.#size(folded);
    // A line may be longer than what it stands for.
    if (after === before || foldedTokens >= tokens) return { messages: shown, tokens };
    this.#state = after;
    this.#tokens = foldedTokens;
    const steps = count(messages, before.steps, after.steps, (message) => (callsOf(message).length > 0 ? 1 : 0));
    const from = Math.max(before.results, after.steps);
    const results = count(messages, from, after.results, (message) => this.#changedResults(message));
    const cut = [...after.cuts.keys()].filter((message) => !before.cuts.has(message)).length;
    return { messages: folded, tokens: foldedTokens, batch: { results, steps, cut, windowTokens: this.#window } };
  }

  /** Returns the parts to fold of a request with this number of tokens. */
  #foldOnce(messages: readonly UnifiedMessage[], tokens: number): State {
    const before = this.#state;
    const least = BATCH_SHARE * this.#window;
    const soft = SOFT_SHARE * this.#window;
    const hard = HARD_SHARE * this.#window;
    const isForced = tokens > hard;
    const isEnough = (left: number): boolean => left <= soft && (isForced || tokens - left >= least);
    const sizeOf = (state: State): number => this.#size(this.#render(messages, state));
    const end = wholeFrom(messages);
    const lined = this.#foldResults(messages, tokens, end);
    const linedTokens = sizeOf(lined);
    if (isEnough(linedTokens)) return lined;
    const listed = { ...lined, results: Math.max(lined.results, end), steps: Math.max(before.steps, end) };
    const listedTokens = sizeOf(listed);
    if (isEnough(listedTokens)) return listed;
    if (!isForced) return before;
    const best = listedTokens < linedTokens ? listed : lined;
    return Math.min(listedTokens, linedTokens) <= hard ? best : this.#cutNewest(messages, best, end);
  }

  /** Folds the oldest results before an index, until the request is small enough. */
  #foldResults(messages: readonly UnifiedMessage[], tokens: number, end: number): State {
    const { results: from } = this.#state;
    let left = tokens;
    let index = from;
    while (index < end && left > this.#window * KEPT_SHARE) {
      const message = messages[index] as UnifiedMessage;
      if (message.role === 'tool') left -= this.#tokensOf(message) - this.#tokensOf(this.#lined(messages, index));
      else if (isImageMessage(message)) left -= this.#tokensOf(message);
      index += 1;
    }
    while (index > from && index < messages.length && isImageMessage(messages[index] as UnifiedMessage)) index += 1;
    return { ...this.#state, results: index };
  }

  /** Cuts the results of the newest steps to their heads and tails: all to the same size, the smaller ones not at all. */
  #cutNewest(messages: readonly UnifiedMessage[], state: State, end: number): State {
    const newest = messages.slice(end).filter((message): message is ToolMessage => message.role === 'tool');
    const parts = newest.flatMap(({ content }) => content).filter((part) => part.type === 'tool-result');
    const sizes = parts.map(({ output }) => this.#options.countTokens(resultTextOf(output)));
    const others = this.#size(this.#render(messages, { ...state, cuts: new Map() })) - sum(sizes);
    let room = Math.max(0, this.#window * SOFT_SHARE - others);
    let most = 0;
    for (const [index, size] of sizes.toSorted((one, other) => one - other).entries()) {
      most = room / (sizes.length - index);
      if (size > most) break;
      room -= size;
      most = Number.POSITIVE_INFINITY;
    }
    const cuts = new Map(state.cuts);
    for (const message of newest) {
      const content = message.content.map((part) => (part.type === 'tool-result' ? this.#cut(part, most) : part));
      if (content.some((part, index) => part !== message.content[index])) cuts.set(message, { ...message, content });
    }
    return { ...state, cuts };
  }

  #cut(part: ToolResultPart, maxTokens: number): ToolResultPart {
    const text = resultTextOf(part.output);
    const tokens = this.#options.countTokens(text);
    if (tokens <= maxTokens) return part;
    const characters = Math.max(MIN_CUT, Math.floor((text.length * maxTokens) / tokens));
    const value = headAndTail(text, characters, this.#options.language);
    return value === text ? part : withText(part, value);
  }

  #render(messages: readonly UnifiedMessage[], { results, steps, cuts }: State): UnifiedMessage[] {
    return messages.flatMap((message, index) => {
      const list = index === steps && steps > 0 ? [this.#listOf(messages, steps)] : [];
      if (message.role === 'user' && !isImageMessage(message)) return [...list, message];
      if (index < steps) return [];
      if (index >= results) return [...list, cuts.get(message) ?? message];
      if (message.role === 'user') return list;
      return [...list, message.role === 'tool' ? this.#lined(messages, index) : message];
    });
  }

  /** Returns the list of the steps before an index, as a message. */
  #listOf(messages: readonly UnifiedMessage[], steps: number): UnifiedMessage {
    if (this.#list?.steps !== steps) {
      const { language, describeCall } = this.#options;
      const older = messages.slice(0, steps).filter(({ role }) => role !== 'user');
      const content = listSteps(older, { language, describeCall, summary: summarize(older, { language }) });
      this.#list = { steps, message: { role: 'user', content } };
    }
    return this.#list.message;
  }

  /** Returns a message of results with a line for each that is longer than its line. */
  #lined(messages: readonly UnifiedMessage[], index: number): UnifiedMessage {
    const message = messages[index] as ToolMessage;
    const known = this.#lines.get(message);
    if (known !== undefined) return known;
    const { countTokens } = this.#options;
    const content = message.content.map((part) => {
      const call = part.type === 'tool-result' ? callBefore(messages, index, part.toolCallId) : undefined;
      if (part.type !== 'tool-result' || call === undefined) return part;
      const line = resultLine(call, part, this.#options);
      return countTokens(line) < countTokens(resultTextOf(part.output)) ? withText(part, line) : part;
    });
    const isSame = content.every((part, at) => part === message.content[at]);
    const lined = isSame ? message : { ...message, content };
    this.#lines.set(message, lined);
    return lined;
  }

  #changedResults(message: UnifiedMessage): number {
    const lined = this.#lines.get(message);
    if (message.role !== 'tool' || lined?.role !== 'tool') return 0;
    return lined.content.filter((part, index) => part !== message.content[index]).length;
  }

  #size(messages: readonly UnifiedMessage[]): number {
    return this.#options.fixedTokens + sum(messages.map((message) => this.#tokensOf(message)));
  }

  #tokensOf(message: UnifiedMessage): number {
    return tokensOf(message, this.#options.countTokens);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function count(
  messages: readonly UnifiedMessage[],
  from: number,
  to: number,
  of: (message: UnifiedMessage) => number,
): number {
  return sum(messages.slice(from, to).map(of));
}

function callBefore(messages: readonly UnifiedMessage[], index: number, id: string): ToolCallPart | undefined {
  for (let at = index - 1; at >= 0; at--) {
    const call = callsOf(messages[at] as UnifiedMessage).find(({ toolCallId }) => toolCallId === id);
    if (call !== undefined) return call;
  }
  return undefined;
}

/** An error stays one. */
function withText(part: ToolResultPart, value: string): ToolResultPart {
  return { ...part, output: { type: part.output.type.startsWith('error') ? 'error-text' : 'text', value } };
}

/** Returns the index of the first message of the newest steps; of the last message when there are none. */
function wholeFrom(messages: readonly UnifiedMessage[]): number {
  const starts = messages.flatMap((message, index) => (callsOf(message).length > 0 ? [index] : []));
  return starts.at(-WHOLE_STEPS) ?? starts[0] ?? Math.max(0, messages.length - 1);
}
