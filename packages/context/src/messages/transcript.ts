import type { CountTokens } from '@cairn/tool/prompt';
import type { Language } from './language.ts';
import type { UnifiedMessage } from './message.ts';
import { CallPairs } from './pairs.ts';
import { renderTurn } from './render.ts';
import type { TurnRange } from './render.ts';
import { tokensOf } from './tokens.ts';
import { beginsTurn } from './turns.ts';

/** A turn of a history and the messages that are sent for it. */
export interface RenderedTurn extends TurnRange {
  readonly messages: readonly UnifiedMessage[];
  readonly tokens: number;
  /** The tokens of the messages of the user that begin it. */
  readonly promptTokens: number;
  /** The tokens of the turns before it. */
  readonly tokensBefore: number;
}

export interface TranscriptOptions {
  readonly language: Language;
  /** The agent whose view it is; absent for main itself. */
  readonly agent: string | undefined;
  /** Whether the history is main's: only there turns can be other agents'. */
  readonly isMain: boolean;
  readonly countTokens: CountTokens;
}

/**
 * A history as turns that can be sent. It reads only the messages that were added since the last time: the history may grow,
 * and be replaced by another array, but messages may not change in place.
 */
export class Transcript {
  readonly turns: RenderedTurn[] = [];
  /** Increases when a turn before the last one changed. */
  version = 0;
  readonly #options: TranscriptOptions;
  #ranges: TurnRange[] = [];
  #pairs = new CallPairs();
  #count = 0;
  #last: UnifiedMessage | undefined;

  constructor(options: TranscriptOptions) {
    this.#options = options;
  }

  read(history: readonly UnifiedMessage[]): this {
    if (history.length < this.#count || history[this.#count - 1] !== this.#last) this.#reset();
    if (history.length === this.#count) return this;
    const known = this.turns.length;
    let oldest = this.#count;
    for (let index = this.#count; index < history.length; index++) {
      const message = history[index];
      if (message === undefined) continue;
      oldest = Math.min(oldest, this.#pairs.add(message, index));
      const range = this.#ranges.at(-1);
      if (range === undefined || beginsTurn(message, history[index - 1]))
        this.#ranges.push({ from: index, to: index + 1 });
      else this.#ranges[this.#ranges.length - 1] = { from: range.from, to: index + 1 };
    }
    this.#count = history.length;
    this.#last = history.at(-1);
    const changed = Math.min(
      known,
      this.#ranges.findLastIndex(({ from }) => from <= oldest),
    );
    if (changed < known - 1) this.version++;
    this.turns.length = changed;
    for (const range of this.#ranges.slice(changed)) this.turns.push(this.#render(history, range));
    return this;
  }

  #reset(): void {
    this.turns.length = 0;
    this.version++;
    this.#ranges = [];
    this.#pairs = new CallPairs();
    this.#count = 0;
    this.#last = undefined;
  }

  #render(history: readonly UnifiedMessage[], range: TurnRange): RenderedTurn {
    const { language, agent, isMain, countTokens } = this.#options;
    const isForeign = (other: string): boolean => isMain && other !== agent;
    const messages = renderTurn(history, range, { language, pairs: this.#pairs, isForeign });
    let tokens = 0;
    let promptTokens: number | undefined;
    for (const message of messages) {
      if (message.role !== 'user') promptTokens ??= tokens;
      tokens += tokensOf(message, countTokens);
    }
    const before = this.turns.at(-1);
    return {
      ...range,
      messages,
      tokens,
      promptTokens: promptTokens ?? tokens,
      tokensBefore: before === undefined ? 0 : before.tokensBefore + before.tokens,
    };
  }
}

const transcripts = new WeakMap<readonly UnifiedMessage[], Map<string, readonly [CountTokens, Transcript]>>();

/** Returns the transcript of a history. It is kept as long as the array is. */
export function transcriptOf(history: readonly UnifiedMessage[], options: TranscriptOptions): Transcript {
  let known = transcripts.get(history);
  if (known === undefined) {
    known = new Map();
    transcripts.set(history, known);
  }
  const { language, agent, isMain, countTokens } = options;
  const key = JSON.stringify([language, isMain, isMain ? agent : undefined]);
  const [counter, found] = known.get(key) ?? [];
  if (found !== undefined && counter === countTokens) return found.read(history);
  const transcript = new Transcript(options);
  known.set(key, [countTokens, transcript]);
  return transcript.read(history);
}
