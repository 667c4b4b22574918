import type { Language } from '@cairn/tool/kernel';
import type { CountTokens } from '@cairn/tool/prompt';
import { countImages, MAX_IMAGES, withNewestImages } from './images.ts';
import { beginsTurn, type UnifiedMessage } from './message.ts';
import { CallPairs } from './pairs.ts';
import { renderTurn, type TurnRange } from './render.ts';
import { tokensOf } from './tokens.ts';

/** A turn of a history and the messages that are sent for it. */
export interface RenderedTurn extends TurnRange {
  readonly messages: readonly UnifiedMessage[];
  /** The same with all images. */
  readonly whole: readonly UnifiedMessage[];
  /** The images in `whole`, and those in `messages`. */
  readonly images: number;
  readonly shownImages: number;
  readonly tokens: number;
  /** The tokens of the messages of the user that begin it. */
  readonly promptTokens: number;
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
  readonly #options: TranscriptOptions;
  /** The index of the first message of each turn. */
  #starts: number[] = [];
  #pairs = new CallPairs();
  #count = 0;
  #last: UnifiedMessage | undefined;

  constructor(options: TranscriptOptions) {
    this.#options = options;
  }

  read(history: readonly UnifiedMessage[]): this {
    if (history.length < this.#count || history[this.#count - 1] !== this.#last) {
      this.turns.length = 0;
      this.#starts = [];
      this.#pairs = new CallPairs();
      this.#count = 0;
      this.#last = undefined;
    }
    if (history.length === this.#count) return this;
    let oldest = this.#count;
    for (const [offset, message] of history.slice(this.#count).entries()) {
      const index = this.#count + offset;
      oldest = Math.min(oldest, this.#pairs.add(message, index));
      if (beginsTurn(message, history[index - 1])) this.#starts.push(index);
    }
    this.#count = history.length;
    this.#last = history.at(-1);
    const { language, agent, isMain } = this.#options;
    const isForeign = (other: string): boolean => isMain && other !== agent;
    const unchanged = this.#starts.findLastIndex((start) => start <= oldest);
    this.turns.length = Math.min(this.turns.length, unchanged);
    for (const [at, from] of [...this.#starts.entries()].slice(this.turns.length)) {
      const to = this.#starts[at + 1] ?? history.length;
      const whole = renderTurn(history.slice(from, to), { language, pairs: this.#pairs, isForeign });
      this.turns.push(this.#size({ from, to }, whole, countImages(whole)));
    }
    this.#limitImages();
    return this;
  }

  /** Shows the newest images of the history only. Each turn with others is made again. */
  #limitImages(): void {
    let left = MAX_IMAGES;
    for (const [index, turn] of [...this.turns.entries()].toReversed()) {
      const shown = Math.min(turn.images, left);
      left -= shown;
      if (shown !== turn.shownImages) this.turns[index] = this.#size(turn, turn.whole, shown);
    }
  }

  /** Returns a turn with its newest images. */
  #size({ from, to }: TurnRange, whole: readonly UnifiedMessage[], shownImages: number): RenderedTurn {
    const { language, countTokens } = this.#options;
    const images = countImages(whole);
    const messages = shownImages === images ? whole : withNewestImages(whole, { language, max: shownImages });
    let tokens = 0;
    let promptTokens: number | undefined;
    for (const message of messages) {
      if (message.role !== 'user') promptTokens ??= tokens;
      tokens += tokensOf(message, countTokens);
    }
    return {
      from,
      to,
      messages,
      whole,
      images,
      shownImages,
      tokens,
      promptTokens: promptTokens ?? tokens,
    };
  }
}

/** Values made of histories, by the array of each and a key. They are kept as long as the array is. */
export class MadeOfHistories<T> {
  readonly #made = new WeakMap<readonly UnifiedMessage[], Map<string, readonly [CountTokens, T]>>();

  /** Returns the value that was made with the same function to count tokens, or makes it. */
  get(
    history: readonly UnifiedMessage[],
    { key, countTokens, make }: { readonly key: string; readonly countTokens: CountTokens; readonly make: () => T },
  ): T {
    const known = this.#made.get(history) ?? new Map<string, readonly [CountTokens, T]>();
    this.#made.set(history, known);
    const [counter, found] = known.get(key) ?? [];
    if (found !== undefined && counter === countTokens) return found;
    const made = make();
    known.set(key, [countTokens, made]);
    return made;
  }
}

const transcripts = new MadeOfHistories<Transcript>();

/** Returns the turns of a history. It reads only the messages that were added to the array since the last call. */
export function turnsToSend(history: readonly UnifiedMessage[], options: TranscriptOptions): readonly RenderedTurn[] {
  const { language, agent, isMain, countTokens } = options;
  const key = JSON.stringify([language, isMain, isMain ? agent : undefined]);
  return transcripts.get(history, { key, countTokens, make: () => new Transcript(options) }).read(history).turns;
}
